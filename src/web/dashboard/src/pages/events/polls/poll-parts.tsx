import type { Schema } from '../../../api/schemas.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';
import { formatDuration } from '../../../ui/time.tsx';

export type Poll = Schema<'Poll'>;
export type PollConnection = Schema<'PollConnection'>;

export const PATHS_OF_POLL = ['/polls', '/polls/{id}', '/polls/{id}/connections', '/activity'] as const;

const TONES: Readonly<Record<Poll['state'], Tone>> = {
  running: 'good',
  failing: 'warning',
  paused: 'neutral',
};

export function PollState({ state }: { state: Poll['state'] }) {
  const { polls: texts } = useTexts().events;
  return (
    <StateBadge tone={TONES[state]} {...(state === 'paused' && { icon: 'pause' as const })}>
      {texts.states[state]}
    </StateBadge>
  );
}

/** How far behind: "3 min". */
export function Lag({ seconds }: { seconds: number | null }) {
  const { language } = useLanguage();
  if (seconds === null) return <span className="soft">–</span>;
  return <>{formatDuration(seconds * 1_000, language)}</>;
}

/** An interval as the create dialog names it, else in units. */
export function useIntervalWords(): (seconds: number) => string {
  const { polls: texts } = useTexts().events;
  const { language } = useLanguage();
  return (seconds) => {
    const known = Object.entries(texts.intervals).find(([value]) => Number(value) === seconds)?.[1];
    return known ?? formatDuration(seconds * 1_000, language);
  };
}
