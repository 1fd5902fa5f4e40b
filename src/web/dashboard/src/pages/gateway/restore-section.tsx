import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Table } from '../../ui/list/table.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Section } from '../../ui/page.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { useAction } from '../../ui/use-action.ts';

const PROBING_MS = 2_000;

const restoreQuery = apiQuery('/gateway/restore');

/** What became of a restored backup: nothing to see where the gateway never ran on one. */
export function RestoreSection() {
  const { gateway: texts } = useTexts();
  const query = useQuery({
    ...restoreQuery,
    refetchInterval: ({ state }) => (state.data?.state === 'probing' ? PROBING_MS : false),
  });
  if (query.data === undefined) return <QueryProblem queries={[query]} />;
  const { state, probed, died, deaths } = query.data;
  return (
    <>
      {state === 'held' && (
        <Notice tone="bad" title={texts.restoreHeld} foot={<Resume />}>
          {texts.restoreHeldText}
        </Notice>
      )}
      {state === 'probing' && (
        <Notice tone="info" title={texts.restoreProbing}>
          {texts.restoreProbed({ probed, died })}
        </Notice>
      )}
      {deaths.length > 0 && (
        <Section title={texts.restoreDied} lead={texts.restoreDiedLead} flush>
          <Table
            bare
            label={texts.restoreDied}
            rows={deaths}
            rowKey={({ connectionId }) => connectionId}
            columns={[
              { key: 'provider', header: texts.restoreProvider, render: (row) => row.serviceProvider },
              {
                key: 'connection',
                header: texts.restoreConnection,
                render: ({ connectionId }) => <code>{connectionId}</code>,
              },
              {
                key: 'project',
                header: texts.restoreProject,
                render: ({ projectId }) => <code>{projectId}</code>,
              },
            ]}
          />
        </Section>
      )}
    </>
  );
}

function Resume() {
  const { gateway: texts } = useTexts();
  const resume = useAction({
    question: {
      title: texts.resumeConfirm,
      consequences: [texts.resumeProbes, texts.resumeGoesOn],
      confirmLabel: texts.resume,
    },
    send: () => api.post('/gateway/resume', { body: { probe: true } }),
    done: texts.resumed,
    refresh: ['/gateway/restore'],
  });
  return (
    <Button loading={resume.isPending} onClick={() => resume.mutate()}>
      {texts.resume}
    </Button>
  );
}
