import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type Operator, signIn, signInOptionsQuery } from '../api/operators.ts';
import { findCode } from '../api/problem.ts';
import { useMe } from '../app/session.ts';
import { announceSession, onSessionChange } from '../app/session-tabs.ts';
import { useTexts } from '../texts/texts.tsx';
import { CurrentPasswordInput } from '../ui/current-password-input.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useForm } from '../ui/form.ts';
import { FormBody } from '../ui/form-body.tsx';
import { useSave } from '../ui/use-save.ts';
import styles from './frame.module.css';

type SignInDialogProps = { readonly onClose: (isSignedIn: boolean) => void };

/** Asks the operator of the page for the password, a code, or to pass single sign-on in a window. */
export function SignInDialog({ onClose }: SignInDialogProps) {
  const { signInAgain: texts } = useTexts();
  const me = useMe();
  const options = useQuery({ ...signInOptionsQuery, retry: false }).data;
  const singleSignOnUrl = options?.singleSignOn?.url;
  useEffect(() => onSessionChange('signed-in', () => void goOn(me, onClose)), [me, onClose]);
  return (
    <Dialog title={texts.title} onClose={() => onClose(false)}>
      <p className={styles.lead}>{texts.lead}</p>
      {me?.hasPassword && <PasswordForm email={me.email} onClose={onClose} />}
      {singleSignOnUrl !== undefined && <SingleSignOn url={singleSignOnUrl} me={me} onClose={onClose} />}
      <Button component="a" href="/sign-in" variant="subtle" size="compact-sm" mt="md">
        {texts.another}
      </Button>
    </Dialog>
  );
}

type PasswordFormProps = SignInDialogProps & { readonly email: string };

function PasswordForm({ email, onClose }: PasswordFormProps) {
  const { 'sign-in': texts, signInAgain } = useTexts();
  const form = useForm({ initialValues: { password: '', otp: '' }, isKept: false });
  const enter = useSave({
    send: ({ password, otp }: typeof form.values) =>
      signIn({ email, password, ...(otp.trim() !== '' && { otp: otp.trim() }) }),
    form,
    onDone: () => {
      announceSession('signed-in');
      onClose(true);
    },
  });
  const isOtpAsked = findCode(enter.error) === 'otp_required';
  const needsOtp = isOtpAsked || form.values.otp !== '';
  const isFirstAsked = isOtpAsked && form.values.otp === '';
  return (
    <FormBody
      save={{ isPending: enter.isPending, problem: isFirstAsked ? undefined : enter.problem }}
      onSubmit={form.onSubmit(enter.mutate)}
      submit={needsOtp ? texts.otpSubmit : texts.submit}
    >
      <TextInput label={signInAgain.account} value={email} readOnly autoComplete="username" />
      {!needsOtp && (
        <CurrentPasswordInput
          label={texts.password}
          showPassword={texts.showPassword}
          data-autofocus
          {...form.getInputProps('password')}
        />
      )}
      {needsOtp && (
        <TextInput
          label={texts.otp}
          description={texts.otpLead}
          autoComplete="one-time-code"
          required
          autoFocus
          {...form.getInputProps('otp')}
        />
      )}
    </FormBody>
  );
}

const LOOK_MS = 1_000;

type SingleSignOnProps = SignInDialogProps & { readonly url: string; readonly me: Operator | undefined };

/** The identity provider's pages take a window of their own; the page sees by the session that they are through. */
function SingleSignOn({ url, me, onClose }: SingleSignOnProps) {
  const { 'sign-in': texts, signInAgain } = useTexts();
  const opened = useRef<Window | null>(null);
  useEffect(() => {
    const timer = setInterval(async () => {
      if (opened.current === null || !(await goOn(me, onClose))) return;
      opened.current.close();
      opened.current = null;
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [me, onClose]);
  const begin = () => {
    opened.current = open(
      `${url}?${new URLSearchParams({ returnTo: '/me' })}`,
      '_blank',
      'popup,width=520,height=700',
    );
  };
  return (
    <>
      <Button variant="default" fullWidth mt="md" onClick={begin}>
        {texts.singleSignOn}
      </Button>
      <p className="soft small">{signInAgain.singleSignOnLead}</p>
    </>
  );
}

/** Goes on where there is a session of the same operator. With another's the page has nothing to show: it begins again. */
async function goOn(me: Operator | undefined, onClose: (isSignedIn: boolean) => void): Promise<boolean> {
  const response = await fetch('/v1/operators/me', { cache: 'no-store' }).catch(() => undefined);
  if (!response?.ok) return false;
  const { id } = await response.json();
  if (id === me?.id) onClose(true);
  else location.assign('/');
  return true;
}
