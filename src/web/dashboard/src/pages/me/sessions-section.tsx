import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, apiQuery, refresh } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Section } from '../../ui/page.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { Time } from '../../ui/time.tsx';
import { describeBrowser } from './describe-browser.ts';

/** Where the operator is signed in, each with the means to end it. */
export function SessionsSection() {
  const { me: texts, common } = useTexts();
  const client = useQueryClient();
  const sessions = useQuery(apiQuery('/sessions', { query: { limit: 50 } }));
  const end = useMutation({
    mutationFn: (id: string) => api.delete('/sessions/{id}', { path: { id } }),
    onSuccess: () => refresh(client, '/sessions'),
  });
  return (
    <Section title={texts.sessions} lead={texts.sessionsLead} flush>
      <ProblemNotice error={end.error} />
      <Loaded query={sessions}>
        {(list) => (
          <Table
            bare
            label={texts.sessions}
            rows={list.sessions}
            rowKey={({ id }) => id}
            columns={[
              {
                key: 'browser',
                header: texts.browser,
                render: ({ userAgent }) => (
                  <span title={userAgent ?? ''}>{describeBrowser(userAgent) ?? common.unknown}</span>
                ),
              },
              {
                key: 'address',
                header: texts.address,
                wide: true,
                render: ({ sourceAddress }) => sourceAddress,
              },
              { key: 'used', header: texts.lastUsed, render: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
              {
                key: 'created',
                header: texts.signedIn,
                wide: true,
                render: ({ createdAt }) => <Time at={createdAt} />,
              },
              {
                key: 'end',
                header: '',
                align: 'end',
                render: ({ id, current }) =>
                  current ? (
                    <StateBadge tone="good">{texts.thisSession}</StateBadge>
                  ) : (
                    <Button
                      variant="default"
                      size="compact-sm"
                      loading={end.isPending && end.variables === id}
                      onClick={() => end.mutate(id)}
                    >
                      {texts.endSession}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
