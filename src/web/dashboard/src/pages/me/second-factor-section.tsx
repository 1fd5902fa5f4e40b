import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense } from 'react';
import type { Operator } from '../../api/operators.ts';
import { useTexts } from '../../texts/texts.tsx';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import styles from './me.module.css';

const SwitchOffDialog = lazyPart(() => import('./switch-off-dialog.tsx'), 'SwitchOffDialog');
const Enrolment = lazyPart(() => import('./enrolment.tsx'), 'Enrolment');

/** TOTP: switched on with the password and an authenticator app, off with password and code. */
export function SecondFactorSection({ me }: { me: Operator }) {
  const { me: texts } = useTexts();
  const [isRemoving, removing] = useDisclosure();
  const [isEnrolling, enrolling] = useDisclosure();
  const isOn = me.otpEnabled;
  return (
    <Section
      title={texts.secondFactor}
      lead={texts.secondFactorLead}
      actions={<StateBadge tone={isOn ? 'good' : 'neutral'}>{isOn ? texts.on : texts.off}</StateBadge>}
    >
      <div className={styles.stack}>
        {isOn && (
          <Button variant="default" onClick={removing.open}>
            {texts.switchOff}
          </Button>
        )}
        {!isOn && !isEnrolling && <Button onClick={enrolling.open}>{texts.switchOn}</Button>}
        {!isOn && isEnrolling && (
          <Suspense>
            <Enrolment me={me} onDone={enrolling.close} />
          </Suspense>
        )}
        {!me.hasPassword && <p className="soft">{texts.withoutPassword}</p>}
      </div>
      <Suspense>{isRemoving && <SwitchOffDialog me={me} onDone={removing.close} />}</Suspense>
    </Section>
  );
}
