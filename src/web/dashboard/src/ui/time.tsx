import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { findRegionalTag } from '../texts/regional-tag.ts';
import { useLanguage, useTexts } from '../texts/texts.tsx';
import { createClock } from './clock.ts';
import { formatRelative } from './relative-time.ts';
import styles from './ui.module.css';

const TICK_MS = 15_000;

/** One clock for every time on the page. */
const clock = createClock(TICK_MS);

/** The exact time in the viewer's zone, with the zone's name. */
export function formatExact(at: Date, language: string): string {
  return at.toLocaleString(findRegionalTag(language), { dateStyle: 'medium', timeStyle: 'long' });
}

type TimeProps = {
  readonly at: string | null | undefined;
  /** Of something to come: once it is due it reads "now", not as if it had happened. */
  readonly isPlanned?: boolean;
};

/** A time relative to now, exact in a tooltip that the keyboard reaches. `null` is "never". */
export function Time({ at, isPlanned = false }: TimeProps) {
  const { language } = useLanguage();
  const { common } = useTexts();
  const now = useSyncExternalStore(clock.subscribe, clock.read);
  if (!at) return <span className="soft">{common.never}</span>;
  const date = new Date(at);
  return (
    <Tooltip label={formatExact(date, language)}>
      <time dateTime={at} tabIndex={0} className={styles.time}>
        {formatRelative(isPlanned && date.getTime() < now ? new Date(now) : date, now, language)}
      </time>
    </Tooltip>
  );
}

/** Whether the time has come, for words that differ then. */
export function useIsDue(at: string): boolean {
  return new Date(at).getTime() <= useSyncExternalStore(clock.subscribe, clock.read);
}

/** "340 ms", "2.4 s", "3 min". */
export function formatDuration(milliseconds: number, language: string): string {
  const number = (value: number, digits: number) =>
    value.toLocaleString(language, { maximumFractionDigits: digits });
  if (milliseconds < 10) return `${number(milliseconds, 1)} ms`;
  if (milliseconds < 1_000) return `${number(milliseconds, 0)} ms`;
  if (milliseconds < 60_000) return `${number(milliseconds / 1_000, 1)} s`;
  if (milliseconds < 3_600_000) return `${number(milliseconds / 60_000, 0)} min`;
  return `${number(milliseconds / 3_600_000, 1)} h`;
}
