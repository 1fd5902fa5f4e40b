import { PasswordInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { changeMe, type Operator } from '../../api/operators.ts';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { Section } from '../../ui/page.tsx';
import { useSave } from '../../ui/use-save.ts';
import styles from './me.module.css';

/** A new password; the old one is asked for where there is one. */
export function PasswordSection({ me }: { me: Operator }) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const { resetPassword, setup } = signIn;
  const list = useQuery(apiQuery('/personal-access-tokens', { query: { limit: 100 } }));
  const tokens = list.data?.personalAccessTokens.length ?? 0;
  const form = useForm({ initialValues: { currentPassword: '', password: '', endTokens: false } });
  const save = useSave({
    send: ({ currentPassword, password, endTokens }: typeof form.values) =>
      changeMe({
        password,
        ...(me.hasPassword && { currentPassword }),
        ...(tokens > 0 && { endTokens }),
      }),
    form,
    done: texts.passwordChanged,
    onDone: form.reset,
    refresh: ['/operators/me', '/sessions', '/personal-access-tokens'],
  });
  return (
    <Section title={signIn.password} lead={texts.passwordLead}>
      <FormBody
        save={save}
        onSubmit={form.onSubmit(save.mutate)}
        submit={texts.changePassword}
        className={styles.form}
      >
        {/* Lets a password manager know whose password changes. */}
        <input type="text" autoComplete="username" defaultValue={me.email} hidden readOnly />
        {me.hasPassword && (
          <CurrentPasswordInput
            label={texts.currentPassword}
            showPassword={signIn.showPassword}
            {...form.getInputProps('currentPassword')}
          />
        )}
        <PasswordInput
          label={resetPassword.password}
          description={setup.passwordHint}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
          required
          {...form.getInputProps('password')}
        />
        {tokens > 0 && (
          <label>
            <input
              type="checkbox"
              checked={form.values.endTokens}
              onChange={({ currentTarget }) => form.setField('endTokens', currentTarget.checked)}
            />{' '}
            {texts.endTokens(tokens)}
          </label>
        )}
      </FormBody>
    </Section>
  );
}
