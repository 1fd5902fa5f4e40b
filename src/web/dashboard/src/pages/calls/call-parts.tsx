import type { components } from '../../../../../../clients/node/src/api.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../ui/state-badge.tsx';
import { formatDuration } from '../../ui/time.tsx';
import styles from './calls.module.css';

export type Call = components['schemas']['Call'];
type Judged = Pick<Call, 'status' | 'origin'>;

/** How a call went, for its colour: a provider's refusal of the caller's own request is no fault of anything. */
export function chooseTone({ status, origin }: Judged): Tone {
  if (origin === 'none') return status === 0 ? 'neutral' : 'good';
  return origin === 'gateway' || status >= 500 ? 'bad' : 'warning';
}

/** The status, with a colour and an icon; 0 is a caller that left. */
export function CallStatus({ call }: { call: Judged }) {
  const { calls: texts } = useTexts();
  return <StateBadge tone={chooseTone(call)}>{call.status === 0 ? texts.noAnswer : call.status}</StateBadge>;
}

/** Method and path, on one line. */
export function CallLine({ call }: { call: Pick<Call, 'method' | 'path'> }) {
  return (
    <span className={styles.line} title={`${call.method} ${call.path}`}>
      <b>{call.method}</b> {call.path}
    </span>
  );
}

/** The time of a call, with a bar that splits it into gateway and provider. */
export function CallDuration({ call }: { call: Pick<Call, 'durationMs' | 'gatewayMs' | 'providerMs'> }) {
  const { calls: texts } = useTexts();
  const { language } = useLanguage();
  const format = (ms: number) => formatDuration(ms, language);
  const label = `${texts.call.gatewayTime} ${format(call.gatewayMs)}, ${texts.call.providerTime} ${format(call.providerMs)}`;
  return <span title={label}>{format(call.durationMs)}</span>;
}

/** Bytes in units: "812 B", "4.1 kB". */
export function formatBytes(bytes: number, language: string): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  const power = bytes < 1_000 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const number = (bytes / 1_000 ** power).toLocaleString(language, { maximumFractionDigits: 1 });
  return `${number} ${units[power]}`;
}
