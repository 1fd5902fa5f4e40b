import type { ProviderSummary } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../ui/state-badge.tsx';
import styles from './integrations.module.css';

const TONES: Readonly<Record<ProviderSummary['status'], Tone>> = {
  unknown: 'neutral',
  available: 'good',
  'partner-only': 'info',
  'sign-in-only': 'info',
  limited: 'warning',
  ended: 'bad',
};

type ProviderStandingProps = {
  readonly provider: Pick<ProviderSummary, 'status' | 'statusDate' | 'statusNote' | 'evidence'>;
};

/** Nothing is known of a provider that the project describes itself, and nothing has to be. */
export function hasStanding({ status, evidence }: Pick<ProviderSummary, 'status' | 'evidence'>): boolean {
  return status !== 'available' && !(status === 'unknown' && evidence === null);
}

/** Whether any application can use the provider, and how far the catalog's facts are confirmed. */
export function ProviderStanding({ provider }: ProviderStandingProps) {
  const { integrations: texts } = useTexts();
  const { status, statusDate, statusNote, evidence } = provider;
  const isNotable = hasStanding(provider);
  if (!isNotable && evidence === null) return null;
  return (
    <div className={`small ${styles.evidence}`}>
      {isNotable && (
        <p>
          <StateBadge tone={TONES[status]}>
            {texts.status[status]}
            {statusDate !== null && ` (${statusDate})`}
          </StateBadge>
        </p>
      )}
      {statusNote !== null && <p lang="en">{statusNote}</p>}
      {evidence === 'transcribed' && (
        <p>
          <StateBadge tone="warning">{texts.evidence.transcribed}</StateBadge> {texts.transcribedHint}
        </p>
      )}
      {evidence !== null && evidence !== 'transcribed' && <p className="soft">{texts.evidence[evidence]}</p>}
    </div>
  );
}
