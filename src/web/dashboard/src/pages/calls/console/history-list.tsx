import { Button } from '@mantine/core';
import { useTexts } from '../../../texts/texts.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProviderLogo } from '../../../ui/provider-mark.tsx';
import { Time } from '../../../ui/time.tsx';
import { CallLine, CallStatus } from '../call-parts.tsx';
import styles from './console.module.css';
import type { HistoryEntry } from './history.ts';

type Props = {
  readonly entries: readonly HistoryEntry[];
  readonly onPick: (entry: HistoryEntry) => void;
  readonly onClear: () => void;
};

/** What the operator sent from this browser; a press puts it back into the form. */
export function HistoryList({ entries, onPick, onClear }: Props) {
  const { console: texts } = useTexts().calls;
  return (
    <Section
      title={texts.history}
      lead={texts.historyLead}
      flush={entries.length > 0}
      actions={
        entries.length > 0 && (
          <Button variant="subtle" color="gray" size="compact-sm" onClick={onClear}>
            {texts.clearHistory}
          </Button>
        )
      }
    >
      {entries.length === 0 ? (
        <p className="soft">{texts.historyEmpty}</p>
      ) : (
        <ul className={styles.history}>
          {entries.map((entry) => (
            <li key={`${entry.at}${entry.requestId}`}>
              <button type="button" onClick={() => onPick(entry)}>
                <ProviderLogo id={entry.provider} size={18} />
                <CallLine call={entry} />
              </button>
              <CallStatus
                call={{ status: entry.status, origin: entry.status >= 400 ? 'provider' : 'none' }}
              />
              <Time at={entry.at} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
