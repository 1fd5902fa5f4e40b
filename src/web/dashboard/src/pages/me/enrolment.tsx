import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { encode } from 'uqr';
import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Operator } from '../../api/operators.ts';
import { fieldErrors } from '../../api/problem.ts';
import { api, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import styles from './me.module.css';

type NewSecondFactor = components['schemas']['NewSecondFactor'];

/** Asks for the password, where there is one, and then shows what the app needs. */
export function Enrolment({ me, onDone }: { me: Operator; onDone: () => void }) {
  const { me: texts, common } = useTexts();
  const [password, setPassword] = useState('');
  const begin = useMutation({
    mutationFn: () => api.post('/operators/me/otp', { body: me.hasPassword ? { password } : {} }),
    gcTime: 0,
  });
  if (begin.data) return <Confirmation factor={begin.data} onDone={onDone} />;
  const fault = fieldErrors(begin.error).password;
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate();
      }}
    >
      {fault === undefined && <ProblemNotice error={begin.error} />}
      {me.hasPassword && (
        <OwnPassword value={password} onChange={setPassword} fault={fault} label={texts.currentPassword} />
      )}
      <div className={styles.row}>
        <Button type="submit" loading={begin.isPending}>
          {texts.continueEnrolment}
        </Button>
        <Button variant="default" onClick={onDone}>
          {common.cancel}
        </Button>
      </div>
    </form>
  );
}

type OwnPasswordProps = {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly fault: string | undefined;
  readonly label: string;
};

function OwnPassword({ value, onChange, fault, label }: OwnPasswordProps) {
  const signIn = useTexts()['sign-in'];
  return (
    <PasswordInput
      label={label}
      autoComplete="current-password"
      visibilityToggleButtonProps={{ 'aria-label': signIn.showPassword }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={fault}
      required
      autoFocus
    />
  );
}

/** The secret for the app, the recovery codes, and the first code as the proof that it works. */
function Confirmation({ factor, onDone }: { factor: NewSecondFactor; onDone: () => void }) {
  const { me: texts } = useTexts();
  const { secret, otpauthUrl, recoveryCodes } = factor;
  const client = useQueryClient();
  const [otp, setOtp] = useState('');
  const confirm = useMutation({
    mutationFn: () => api.post('/operators/me/otp/confirm', { body: { otp: otp.trim() } }),
    onSuccess: async () => {
      await refresh(client, '/operators/me');
      showDone(texts.switchedOn);
      onDone();
    },
  });
  return (
    <div className={styles.enrol}>
      <QrCode text={otpauthUrl} label={texts.qrCode} />
      <form
        className={styles.stack}
        onSubmit={(event) => {
          event.preventDefault();
          confirm.mutate();
        }}
      >
        <p>{texts.scan}</p>
        <p className="mono">
          {secret} <CopyButton value={secret} />
        </p>
        <div>
          <p>
            {texts.recoveryCodes} <CopyButton value={recoveryCodes.join('\n')} />
          </p>
          <ul className={styles.codes}>
            {recoveryCodes.map((code) => (
              <li key={code}>{code}</li>
            ))}
          </ul>
        </div>
        <ProblemNotice error={confirm.error} />
        <div className={styles.row}>
          <TextInput
            label={texts.firstCode}
            autoComplete="one-time-code"
            inputMode="numeric"
            value={otp}
            onChange={(event) => setOtp(event.currentTarget.value)}
            required
          />
          <Button type="submit" loading={confirm.isPending}>
            {texts.switchOn}
          </Button>
        </div>
      </form>
    </div>
  );
}

function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 0 });
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg className={styles.qr} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
