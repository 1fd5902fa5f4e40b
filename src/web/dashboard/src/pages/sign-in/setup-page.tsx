import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { signInOptionsQuery } from '../../api/operators.ts';
import { ApiError, findCode, memberPath } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type Form, useForm } from '../../ui/form.ts';
import { LinkButton } from '../../ui/link.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
import styles from './card.module.css';
import { Card } from './card.tsx';
import { useEnter } from './enter.ts';
import { useLinkToken } from './link-token.ts';

/** `/setup#<token>`: the first operator and project, signed in at once. */
export function SetupPage() {
  const signIn = useTexts()['sign-in'];
  const { setup: texts } = signIn;
  const token = useLinkToken();
  const enter = useEnter();
  const form = useForm({
    initialValues: { token, email: '', password: '', projectName: texts.projectDefault },
  });
  const setUp = useSave({
    // A page shows no credentials, so that none are made that live on without a holder.
    send: (values: typeof form.values) => api.post('/setup', { body: { ...values, credentials: false } }),
    form,
    onDone: () => enter(),
  });
  const options = useQuery({ ...signInOptionsQuery, retry: false });
  const isKnown = options.data?.setUp === true && setUp.isIdle;
  if (isKnown || findCode(setUp.error) === 'already_set_up')
    return (
      <Card title={texts.alreadyTitle} lead={texts.alreadyText}>
        <div className={styles.form}>
          <LinkButton to="/sign-in">{signIn.submit}</LinkButton>
        </div>
      </Card>
    );
  // A form that cannot be sent is not shown, not even until that is known.
  if (options.isPending) return <Card title={texts.title} lead={texts.lead} />;
  return (
    <Card title={texts.title} lead={texts.lead}>
      <form className={styles.form} onSubmit={form.onSubmit(setUp.mutate)}>
        <ProblemNotice error={setUp.problem} />
        <SetupFields form={form} isTokenAsked={token === '' || isAboutToken(setUp.error)} />
        <Button type="submit" size="md" loading={setUp.isPending}>
          {texts.submit}
        </Button>
      </form>
    </Card>
  );
}

type Values = { token: string; email: string; password: string; projectName: string };

function SetupFields({ form, isTokenAsked }: { form: Form<Values>; isTokenAsked: boolean }) {
  const { 'sign-in': signIn } = useTexts();
  const { setup: texts } = signIn;
  return (
    <>
      {isTokenAsked && (
        <TextInput
          label={texts.token}
          description={texts.tokenHint}
          autoComplete="off"
          required
          {...form.getInputProps('token')}
        />
      )}
      <TextInput
        label={signIn.email}
        type="email"
        autoComplete="username"
        required
        autoFocus
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label={signIn.password}
        description={texts.passwordHint}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
        required
        {...form.getInputProps('password')}
      />
      <TextInput
        label={texts.projectName}
        description={texts.projectHint}
        autoComplete="organization"
        required
        {...form.getInputProps('projectName')}
      />
    </>
  );
}

/** Whether the link's token is refused, so that another one has to be typed. */
function isAboutToken(error: unknown): boolean {
  if (findCode(error) === 'setup_token_invalid') return true;
  return (
    error instanceof ApiError && (error.problem.errors ?? []).some(({ path }) => memberPath(path) === 'token')
  );
}
