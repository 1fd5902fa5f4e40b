import { Button, Modal, PasswordInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Operator } from '../../api/contract.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { showDone } from '../../ui/toasts.tsx';
import { Enrolment } from './enrolment.tsx';
import styles from './me.module.css';

/** TOTP: switched on with an authenticator app, off with password and code. */
export function SecondFactorSection({ me }: { me: Operator }) {
  const { me: texts } = useTexts();
  const [isRemoving, removing] = useDisclosure();
  const begin = useMutation({ mutationFn: () => api.post('/operators/me/otp', { body: {} }), gcTime: 0 });
  const isOn = me.otpEnabled;
  return (
    <Section
      title={texts.secondFactor}
      lead={texts.secondFactorLead}
      actions={<StateBadge tone={isOn ? 'good' : 'neutral'}>{isOn ? texts.on : texts.off}</StateBadge>}
    >
      <div className={styles.stack}>
        <ProblemNotice error={begin.error} />
        {isOn && (
          <Button variant="default" onClick={removing.open}>
            {texts.switchOff}
          </Button>
        )}
        {!isOn && begin.data === undefined && me.hasPassword && (
          <Button loading={begin.isPending} onClick={() => begin.mutate()}>
            {texts.switchOn}
          </Button>
        )}
        {!isOn && begin.data && <Enrolment factor={begin.data} onDone={begin.reset} />}
        {!me.hasPassword && <p className="soft">{texts.needsPassword}</p>}
      </div>
      <Modal opened={isRemoving} onClose={removing.close} title={texts.switchOff}>
        <SwitchOffForm onDone={removing.close} />
      </Modal>
    </Section>
  );
}

function SwitchOffForm({ onDone }: { onDone: () => void }) {
  const { me: texts, signIn } = useTexts();
  const client = useQueryClient();
  const [values, setValues] = useState({ password: '', otp: '' });
  const disable = useMutation({
    mutationFn: () => api.post('/operators/me/otp/disable', { body: values }),
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
      <PasswordInput
        label={signIn.password}
        autoComplete="current-password"
        visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
        value={values.password}
        onChange={(event) => setValues({ ...values, password: event.currentTarget.value })}
        required
        data-autofocus
      />
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
