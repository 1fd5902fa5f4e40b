import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { api, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTitle } from '../../../frame/root.tsx';
import { useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Icon } from '../../../ui/icons.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { TextLink } from '../../../ui/link.tsx';
import { Bars, Loaded } from '../../../ui/loaded.tsx';
import { ManagedByFile } from '../../../ui/managed-by-file.tsx';
import { Facts, PageHead, Section } from '../../../ui/page.tsx';
import { ProviderMark } from '../../../ui/provider-mark.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { Lag, PATHS_OF_POLL, type Poll, PollState, useIntervalWords } from './poll-parts.tsx';

const PollConnections = lazyPart(() => import('./poll-connections.tsx'), 'PollConnections');

/** One poll: what it asks for, and how each connection comes on. */
export function PollPage() {
  const { pollId = '' } = useParams({ strict: false });
  const poll = useQuery({ ...apiQuery('/polls/{id}', { path: { id: pollId } }), refetchInterval: 10_000 });
  return (
    <Loaded query={poll} isPage>
      {(it) => <PollDetail poll={it} />}
    </Loaded>
  );
}

function PollDetail({ poll }: { poll: Poll }) {
  const { events } = useTexts();
  const texts = events.polls;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const name = poll.resource ?? poll.objectType;
  useTitle(name);
  return (
    <>
      <PageHead
        title={name}
        parent={{ label: events.tabs.polls, link: { to: `/p/${projectId}/events/polls` } }}
        state={<PollState state={poll.state} />}
        meta={
          <>
            <TextLink
              to="/p/$projectId/integrations/$integrationId"
              params={{ projectId, integrationId: poll.integrationId }}
            >
              <ProviderMark id={poll.serviceProvider} size={16} />
            </TextLink>
            <IdChip id={poll.id} />
          </>
        }
        actions={canEdit && <PollActions poll={poll} name={name} />}
      />
      <ManagedByFile objectId={poll.id} />
      <Section title={texts.settings}>
        <PollFacts poll={poll} />
      </Section>
      <Suspense fallback={<Bars rows={4} height={28} />}>
        <PollConnections pollId={poll.id} />
      </Suspense>
    </>
  );
}

function PollFacts({ poll }: { poll: Poll }) {
  const { polls: texts } = useTexts().events;
  const interval = useIntervalWords();
  const parameters = Object.entries(poll.parameters);
  return (
    <>
      <Facts
        facts={[
          [texts.interval, interval(poll.intervalSeconds)],
          [texts.lag, <Lag key="lag" seconds={poll.lagSeconds} />],
          [texts.fields, poll.fields.length === 0 ? texts.usualFields : poll.fields.join(', ')],
          [texts.deletesLabel, texts.deletesFact[poll.deletes]],
          ...parameters.map(
            ([name, value]) => [texts.parameter(name), <code key={name}>{value}</code>] as const,
          ),
        ]}
      />
      {poll.custom && (
        <details className="block">
          <summary className="soft small">{texts.definition}</summary>
          <CodeBlock code={JSON.stringify(poll.custom, null, 2)} label={texts.definition} />
        </details>
      )}
    </>
  );
}

function usePollCalls({ id }: Poll, name: string) {
  const { events, common } = useTexts();
  const { polls: texts } = events;
  const navigate = useNavigate();
  const projectId = useProjectId();
  const path = { id };
  const act = useAction({
    send: async (verb: 'run' | 'pause' | 'resume') => {
      if (verb === 'run') await api.post('/polls/{id}/run', { path });
      else if (verb === 'pause') await api.post('/polls/{id}/pause', { path });
      else await api.post('/polls/{id}/resume', { path });
      return verb;
    },
    done: (verb) => ({ run: texts.running, pause: texts.paused, resume: texts.resumed })[verb],
    refresh: PATHS_OF_POLL,
  });
  const remove = useAction({
    question: {
      title: texts.deleteTitle(name),
      consequences: [texts.deleteText, texts.deleteStays, common.cannotBeUndone],
      confirmLabel: texts.deleteAction,
      typedName: name,
    },
    send: () => api.delete('/polls/{id}', { path }),
    done: texts.deleted,
    onDone: () => navigate({ to: '/p/$projectId/events/$section', params: { projectId, section: 'polls' } }),
    refresh: ['/polls', '/activity'],
  });
  return { act, remove };
}

function PollActions({ poll, name }: { poll: Poll; name: string }) {
  const { events, common } = useTexts();
  const { polls: texts } = events;
  const { act, remove } = usePollCalls(poll, name);
  const isPaused = poll.state === 'paused';
  return (
    <>
      {!isPaused && (
        <Button loading={act.isPending} onClick={() => act.mutate('run')}>
          {texts.run}
        </Button>
      )}
      <Button
        variant={isPaused ? 'filled' : 'default'}
        leftSection={<Icon name={isPaused ? 'play' : 'pause'} size={14} />}
        loading={act.isPending}
        onClick={() => act.mutate(isPaused ? 'resume' : 'pause')}
      >
        {isPaused ? texts.resume : texts.pause}
      </Button>
      <Button
        variant="subtle"
        c="var(--bad)"
        leftSection={<Icon name="trash" size={15} />}
        onClick={() => remove.mutate()}
      >
        {common.delete}
      </Button>
    </>
  );
}
