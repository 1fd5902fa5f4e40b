import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';
import { JsonView } from '../../calls/console/json-view.tsx';
import styles from '../events.module.css';

/** What a dry run sent, and the first records. */
export function DryRunView({ result }: { result: Schema<'PollDryRun'> }) {
  const { polls: texts } = useTexts().events;
  const { requests, records, notes } = result;
  return (
    <section className={styles.stack} aria-live="polite">
      <p className="soft">{texts.dryRunLead}</p>
      <ol className={styles.attempts}>
        {requests.map(({ method, url, body, purpose, status, error }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes its order
          <li key={index}>
            <div className={styles.attemptHead}>
              <StateBadge tone={toneOf({ status, error })}>
                {status ?? error ?? texts.dryRunNotSent}
              </StateBadge>
              <span className={styles.requestLine}>
                <b>{method}</b> {url}
              </span>
              <span>{purpose}</span>
            </div>
            {body && <pre>{body}</pre>}
          </li>
        ))}
      </ol>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <h3>{records.length === 0 ? texts.dryRunNone : texts.dryRunRecords(records.length)}</h3>
      {records.slice(0, 5).map(({ id, eventType, data }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a log may have several entries of one record
        <details key={index}>
          <summary>
            <code>{eventType}</code> {id}
          </summary>
          <JsonView value={data} />
        </details>
      ))}
    </section>
  );
}

/** Requests that are only shown have neither. */
function toneOf({ status, error }: { status: number | null; error: string | null }): Tone {
  if (status === null && error === null) return 'neutral';
  return status !== null && status < 400 ? 'good' : 'bad';
}
