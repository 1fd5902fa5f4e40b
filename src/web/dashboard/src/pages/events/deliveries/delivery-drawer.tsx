import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { TextLink } from '../../../ui/link.tsx';
import { Facts } from '../../../ui/page.tsx';
import { DetailDrawer } from '../../../ui/side-drawer.tsx';
import { StateBadge } from '../../../ui/state-badge.tsx';
import { formatDuration, formatExact } from '../../../ui/time.tsx';
import { AgainButton } from '../again-button.tsx';
import { DestinationName, PATHS_OF_DESTINATION, useErrorWords } from '../destinations/destination-parts.tsx';
import styles from '../events.module.css';
import { AttemptDiff } from './attempt-diff.tsx';
import { type Attempt, type DeliveryDetail, DeliveryState } from './delivery-parts.tsx';
import { NextAttempt, useGates } from './next-attempt.tsx';

/** One delivery: every attempt with its answer, what changed between them, and a retry. */
export function DeliveryDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const found = useQuery({
    ...apiQuery('/deliveries/{id}', { path: { id } }),
    refetchInterval: ({ state }) => (state.data?.state === 'pending' ? 2_000 : false),
  });
  return (
    <DetailDrawer query={found} title={found.data?.eventType ?? id} onClose={onClose}>
      {(delivery) => <DeliveryFacts delivery={delivery} />}
    </DetailDrawer>
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryDetail }) {
  const { events } = useTexts();
  const texts = events.deliveries;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const gateOf = useGates();
  const { destinationId, eventId, connectionId, nextAttemptAt, attempts } = delivery;
  return (
    <div className={styles.drawer}>
      <div className="row">
        <DeliveryState state={delivery.state} />
        {nextAttemptAt && (
          <span className="soft small">
            {texts.next} <NextAttempt at={nextAttemptAt} gate={gateOf(destinationId)} />
          </span>
        )}
        {canEdit && (
          <AgainButton
            label={texts.retry}
            done={texts.retried}
            act={() => api.post('/deliveries/{id}/retry', { path: { id: delivery.id } })}
            paths={['/deliveries/{id}', ...PATHS_OF_DESTINATION]}
          />
        )}
      </div>
      <Facts
        facts={[
          [
            texts.destination,
            <TextLink
              key="d"
              to="/p/$projectId/events/destinations/$destinationId"
              params={{ projectId, destinationId }}
            >
              <DestinationName id={destinationId} />
            </TextLink>,
          ],
          [texts.event, <IdChip key="e" id={eventId} href={`/p/${projectId}/events?event=${eventId}`} />],
          ...(connectionId
            ? [
                [
                  events.connection,
                  <IdChip key="c" id={connectionId} href={`/p/${projectId}/connections/${connectionId}`} />,
                ] as const,
              ]
            : []),
        ]}
      />
      <section>
        <h3>{texts.attempts}</h3>
        {attempts.length === 0 ? (
          <p className="soft">{texts.noAttempts}</p>
        ) : (
          <Attempts attempts={attempts} />
        )}
      </section>
      {attempts.length > 1 && <AttemptDiff attempts={attempts} />}
    </div>
  );
}

/** The newest first. */
function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  const { deliveries: texts } = useTexts().events;
  const { language } = useLanguage();
  const words = useErrorWords();
  const numbered = attempts.map((attempt, index) => ({ attempt, number: index + 1 })).reverse();
  return (
    <ol className={styles.attempts} reversed>
      {numbered.map(({ attempt, number }) => (
        <li key={number}>
          <div className={styles.attemptHead}>
            <StateBadge tone={attempt.error === null ? 'good' : 'bad'}>
              {attempt.status ?? attempt.code ?? texts.attempt(number)}
            </StateBadge>
            <span>{words(attempt.error, null) || texts.states.delivered}</span>
            <span>
              {formatExact(new Date(attempt.at), language)} · {formatDuration(attempt.durationMs, language)}
            </span>
          </div>
          {attempt.answer && <pre>{attempt.answer}</pre>}
        </li>
      ))}
    </ol>
  );
}
