import { Button, Modal, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../../api/problem.ts';
import { api, refresh } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { showDone } from '../../../ui/toasts.tsx';
import styles from '../settings.module.css';

const KINDS = ['user', 'token', 'everyone'] as const;
type Kind = (typeof KINDS)[number];
type Body = Parameters<typeof api.post<'/projects/{projectId}/revocations'>>[1]['body'];
type Values = { kind: Kind; userId: string; jti: string; issuedBefore: string };

type DialogProps = { readonly opened: boolean; readonly onClose: () => void; readonly userId: string };

/** Says what will happen before it does: to one user, to one token, or to everyone. */
export function NewRevocationDialog({ opened, onClose, userId }: DialogProps) {
  const { add } = useTexts().settings.revocations;
  return (
    <Modal opened={opened} onClose={onClose} title={add}>
      <RevocationForm userId={userId} onClose={onClose} />
    </Modal>
  );
}

function RevocationForm({ userId, onClose }: Omit<DialogProps, 'opened'>) {
  const { settings, common } = useTexts();
  const { revocations: texts } = settings;
  const [isSure, setSure] = useState(false);
  const form = useForm<Values>({
    initialValues: { kind: 'user', userId, jti: '', issuedBefore: '' },
    validate: {
      issuedBefore: (text) => (text !== '' && Date.parse(text) > Date.now() ? texts.future : null),
    },
  });
  const revoke = useRevoke(onClose);
  const faults = fieldErrors(revoke.error);
  const { kind } = form.values;
  const submit = (values: Values) => {
    if (kind === 'everyone' && !isSure) setSure(true);
    else revoke.mutate(bodyOf(values));
  };
  return (
    <form className={styles.dialogForm} onSubmit={form.onSubmit(submit)}>
      {revoke.isError && Object.keys(faults).length === 0 && <ProblemNotice error={revoke.error} />}
      <fieldset className={styles.ways}>
        <legend className={styles.legend}>{texts.whose}</legend>
        {KINDS.map((value) => (
          <label key={value} className={styles.way}>
            <input
              type="radio"
              name="kind"
              checked={kind === value}
              onChange={() => {
                setSure(false);
                form.setFieldValue('kind', value);
              }}
            />
            <strong>{texts.kinds[value]}</strong>
          </label>
        ))}
      </fieldset>
      {kind === 'user' && (
        <TextInput
          label={texts.userId}
          description={texts.userIdHint}
          required
          {...form.getInputProps('userId')}
          error={faults.userId}
        />
      )}
      {kind === 'token' && (
        <TextInput
          label={texts.jti}
          description={texts.jtiHint}
          required
          {...form.getInputProps('jti')}
          error={faults.jti}
        />
      )}
      {kind !== 'token' && (
        <TextInput
          type="datetime-local"
          step={1}
          label={texts.issuedBefore}
          description={texts.issuedBeforeHint}
          {...form.getInputProps('issuedBefore')}
          error={form.errors.issuedBefore ?? faults.issuedBefore}
        />
      )}
      <p className="soft">
        {kind === 'user' ? texts.effect.user(form.values.userId || texts.effect.theUser) : texts.effect[kind]}
      </p>
      {isSure && kind === 'everyone' && (
        <Notice tone="warning" title={texts.confirmEveryone} isAlert>
          {texts.confirmEveryoneText}
        </Notice>
      )}
      <div className={styles.dialogFoot}>
        <Button variant="default" onClick={onClose}>
          {common.cancel}
        </Button>
        <Button type="submit" color="red.8" loading={revoke.isPending}>
          {texts.revoke}
        </Button>
      </div>
    </form>
  );
}

function useRevoke(onDone: () => void) {
  const { revocations: texts } = useTexts().settings;
  const projectId = useProjectId();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => api.post('/projects/{projectId}/revocations', { path: { projectId }, body }),
    onSuccess: async () => {
      onDone();
      showDone(texts.done);
      await refresh(client, '/projects/{projectId}/revocations', '/activity');
    },
  });
}

function bodyOf({ kind, userId, jti, issuedBefore }: Values): Body {
  if (kind === 'token') return { jti: jti.trim() };
  // The field tells the viewer's own time; the API takes UTC.
  const before = issuedBefore === '' ? {} : { issuedBefore: new Date(issuedBefore).toISOString() };
  return kind === 'user' ? { userId: userId.trim(), ...before } : { everyone: true, ...before };
}
