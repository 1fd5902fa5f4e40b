import { Button, PasswordInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { completePasswordReset } from '../../api/operators.ts';
import { fieldErrors } from '../../api/problem.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { useEnter } from './enter.ts';
import { useLinkToken } from './link-token.ts';

/** `/reset-password#<token>`: a new password, and signed in. */
export function ResetPasswordPage() {
  const signIn = useTexts()['sign-in'];
  const { resetPassword: texts, setup } = signIn;
  const token = useLinkToken();
  const enter = useEnter();
  const [password, setPassword] = useState('');
  const complete = useMutation({
    mutationFn: () => completePasswordReset({ token, password }),
    onSuccess: () => enter(),
  });
  const fault = fieldErrors(complete.error).password;
  return (
    <Card title={texts.title}>
      {token === '' && <Notice tone="warning" title={texts.missing} />}
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          complete.mutate();
        }}
      >
        {fault === undefined && <ProblemNotice error={complete.error} />}
        <PasswordInput
          label={texts.password}
          description={setup.passwordHint}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={fault}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
          required
          autoFocus
        />
        <Button type="submit" size="md" loading={complete.isPending} disabled={token === ''}>
          {texts.submit}
        </Button>
      </form>
    </Card>
  );
}
