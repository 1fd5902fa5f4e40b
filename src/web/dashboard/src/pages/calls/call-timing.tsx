import type { ReactNode } from 'react';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Facts } from '../../ui/page.tsx';
import { formatDuration } from '../../ui/time.tsx';
import type { Call } from './call-parts.tsx';
import styles from './calls.module.css';

/** How long a call took, split into the gateway's part and the provider's. */
export function Timing({ call }: { call: Call }) {
  const { call: texts } = useTexts().calls;
  const { language } = useLanguage();
  const format = (ms: number) => formatDuration(ms, language);
  const share = call.durationMs === 0 ? 0 : (call.gatewayMs / call.durationMs) * 100;
  return (
    <>
      <div className={styles.split} aria-hidden="true">
        <span style={{ width: `${Math.max(0.5, share)}%` }} />
        <span style={{ flex: 1 }} />
      </div>
      <Facts
        facts={[
          [
            texts.gatewayTime,
            <Keyed key="g" tone="gateway">
              {format(call.gatewayMs)}
            </Keyed>,
          ],
          [
            texts.providerTime,
            <Keyed key="p" tone="provider">
              {format(call.providerMs)}
            </Keyed>,
          ],
          [texts.total, <strong key="t">{format(call.durationMs)}</strong>],
        ]}
      />
    </>
  );
}

function Keyed({ tone, children }: { tone: 'gateway' | 'provider'; children: ReactNode }) {
  return (
    <>
      <i className={`${styles.key} ${tone === 'gateway' ? styles.keyGateway : styles.keyProvider}`} />
      {children}
    </>
  );
}
