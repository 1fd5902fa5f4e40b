import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { formatDuration, formatExact } from '../../../ui/time.tsx';
import { useErrorWords } from '../destinations/destination-parts.tsx';
import styles from '../events.module.css';
import type { Attempt } from './delivery-parts.tsx';
import { diffLines } from './diff-lines.ts';

/** What differs between two attempts; the last two to begin with. */
export function AttemptDiff({ attempts }: { attempts: readonly Attempt[] }) {
  const { deliveries: texts } = useTexts().events;
  const last = attempts.length - 1;
  const [older, setOlder] = useState(Math.max(0, last - 1));
  const [newer, setNewer] = useState(last);
  const linesOf = useAttemptLines();
  const [before, after] = [attempts[older], attempts[newer]];
  const lines = before && after ? diffLines(linesOf(before), linesOf(after)) : [];
  const isSame = lines.every(({ kind }) => kind === 'same');
  const data = attempts.map((_, index) => ({ value: String(index), label: texts.attempt(index + 1) }));
  return (
    <section>
      <h3>{texts.diff}</h3>
      <div className={styles.diffChoice}>
        <NativeSelect
          size="xs"
          aria-label={texts.diffOf}
          data={data}
          value={String(older)}
          onChange={({ currentTarget }) => setOlder(Number(currentTarget.value))}
        />
        {texts.diffWith}
        <NativeSelect
          size="xs"
          aria-label={texts.diffWith}
          data={data}
          value={String(newer)}
          onChange={({ currentTarget }) => setNewer(Number(currentTarget.value))}
        />
      </div>
      {isSame && <p className="soft small">{texts.same}</p>}
      {!isSame && (
        <div className={styles.diff}>
          {lines.map(({ kind, text, key }) => (
            <div key={key} data-kind={kind}>
              {kind === 'same' ? '  ' : kind === 'added' ? '+ ' : '- '}
              {text}
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

function useAttemptLines() {
  const { events } = useTexts();
  const texts = events.deliveries;
  const { language } = useLanguage();
  const words = useErrorWords();
  return ({ at, status, error, code, durationMs, answer }: Attempt): string[] => [
    `${events.when}: ${formatExact(new Date(at), language)}`,
    `${texts.lastAnswer}: ${status ?? code ?? '–'}`,
    `${texts.cause}: ${words(error, null) || '–'}`,
    `${texts.duration}: ${formatDuration(durationMs, language)}`,
    ...(answer ?? texts.noAnswer).split('\n'),
  ];
}
