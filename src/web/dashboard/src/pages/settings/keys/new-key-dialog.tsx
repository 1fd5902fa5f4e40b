import { Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { CredentialForm, type NewCredential } from '../../../ui/credential-form.tsx';
import type { NewApiKey } from './api-key.ts';

type NewKeyDialogProps = {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
};

export function NewKeyDialog({ opened, onClose, onCreated }: NewKeyDialogProps) {
  const { create } = useTexts().settings.apiKeys;
  return (
    <Modal opened={opened} onClose={onClose} title={create}>
      <NewKey onClose={onClose} onCreated={onCreated} />
    </Modal>
  );
}

function NewKey({ onClose, onCreated }: Omit<NewKeyDialogProps, 'opened'>) {
  const { apiKeys: texts, members } = useTexts().settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: NewCredential) =>
      api.post('/projects/{projectId}/api-keys', { path: { projectId }, body }),
    onSuccess: async (key) => {
      onClose();
      onCreated(key);
      await refresh(client, '/projects/{projectId}/api-keys', '/activity');
    },
    gcTime: 0,
  });
  const { never, days30, days90, year } = texts.expiries;
  return (
    <CredentialForm
      words={{ name: members.name, nameHint: texts.nameHint, expires: texts.expiry, submit: texts.create }}
      lifetimes={[
        { label: never },
        { days: 30, label: days30 },
        { days: 90, label: days90 },
        { days: 365, label: year },
      ]}
      error={create.error}
      isPending={create.isPending}
      onSubmit={create.mutate}
      onCancel={onClose}
    />
  );
}
