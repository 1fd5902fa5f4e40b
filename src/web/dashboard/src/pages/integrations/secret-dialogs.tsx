import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import { type Integration, toInstant } from './form-values.ts';
import { PATHS_OF_INTEGRATION } from './integration-queries.ts';
import styles from './integrations.module.css';

type SecretChange = { readonly clientSecret?: string; readonly secretExpiresAt?: string | null };

/** Changes the secret or its noted end, then has the page ask again. */
function useSecretChange(integration: Integration, message: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: SecretChange) =>
      api.patch('/integrations/{id}', { path: { id: integration.id }, body }),
    onSuccess: async () => {
      showDone(message);
      onDone();
      await refresh(client, ...PATHS_OF_INTEGRATION);
    },
  });
}

type RotateDialogProps = { readonly integration: Integration; readonly onClose: () => void };

/** Takes a new client secret; the present one goes on being tried for seven days. */
export function RotateDialog({ integration, onClose }: RotateDialogProps) {
  const { common, integrations } = useTexts();
  const { detail: texts, setUp } = integrations;
  const [secret, setSecret] = useState('');
  const [day, setDay] = useState('');
  const change = useSecretChange(integration, texts.rotated, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const secretExpiresAt = toInstant(day);
    change.mutate({ clientSecret: secret.trim(), ...(secretExpiresAt !== undefined && { secretExpiresAt }) });
  };
  return (
    <Modal opened onClose={onClose} title={texts.rotateTitle}>
      <form className={styles.form} onSubmit={submit}>
        <p>{texts.rotateText}</p>
        <ProblemNotice error={change.error} />
        <PasswordInput
          label={texts.rotateTitle}
          value={secret}
          onChange={(event) => setSecret(event.currentTarget.value)}
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': setUp.showSecret }}
          required
          data-autofocus
        />
        <TextInput
          type="date"
          label={setUp.secretExpires}
          description={setUp.secretExpiresHint}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <div className={styles.dialogActions}>
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={change.isPending} disabled={secret.trim() === ''}>
            {texts.rotateSave}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

type ExpiryDialogProps = RotateDialogProps & { readonly expiresAt: string | null };

/** Notes when the client secret ends at the provider. */
export function ExpiryDialog({ integration, expiresAt, onClose }: ExpiryDialogProps) {
  const { common, integrations } = useTexts();
  const { detail: texts, setUp } = integrations;
  const [day, setDay] = useState(expiresAt?.slice(0, 10) ?? '');
  const change = useSecretChange(integration, common.saved, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ secretExpiresAt: toInstant(day) ?? null });
  };
  return (
    <Modal opened onClose={onClose} title={texts.expiryTitle}>
      <form className={styles.form} onSubmit={submit}>
        <ProblemNotice error={change.error} />
        <TextInput
          type="date"
          label={setUp.secretExpires}
          description={texts.expiryText}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          data-autofocus
        />
        <div className={styles.dialogActions}>
          {expiresAt !== null && (
            <Button variant="subtle" onClick={() => change.mutate({ secretExpiresAt: null })}>
              {texts.clearExpiry}
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {common.save}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
