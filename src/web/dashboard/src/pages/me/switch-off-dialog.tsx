import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Operator } from '../../api/operators.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './me.module.css';

type Props = { readonly me: Operator; readonly onDone: () => void };

/** Asks for password and code before the second factor goes. */
export function SwitchOffDialog({ me, onDone }: Props) {
  const { me: texts } = useTexts();
  return (
    <Modal opened onClose={onDone} title={texts.switchOff}>
      <SwitchOffForm me={me} onDone={onDone} />
    </Modal>
  );
}

function SwitchOffForm({ me, onDone }: Props) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const client = useQueryClient();
  const [values, setValues] = useState({ password: '', otp: '' });
  const disable = useMutation({
    mutationFn: () =>
      api.post('/operators/me/otp/disable', { body: me.hasPassword ? values : { otp: values.otp } }),
    onSuccess: async () => {
      await refresh(client, '/operators/me');
      showDone(texts.switchedOff);
      onDone();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    disable.mutate();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <ProblemNotice error={disable.error} />
      {me.hasPassword && (
        <PasswordInput
          label={signIn.password}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
          value={values.password}
          onChange={(event) => setValues({ ...values, password: event.currentTarget.value })}
          required
          data-autofocus
        />
      )}
      <TextInput
        label={signIn.otp}
        autoComplete="one-time-code"
        value={values.otp}
        onChange={(event) => setValues({ ...values, otp: event.currentTarget.value })}
        required
      />
      <Button type="submit" color="red.8" loading={disable.isPending}>
        {texts.switchOff}
      </Button>
    </form>
  );
}
