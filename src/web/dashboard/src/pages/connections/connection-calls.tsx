import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useProjectId } from '../../app/project.ts';
import { useTexts } from '../../texts/texts.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { useCallColumns } from '../calls/call-columns.tsx';

const SHOWN = 8;

/** The connection's latest calls that are kept. */
export function ConnectionCalls({ connectionId }: { connectionId: string }) {
  const { connections: texts } = useTexts();
  const projectId = useProjectId();
  const columns = useCallColumns(['call', 'status', 'duration', 'time']);
  const found = useQuery(
    apiQuery('/projects/{projectId}/calls', { path: { projectId }, query: { connectionId, limit: SHOWN } }),
  );
  return (
    <Section
      title={texts.recentCalls}
      lead={texts.recentCallsLead}
      flush={(found.data?.calls.length ?? 0) > 0}
      actions={
        <TextLink to="/p/$projectId/calls" params={{ projectId }} search={{ connectionId }}>
          {texts.allCalls}
        </TextLink>
      }
    >
      <Loaded query={found}>
        {({ calls }) =>
          calls.length === 0 ? (
            <p className="soft">{texts.recentCallsEmpty}</p>
          ) : (
            <Table
              bare
              label={texts.recentCalls}
              columns={columns}
              rows={calls}
              rowKey={({ requestId }) => requestId}
              rowHref={({ requestId }) => `/p/${projectId}/calls/${requestId}`}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
