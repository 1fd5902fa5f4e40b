import type { Schema } from '../../../api/schemas.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
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
              <StateBadge tone={status !== null && status < 400 ? 'good' : 'bad'}>
                {status ?? error ?? '–'}
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
      {records.slice(0, 5).map(({ id, eventType, data }) => (
        <details key={id}>
          <summary>
            <code>{eventType}</code> {id}
          </summary>
          <JsonView value={data} />
        </details>
      ))}
    </section>
  );
}
