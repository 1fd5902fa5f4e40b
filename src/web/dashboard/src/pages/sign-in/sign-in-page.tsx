import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { signIn, signInOptionsQuery } from '../../api/operators.ts';
import { findCode } from '../../api/problem.ts';
import { safeReturnTo } from '../../app/session.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { type Form, useForm } from '../../ui/form.ts';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
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
  const form = useForm({ initialValues: { email: '', password: '', otp: '' } });
  const start = useSave({
    send: (values: typeof form.values) => signIn(withoutEmptyOtp(values)),
    form,
    onDone: () => enter(safeReturnTo(search.returnTo)),
  });
  const isOtpAsked = findCode(start.error) === 'otp_required';
  const needsOtp = isOtpAsked || form.values.otp !== '';
  return (
    <Card title={needsOtp ? texts.otpTitle : texts.title} lead={needsOtp ? texts.otpLead : texts.lead}>
      <form className={styles.form} onSubmit={form.onSubmit(start.mutate)}>
        <SingleSignOnError code={search.error} />
        {!(isOtpAsked && form.values.otp === '') && <ProblemNotice error={start.problem} />}
        {needsOtp ? <OtpField form={form} /> : <PasswordFields form={form} />}
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
        <SingleSignOn url={singleSignOnUrl} returnTo={safeReturnTo(search.returnTo)} />
      )}
    </Card>
  );
}

type FieldsProps = { readonly form: Form<{ email: string; password: string; otp: string }> };

function PasswordFields({ form }: FieldsProps) {
  const { 'sign-in': texts } = useTexts();
  return (
    <>
      <TextInput
        label={texts.email}
        type="email"
        name="email"
        autoComplete="username"
        required
        autoFocus
        {...form.getInputProps('email')}
      />
      <CurrentPasswordInput
        label={texts.password}
        name="password"
        showPassword={texts.showPassword}
        {...form.getInputProps('password')}
      />
    </>
  );
}

function OtpField({ form }: FieldsProps) {
  const { 'sign-in': texts } = useTexts();
  return (
    <TextInput
      label={texts.otp}
      autoComplete="one-time-code"
      required
      autoFocus
      {...form.getInputProps('otp')}
    />
  );
}

function SingleSignOn({ url, returnTo }: { url: string; returnTo: string }) {
  const { 'sign-in': texts } = useTexts();
  return (
    <>
      <p className={styles.or}>{texts.or}</p>
      <Button
        component="a"
        href={`${url}?${new URLSearchParams({ returnTo })}`}
        variant="default"
        size="md"
        fullWidth
      >
        {texts.singleSignOn}
      </Button>
    </>
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
