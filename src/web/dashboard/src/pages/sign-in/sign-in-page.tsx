import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { signIn, signInOptionsQuery } from '../../api/operators.ts';
import { codeOf } from '../../api/problem.ts';
import { safeReturnTo } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { useEnter } from './enter.ts';
import { ForgottenPassword } from './forgotten-password.tsx';

/** `/sign-in`: e-mail and password, then the second factor where the operator has one; single sign-on; a forgotten password. */
export function SignInPage() {
  const texts = useTexts()['sign-in'];
  const options = useQuery({ ...signInOptionsQuery, retry: false }).data;
  const [isForgotten, setForgotten] = useState(false);
  if (options?.setUp === false)
    return (
      <Card title={texts.notSetUpTitle} lead={texts.notSetUpText}>
        <div className={styles.note}>
          <CodeBlock code={`${location.origin}/setup#…`} label={texts.notSetUpTitle} />
        </div>
      </Card>
    );
  if (isForgotten)
    return <ForgottenPassword hasMail={options?.mail !== false} onBack={() => setForgotten(false)} />;
  return <SignInForm singleSignOnUrl={options?.singleSignOn?.url} onForgotten={() => setForgotten(true)} />;
}

type SignInFormProps = { readonly singleSignOnUrl: string | undefined; readonly onForgotten: () => void };

function SignInForm({ singleSignOnUrl, onForgotten }: SignInFormProps) {
  const texts = useTexts()['sign-in'];
  const search: { returnTo?: unknown; error?: unknown } = useSearch({ strict: false });
  const enter = useEnter();
  const [values, setValues] = useState({ email: '', password: '', otp: '' });
  const start = useMutation({
    mutationFn: () => signIn(withoutEmptyOtp(values)),
    onSuccess: () => enter(safeReturnTo(search.returnTo)),
  });
  const needsOtp = codeOf(start.error) === 'otp_required' || values.otp !== '';
  const set = (name: keyof typeof values) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget;
    setValues((previous) => ({ ...previous, [name]: value }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  const isRefused = start.isError && !(codeOf(start.error) === 'otp_required' && values.otp === '');
  return (
    <Card title={needsOtp ? texts.otpTitle : texts.title} lead={needsOtp ? texts.otpLead : texts.lead}>
      <form className={styles.form} onSubmit={submit}>
        <SingleSignOnError code={search.error} />
        {isRefused && <ProblemNotice error={start.error} />}
        {needsOtp ? (
          <TextInput
            key="otp"
            label={texts.otp}
            value={values.otp}
            onChange={set('otp')}
            autoComplete="one-time-code"
            required
            autoFocus
          />
        ) : (
          <>
            <TextInput
              label={texts.email}
              type="email"
              name="email"
              value={values.email}
              onChange={set('email')}
              autoComplete="username"
              required
              autoFocus
            />
            <PasswordInput
              label={texts.password}
              name="password"
              value={values.password}
              onChange={set('password')}
              autoComplete="current-password"
              visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
              required
            />
          </>
        )}
        <Button type="submit" size="md" loading={start.isPending} fullWidth>
          {needsOtp ? texts.otpSubmit : texts.submit}
        </Button>
        {!needsOtp && (
          <button type="button" className={styles.quiet} onClick={onForgotten}>
            {texts.forgotten}
          </button>
        )}
      </form>
      {singleSignOnUrl !== undefined && !needsOtp && (
        <>
          <p className={styles.or}>{texts.or}</p>
          <Button
            component="a"
            href={`${singleSignOnUrl}?${new URLSearchParams({ returnTo: safeReturnTo(search.returnTo) })}`}
            variant="default"
            size="md"
            fullWidth
          >
            {texts.singleSignOn}
          </Button>
        </>
      )}
    </Card>
  );
}

/** What the callback of single sign-on left in the address. */
function SingleSignOnError({ code }: { code: unknown }) {
  const { 'sign-in': texts, problem } = useTexts();
  if (typeof code !== 'string' || code === '') return null;
  const { other, ...known } = texts.errors;
  const text = Object.entries(known).find(([name]) => name === code)?.[1] ?? other(code);
  return (
    <Notice
      tone="bad"
      title={texts.singleSignOn}
      foot={<a href={`/docs/errors#${code}`}>{problem.explain}</a>}
    >
      {text}
    </Notice>
  );
}

function withoutEmptyOtp({ email, password, otp }: { email: string; password: string; otp: string }) {
  const code = otp.trim();
  return code === '' ? { email, password } : { email, password, otp: code };
}
