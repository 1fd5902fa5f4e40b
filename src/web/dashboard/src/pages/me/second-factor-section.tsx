import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Operator } from '../../api/contract.ts';
import { api } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import styles from './me.module.css';

const SwitchOffDialog = lazy(() => import('./switch-off-dialog.tsx'));
const Enrolment = lazy(() => import('./enrolment.tsx'));

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
        {!isOn && begin.data && (
          <Suspense>
            <Enrolment factor={begin.data} onDone={begin.reset} />
          </Suspense>
        )}
        {!me.hasPassword && <p className="soft">{texts.needsPassword}</p>}
      </div>
      <Suspense>{isRemoving && <SwitchOffDialog onDone={removing.close} />}</Suspense>
    </Section>
  );
}
