import { Button, TextInput } from '@mantine/core';
import { encode } from 'uqr';
import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Operator } from '../../api/operators.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { CurrentPasswordInput } from '../../ui/current-password-input.tsx';
import { useForm } from '../../ui/form.ts';
import { FormBody } from '../../ui/form-body.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { useSave } from '../../ui/use-save.ts';
import { useShownOnce } from '../../ui/use-shown-once.ts';
import styles from './me.module.css';

type NewSecondFactor = components['schemas']['NewSecondFactor'];

/** Asks for the password, where there is one, and then shows what the app needs. */
export function Enrolment({ me, onDone }: { me: Operator; onDone: () => void }) {
  const { me: texts, 'sign-in': signIn } = useTexts();
  const form = useForm({ initialValues: { password: '' } });
  const begin = useSave({
    send: (values: typeof form.values) =>
      api.post('/operators/me/otp', { body: me.hasPassword ? values : {} }),
    form,
    isSecret: true,
  });
  if (begin.data) return <Confirmation factor={begin.data} onDone={onDone} />;
  return (
    <FormBody
      className={styles.form}
      save={begin}
      onSubmit={form.onSubmit(begin.mutate)}
      submit={texts.continueEnrolment}
      onCancel={onDone}
    >
      {me.hasPassword && (
        <CurrentPasswordInput
          label={texts.currentPassword}
          showPassword={signIn.showPassword}
          autoFocus
          {...form.getInputProps('password')}
        />
      )}
    </FormBody>
  );
}

/** The secret for the app, the recovery codes, and the first code as the proof that it works. */
function Confirmation({ factor, onDone }: { factor: NewSecondFactor; onDone: () => void }) {
  const { me: texts } = useTexts();
  useShownOnce();
  const form = useForm({ initialValues: { otp: '' } });
  const confirm = useSave({
    send: ({ otp }: typeof form.values) =>
      api.post('/operators/me/otp/confirm', { body: { otp: otp.trim() } }),
    form,
    done: texts.switchedOn,
    onClose: onDone,
    refresh: ['/operators/me'],
  });
  return (
    <div className={styles.enrol}>
      <QrCode text={factor.otpauthUrl} label={texts.qrCode} />
      <form className={styles.stack} onSubmit={form.onSubmit(confirm.mutate)}>
        <FactorFacts factor={factor} />
        <ProblemNotice error={confirm.problem} />
        <div className={styles.row}>
          <TextInput
            label={texts.firstCode}
            autoComplete="one-time-code"
            inputMode="numeric"
            required
            {...form.getInputProps('otp')}
          />
          <Button type="submit" loading={confirm.isPending}>
            {texts.switchOn}
          </Button>
        </div>
      </form>
    </div>
  );
}

function FactorFacts({ factor: { secret, recoveryCodes } }: { factor: NewSecondFactor }) {
  const { me: texts } = useTexts();
  return (
    <>
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
    </>
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
