import { apiList } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import type { Column } from '../../../ui/list/table.tsx';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';
import { Time } from '../../../ui/time.tsx';
import { useUserName } from '../../connections/people.ts';
import { useNumber } from '../destinations/destination-parts.tsx';
import styles from '../events.module.css';
import { Lag, type PollConnection } from './poll-parts.tsx';

/** How each connection of a poll comes on. */
export function PollConnections({ pollId }: { pollId: string }) {
  const { events } = useTexts();
  const texts = events.polls;
  const columns = useColumns(useProjectId());
  return (
    <ResourceList<PollConnection>
      label={texts.connections}
      filters={[{ name: 'connectionId', label: events.connection, kind: 'text', canType: true }]}
      query={(query) => apiList('/polls/{id}/connections', { path: { id: pollId }, query })}
      rowKey={({ connectionId }) => connectionId}
      columns={columns}
      empty={<p className="soft">{texts.noConnections}</p>}
    />
  );
}

const TONES: Readonly<Record<PollConnection['state'], Tone>> = {
  running: 'info',
  waiting: 'good',
  failing: 'bad',
  paused: 'neutral',
};

function useColumns(projectId: string): Column<PollConnection>[] {
  const { events } = useTexts();
  const texts = events.polls;
  const number = useNumber();
  const nameOf = useUserName();
  return [
    {
      key: 'connection',
      header: events.connection,
      render: ({ connectionId, accountName, owner }) => (
        <span className={styles.what}>
          <TextLink to="/p/$projectId/connections/$connectionId" params={{ projectId, connectionId }}>
            {accountName ?? nameOf(owner.id)}
          </TextLink>
          {accountName && <small>{nameOf(owner.id)}</small>}
        </span>
      ),
    },
    {
      key: 'state',
      header: events.state,
      render: ({ state, phase, recordsInPass, lastError }) => (
        <span className={styles.what}>
          <span>
            <StateBadge tone={TONES[state]}>{texts.connectionStates[state]}</StateBadge>
          </span>
          {phase && (
            <small>{texts.progress({ phase: texts.phases[phase], records: number(recordsInPass) })}</small>
          )}
          {lastError && (
            <small title={lastError.detail ?? lastError.code}>
              {lastError.detail ?? lastError.code}, {texts.failures(lastError.failures)}
            </small>
          )}
        </span>
      ),
    },
    { key: 'cursor', header: texts.cursor, wide: true, render: ({ cursor }) => <Cursor value={cursor} /> },
    {
      key: 'records',
      header: texts.records,
      align: 'end',
      wide: true,
      render: (row) => number(row.recordsSeen),
    },
    { key: 'lag', header: texts.lag, align: 'end', render: ({ lagSeconds }) => <Lag seconds={lagSeconds} /> },
    {
      key: 'next',
      header: texts.nextRun,
      wide: true,
      render: ({ nextRunAt }) => (nextRunAt ? <Time at={nextRunAt} isPlanned /> : '–'),
    },
  ];
}

/** A time where it is one. */
function Cursor({ value }: { value: string | null }) {
  if (value === null) return <span className="soft">–</span>;
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return <Time at={value} />;
  return <code title={value}>…{value.slice(-10)}</code>;
}
