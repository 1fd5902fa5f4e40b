import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { acceptInvitation, type InvitationFacts, lookUpInvitation } from '../../api/operators.ts';
import { findCode } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { Bars } from '../../ui/loaded.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { useEnter } from './enter.ts';
import { useLinkToken } from './link-token.ts';

/** `/invitation#<token>`: joins a project, with a new account or the one that has this e-mail. */
export function InvitationPage() {
  const { invitation: texts } = useTexts()['sign-in'];
  const token = useLinkToken();
  const lookup = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => lookUpInvitation(token),
    enabled: token !== '',
    retry: false,
  });
  if (lookup.data) return <InvitationForm token={token} invitation={lookup.data} />;
  return (
    <Card title={texts.loadingTitle}>
      <div className={styles.note}>
        {token === '' ? (
          <Notice tone="warning" title={texts.missing} />
        ) : (
          <ProblemNotice error={lookup.error} />
        )}
        {lookup.isLoading && <Bars rows={4} />}
      </div>
    </Card>
  );
}

function InvitationForm({ token, invitation }: { token: string; invitation: InvitationFacts }) {
  const { 'sign-in': signIn, common } = useTexts();
  const { invitation: texts, setup } = signIn;
  const { project, email, role, hasAccount } = invitation;
  const isSignedIn = useSignedInEmail(hasAccount) === email.toLowerCase();
  const enter = useEnter();
  const form = useForm({ initialValues: { name: '', password: '', otp: '' } });
  const join = useSave({
    send: (values: typeof form.values) => acceptInvitation({ token, ...filled(values) }),
    form,
    onDone: () => enter(`/p/${project.id}`),
  });
  const needsOtp = findCode(join.error) === 'otp_required' || form.values.otp !== '';
  return (
    <Card title={texts.title(project.name)} lead={texts.lead({ email, role: common.roles[role] })}>
      <form className={styles.form} onSubmit={form.onSubmit(join.mutate)}>
        <ProblemNotice error={join.problem} />
        {hasAccount ? (
          <p className="soft">{isSignedIn ? texts.signedInAs : texts.existing}</p>
        ) : (
          <TextInput label={texts.name} autoComplete="name" autoFocus {...form.getInputProps('name')} />
        )}
        {!isSignedIn && (
          <PasswordInput
            label={hasAccount ? signIn.password : texts.choosePassword}
            description={hasAccount ? undefined : setup.passwordHint}
            autoComplete={hasAccount ? 'current-password' : 'new-password'}
            visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
            required
            {...form.getInputProps('password')}
          />
        )}
        {needsOtp && (
          <TextInput
            label={signIn.otp}
            autoComplete="one-time-code"
            required
            {...form.getInputProps('otp')}
          />
        )}
        <Button type="submit" size="md" loading={join.isPending}>
          {texts.submit}
        </Button>
      </form>
    </Card>
  );
}

/** The e-mail of the operator who is signed in in this browser, in lower case. To be signed out is no error here. */
function useSignedInEmail(isWanted: boolean): string | undefined {
  const me = useQuery({
    queryKey: ['invitation', 'me'],
    queryFn: () => api.get('/operators/me', {}).catch(() => null),
    enabled: isWanted,
    staleTime: 0,
  });
  return me.data?.email.toLowerCase();
}

function filled(values: { name: string; password: string; otp: string }) {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ''));
}
