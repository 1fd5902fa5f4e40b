import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { IdChip } from '../../ui/id-chip.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';

const SHOWN = 8;

/** The latest changes: who did what to which. */
export function LatestActivity({ projectId }: { projectId: string }) {
  const { home } = useTexts();
  const activity = useQuery(apiQuery('/activity', { query: { projectId, limit: SHOWN } }));
  const all = (
    <LinkButton variant="default" size="compact-sm" to="/p/$projectId/activity" params={{ projectId }}>
      {home.allActivity}
    </LinkButton>
  );
  return (
    <Section title={home.activityTitle} actions={all} flush>
      <Loaded query={activity}>
        {(list) => (
          <Table
            bare
            label={home.activityTitle}
            rows={list.activity}
            rowKey={({ id }) => id}
            columns={[
              { key: 'at', header: home.when, render: ({ createdAt }) => <Time at={createdAt} /> },
              {
                key: 'action',
                header: home.action,
                render: ({ action }) => <span className="mono">{action}</span>,
              },
              {
                key: 'subject',
                header: home.subject,
                render: ({ subjectId, subjectKind }) =>
                  subjectId && <IdChip id={subjectId} href={hrefOf(projectId, subjectKind, subjectId)} />,
              },
              {
                key: 'actor',
                header: home.actor,
                wide: true,
                render: ({ actorKind }) => home.actors[actorKind],
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** The page of what an entry tells of; undefined where there is none. */
function hrefOf(projectId: string, kind: string, id: string): string | undefined {
  if (kind === 'connection') return `/p/${projectId}/connections/${id}`;
  if (kind === 'integration') return `/p/${projectId}/integrations/${id}`;
  return undefined;
}
