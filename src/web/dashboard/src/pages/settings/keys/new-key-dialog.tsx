import { Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors } from '../../../api/problem.ts';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import styles from '../settings.module.css';
import type { NewApiKey } from './api-keys-section.tsx';

const DAY_MS = 24 * 60 * 60 * 1_000;
const DAYS = { never: undefined, days30: 30, days90: 90, year: 365 } as const;
type Expiry = keyof typeof DAYS;

type NewKeyDialogProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function NewKeyDialog({ opened, onClose, onCreated }: NewKeyDialogProps) {
  const { create } = useTexts().settings.apiKeys;
  return (
    <Modal opened={opened} onClose={onClose} title={create}>
      <NewKeyForm
        onClose={onClose}
        onCreated={(key) => {
          onClose();
          onCreated(key);
        }}
      />
    </Modal>
  );
}

function NewKeyForm({ onClose, onCreated }: Omit<NewKeyDialogProps, 'opened'>) {
  const { settings, common } = useTexts();
  const { apiKeys: texts, members } = settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  const form = useForm<{ name: string; expiry: Expiry }>({ initialValues: { name: '', expiry: 'never' } });
  const create = useMutation({
    mutationFn: ({ name, expiry }: typeof form.values) => {
      const days = DAYS[expiry];
      const expiresAt = days && new Date(Date.now() + days * DAY_MS).toISOString();
      return api.post('/projects/{projectId}/api-keys', {
        path: { projectId },
        body: { name, ...(expiresAt && { expiresAt }) },
      });
    },
    onSuccess: async (key) => {
      onCreated(key);
      await refresh(client, '/projects/{projectId}/api-keys', '/activity');
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  return (
    <form className={styles.dialogForm} onSubmit={form.onSubmit((values) => create.mutate(values))}>
      {create.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={create.error} />}
      <TextInput
        label={members.name}
        description={texts.nameHint}
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NativeSelect
        label={texts.expiry}
        data={Object.entries(texts.expiries).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('expiry')}
      />
      <div className={styles.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" loading={create.isPending}>
          {texts.create}
        </Button>
      </div>
    </form>
  );
}
