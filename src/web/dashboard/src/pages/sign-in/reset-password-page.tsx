import { Button, PasswordInput } from '@mantine/core';
import { completePasswordReset } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
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
  const form = useForm({ initialValues: { password: '' } });
  const complete = useSave({
    send: ({ password }: typeof form.values) => completePasswordReset({ token, password }),
    form,
    onDone: () => enter(),
  });
  return (
    <Card title={texts.title}>
      {token === '' && <Notice tone="warning" title={texts.missing} />}
      <form className={styles.form} onSubmit={form.onSubmit(complete.mutate)}>
        <ProblemNotice error={complete.problem} />
        <PasswordInput
          label={texts.password}
          description={setup.passwordHint}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
          required
          autoFocus
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" loading={complete.isPending} disabled={token === ''}>
          {texts.submit}
        </Button>
      </form>
    </Card>
  );
}
