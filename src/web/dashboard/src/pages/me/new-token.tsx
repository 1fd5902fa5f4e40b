import { Button, Modal } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, refresh } from '../../api/queries.ts';
import { useMe } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CredentialForm, type NewCredential } from '../../ui/credential-form.tsx';
import { Notice } from '../../ui/notice.tsx';
import styles from './me.module.css';

/** The one that is chosen at first comes first. */
const LIFETIMES_DAYS = [90, 30, 365] as const;

/** The dialog for a new token. */
export function NewTokenDialog({ onDone }: { onDone: () => void }) {
  const { me: texts } = useTexts();
  return (
    <Modal opened onClose={onDone} title={texts.createToken}>
      <NewToken onDone={onDone} />
    </Modal>
  );
}

/** Makes a token and shows it this once; it is held by this component alone. */
function NewToken({ onDone }: { onDone: () => void }) {
  const { me: texts, 'sign-in': signIn, common } = useTexts();
  const me = useMe();
  const client = useQueryClient();
  const create = useMutation({
    mutationFn: (body: NewCredential) => api.post('/personal-access-tokens', { body }),
    gcTime: 0,
    onSuccess: () => refresh(client, '/personal-access-tokens'),
  });
  if (create.data)
    return (
      <div className={styles.stack}>
        <Notice tone="good" title={texts.tokenCreated} isAlert>
          {texts.shownOnce}
        </Notice>
        <CodeBlock code={create.data.token} label={texts.tokenCreated} />
        <Button onClick={onDone}>{common.close}</Button>
      </div>
    );
  return (
    <CredentialForm
      words={{
        name: texts.tokenName,
        nameHint: texts.tokenNameHint,
        expires: texts.expires,
        submit: texts.createToken,
        password: me?.hasPassword ? texts.currentPassword : undefined,
        showPassword: signIn.showPassword,
      }}
      lifetimes={LIFETIMES_DAYS.map((days) => ({ days, label: texts.days(days) }))}
      error={create.error}
      isPending={create.isPending}
      onSubmit={create.mutate}
      onCancel={onDone}
    />
  );
}
