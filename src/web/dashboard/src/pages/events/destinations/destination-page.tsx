import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useTitle } from '../../../frame/root.tsx';
import { useTexts } from '../../../texts/texts.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { LinkButton } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { ManagedByFile } from '../../../ui/managed-by-file.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Facts, PageHead, Section } from '../../../ui/page.tsx';
import { shortUrl } from '../../../ui/short-url.ts';
import { Time } from '../../../ui/time.tsx';
import { OneTimeSecret } from '../../settings/one-time-secret.tsx';
import styles from '../events.module.css';
import {
  type Destination,
  DestinationState,
  QueueWords,
  useErrorWords,
  useNumber,
} from './destination-parts.tsx';
import { listKafkaFacts } from './kafka-facts.tsx';
import { Replays } from './replays.tsx';

const Causes = lazyPart(() => import('../deliveries/causes.tsx'), 'Causes');
const DestinationActions = lazyPart(() => import('./destination-actions.tsx'), 'DestinationActions');
const RecentDeliveries = lazyPart(() => import('../deliveries/recent-deliveries.tsx'), 'RecentDeliveries');

/** One destination: how it does, what waits for it, and what can be done. */
export function DestinationPage() {
  const { destinationId = '' } = useParams({ strict: false });
  const destination = useQuery({
    ...apiQuery('/event-destinations/{id}', { path: { id: destinationId } }),
    refetchInterval: 10_000,
  });
  return (
    <Loaded query={destination} isPage>
      {(it) => <DestinationDetail destination={it} />}
    </Loaded>
  );
}

function DestinationDetail({ destination }: { destination: Destination }) {
  const { events } = useTexts();
  const texts = events.destinations;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const [secret, setSecret] = useState<string>();
  const name = shortUrl(destination.url);
  useTitle(name);
  return (
    <>
      <PageHead
        title={name}
        parent={{ label: events.tabs.destinations, link: { to: `/p/${projectId}/events/destinations` } }}
        state={<DestinationState destination={destination} />}
        meta={<IdChip id={destination.id} />}
        actions={
          <Suspense>
            {canEdit && <DestinationActions destination={destination} onSecret={setSecret} />}
          </Suspense>
        }
      />
      <ManagedByFile objectId={destination.id} />
      {secret && (
        <OneTimeSecret
          title={texts.secretTitle}
          label={texts.secretLabel}
          value={secret}
          onStored={() => setSecret(undefined)}
        >
          {texts.rotateText}
        </OneTimeSecret>
      )}
      <Trouble destination={destination} />
      <Replays destination={destination} />
      <div className="columns">
        <Section title={texts.health}>
          <Health destination={destination} />
        </Section>
        <Section title={texts.facts}>
          <Settings destination={destination} />
        </Section>
      </div>
      <Suspense>
        <Causes destinationId={destination.id} />
      </Suspense>
      <Suspense>
        <RecentDeliveries
          title={texts.recent}
          query={{ projectId, destinationId: destination.id }}
          actions={
            <LinkButton
              variant="default"
              size="compact-sm"
              to="/p/$projectId/events/$section"
              params={{ projectId, section: 'deliveries' }}
              search={{ destinationId: destination.id }}
            >
              {texts.allDeliveries}
            </LinkButton>
          }
        />
      </Suspense>
    </>
  );
}

function Trouble({ destination }: { destination: Destination }) {
  const { destinations: texts } = useTexts().events;
  const words = useErrorWords();
  const { state, disabledReason, lastFailure, pausedUntil } = destination;
  if (state === 'disabled')
    return (
      <Notice tone={disabledReason === 'operator' ? 'info' : 'bad'} title={texts.disabledTitle}>
        {texts.reasons[disabledReason ?? 'operator']}
      </Notice>
    );
  if (state !== 'failing') return null;
  return (
    <Notice
      tone="warning"
      title={texts.failingTitle}
      foot={
        pausedUntil && (
          <span>
            {texts.nextProbe} <Time at={pausedUntil} isPlanned />
          </span>
        )
      }
    >
      {texts.failingText(words(lastFailure, null))}
    </Notice>
  );
}

function Health({ destination }: { destination: Destination }) {
  const { destinations: texts } = useTexts().events;
  const { queue, lastFailure } = destination;
  const words = useErrorWords();
  const number = useNumber();
  return (
    <Facts
      facts={[
        [texts.queue, <QueueWords key="q" queue={queue} />],
        ...(queue.behind > 0 ? [[texts.behind, number(queue.behind)] as const] : []),
        [texts.oldest, queue.oldestAt ? <Time key="o" at={queue.oldestAt} /> : '–'],
        [texts.lastSuccess, <Time key="s" at={destination.lastSuccessAt} />],
        [
          texts.lastFailure,
          <span key="f">
            <Time at={destination.lastFailureAt} />{' '}
            {lastFailure && <span className="soft">{words(lastFailure, null)}</span>}
          </span>,
        ],
      ]}
    />
  );
}

function Settings({ destination }: { destination: Destination }) {
  const { events } = useTexts();
  const texts = events.destinations;
  const projectId = useProjectId();
  const { connectionIds, types, description, kafka } = destination;
  return (
    <Facts
      facts={[
        ...(kafka === null
          ? [[texts.url, <code key="url">{destination.url}</code>] as const]
          : listKafkaFacts(kafka, texts)),
        ...(description ? [[texts.description, description] as const] : []),
        [
          texts.types,
          <span key="types" className={styles.types}>
            {types.map((type) => (
              <code key={type}>{type}</code>
            ))}
          </span>,
        ],
        [
          texts.connections,
          connectionIds === null ? (
            texts.allConnections
          ) : (
            <span key="c" className={styles.types}>
              {connectionIds.map((id) => (
                <IdChip key={id} id={id} href={`/p/${projectId}/connections/${id}`} />
              ))}
            </span>
          ),
        ],
        [texts.order, texts.orderedFact[destination.ordered]],
        [texts.format, texts.formats[destination.format]],
      ]}
    />
  );
}
