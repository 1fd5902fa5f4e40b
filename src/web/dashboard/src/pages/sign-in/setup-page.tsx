import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { codeOf, fieldErrors } from '../../api/problem.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { LinkButton } from '../../ui/link.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
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
  const setUp = useMutation({
    mutationFn: (body: typeof form.values) => api.post('/setup', { body }),
    onSuccess: () => enter(),
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  if (codeOf(setUp.error) === 'already_set_up')
    return (
      <Card title={texts.alreadyTitle} lead={texts.alreadyText}>
        <div className={styles.form}>
          <LinkButton to="/sign-in">{signIn.submit}</LinkButton>
        </div>
      </Card>
    );
  return (
    <Card title={texts.title} lead={texts.lead}>
      <form className={styles.form} onSubmit={form.onSubmit((values) => setUp.mutate(values))}>
        {setUp.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={setUp.error} />}
        {(token === '' ||
          form.errors.token !== undefined ||
          codeOf(setUp.error) === 'setup_token_invalid') && (
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
        <Button type="submit" size="md" loading={setUp.isPending}>
          {texts.submit}
        </Button>
      </form>
    </Card>
  );
}
