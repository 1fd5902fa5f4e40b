import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import type { Column } from '../../ui/list/table.tsx';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { Time } from '../../ui/time.tsx';
import { useUserName } from '../connections/people.ts';
import { type Call, CallDuration, CallLine, CallStatus } from './call-parts.tsx';
import styles from './calls.module.css';

type Named = 'call' | 'status' | 'provider' | 'user' | 'duration' | 'time';

const ALL: readonly Named[] = ['call', 'status', 'provider', 'user', 'duration', 'time'];

/** The columns of a table of calls; `shown` leaves out what all rows have in common. */
export function useCallColumns(shown: readonly Named[] = ALL): Column<Call>[] {
  const { columns: texts } = useTexts().calls;
  const projectId = useProjectId();
  const nameOf = useUserName();
  const columns: Readonly<Record<Named, Column<Call>>> = {
    call: {
      key: 'call',
      header: texts.call,
      render: (call) => (
        <TextLink
          to="/p/$projectId/calls/$requestId"
          params={{ projectId, requestId: call.requestId }}
          className={styles.callLink}
        >
          <CallLine call={call} />
          {call.code && <small>{call.code}</small>}
        </TextLink>
      ),
    },
    status: { key: 'status', header: texts.status, render: (call) => <CallStatus call={call} /> },
    provider: {
      key: 'provider',
      header: texts.provider,
      wide: true,
      render: (call) => <ProviderMark id={call.provider} size={18} />,
    },
    user: {
      key: 'user',
      header: texts.user,
      wide: true,
      render: (call) => (
        <span className={styles.user} title={call.userId ?? ''}>
          {call.userId === null ? '–' : nameOf(call.userId)}
        </span>
      ),
    },
    duration: {
      key: 'duration',
      header: texts.duration,
      align: 'end',
      wide: true,
      render: (call) => <CallDuration call={call} />,
    },
    time: { key: 'time', header: texts.time, render: (call) => <Time at={call.at} /> },
  };
  return shown.map((name) => columns[name]);
}
