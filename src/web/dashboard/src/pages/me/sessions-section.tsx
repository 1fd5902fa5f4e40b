import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Session } from '../../api/operators.ts';
import { api, apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { type Column, Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { useAction } from '../../ui/use-action.ts';
import { describeBrowser } from './describe-browser.ts';

/** Where the operator is signed in, each with the means to end it. */
export function SessionsSection() {
  const { me: texts } = useTexts();
  const sessions = useQuery(apiQuery('/sessions', { query: { limit: 50 } }));
  const columns = useColumns();
  return (
    <Section title={texts.sessions} lead={texts.sessionsLead} flush>
      <Loaded query={sessions}>
        {(list) => (
          <Table bare label={texts.sessions} rows={list.sessions} rowKey={({ id }) => id} columns={columns} />
        )}
      </Loaded>
    </Section>
  );
}

function useColumns(): Column<Session>[] {
  const { me: texts, common } = useTexts();
  return [
    {
      key: 'browser',
      header: texts.browser,
      render: ({ userAgent }) => (
        <span title={userAgent ?? ''}>{describeBrowser(userAgent) ?? common.unknown}</span>
      ),
    },
    { key: 'address', header: texts.address, wide: true, render: ({ sourceAddress }) => sourceAddress },
    { key: 'used', header: texts.lastUsed, render: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      key: 'created',
      header: texts.signedIn,
      wide: true,
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
    { key: 'end', header: '', align: 'end', render: (session) => <EndSession session={session} /> },
  ];
}

function EndSession({ session: { id, current } }: { session: Session }) {
  const { me: texts } = useTexts();
  const end = useAction({
    send: () => api.delete('/sessions/{id}', { path: { id } }),
    refresh: ['/sessions'],
  });
  if (current) return <StateBadge tone="good">{texts.thisSession}</StateBadge>;
  return (
    <Button variant="default" size="compact-sm" loading={end.isPending} onClick={() => end.mutate()}>
      {texts.endSession}
    </Button>
  );
}
