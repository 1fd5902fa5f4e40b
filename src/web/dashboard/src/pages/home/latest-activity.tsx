import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { ActorName } from '../activity/actor.tsx';
import { nameOfAction } from '../activity/describe-entry.ts';
import { SubjectLink } from '../activity/subject.tsx';

const SHOWN = 8;
/** More, since what a connection begins with is left out: the connection itself says it. */
const ASKED = 20;
const LEFT_OUT: ReadonlySet<string> = new Set(['connect_session.created']);

/** The latest changes: who did what to which. */
export function LatestActivity({ projectId }: { projectId: string }) {
  const texts = useTexts();
  const { home } = texts;
  const activity = useQuery(apiQuery('/activity', { query: { projectId, limit: ASKED } }));
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
            rows={list.activity.filter(({ action }) => !LEFT_OUT.has(action)).slice(0, SHOWN)}
            rowKey={({ id }) => id}
            columns={[
              { key: 'at', header: home.when, render: ({ createdAt }) => <Time at={createdAt} /> },
              {
                key: 'action',
                header: home.action,
                render: ({ action }) => nameOfAction(texts, action),
              },
              {
                key: 'subject',
                header: home.subject,
                wide: true,
                render: (entry) => <SubjectLink entry={entry} />,
              },
              {
                key: 'actor',
                header: home.actor,
                wide: true,
                render: (entry) => <ActorName entry={entry} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
