import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { changeMe, type Operator } from '../../api/operators.ts';
import { fieldErrors } from '../../api/problem.ts';
import { apiQuery, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { useForm } from '../../ui/form.ts';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './me.module.css';

/** A new password; the old one is asked for where there is one. */
export function PasswordSection({ me }: { me: Operator }) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const { resetPassword, setup } = signIn;
  const client = useQueryClient();
  const list = useQuery(apiQuery('/personal-access-tokens', { query: { limit: 100 } }));
  const [endTokens, setEndTokens] = useState(false);
  const tokens = list.data?.personalAccessTokens.length ?? 0;
  const form = useForm({ initialValues: { currentPassword: '', password: '' } });
  const save = useMutation({
    mutationFn: ({ currentPassword, password }: typeof form.values) =>
      changeMe({
        password,
        ...(me.hasPassword && { currentPassword }),
        ...(tokens > 0 && { endTokens }),
      }),
    onSuccess: async () => {
      form.reset();
      await refresh(client, '/operators/me', '/sessions', '/personal-access-tokens');
      showDone(texts.passwordChanged);
    },
    onError: (error) => form.setErrors(fieldErrors(error)),
  });
  const toggle = { 'aria-label': signIn.showPassword };
  return (
    <Section title={signIn.password} lead={texts.passwordLead}>
      <form className={styles.form} onSubmit={form.onSubmit((values) => save.mutate(values))}>
        {save.isError && Object.keys(form.errors).length === 0 && <ProblemNotice error={save.error} />}
        {/* Lets a password manager know whose password changes. */}
        <input type="text" autoComplete="username" defaultValue={me.email} hidden readOnly />
        {me.hasPassword && (
          <PasswordInput
            label={texts.currentPassword}
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
            required
            {...form.getInputProps('currentPassword')}
          />
        )}
        <PasswordInput
          label={resetPassword.password}
          description={setup.passwordHint}
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          required
          {...form.getInputProps('password')}
        />
        {tokens > 0 && (
          <label>
            <input
              type="checkbox"
              checked={endTokens}
              onChange={({ currentTarget }) => setEndTokens(currentTarget.checked)}
            />{' '}
            {texts.endTokens(tokens)}
          </label>
        )}
        <div>
          <Button type="submit" loading={save.isPending}>
            {texts.changePassword}
          </Button>
        </div>
      </form>
    </Section>
  );
}
