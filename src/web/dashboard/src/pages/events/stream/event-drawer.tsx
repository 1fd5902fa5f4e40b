import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, apiQuery } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useCanEdit } from '../../../app/session.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { IdChip } from '../../../ui/id-chip.tsx';
import { HrefLink } from '../../../ui/link.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Facts } from '../../../ui/page.tsx';
import { DetailDrawer } from '../../../ui/side-drawer.tsx';
import { formatExact } from '../../../ui/time.tsx';
import { useAction } from '../../../ui/use-action.ts';
import { JsonView } from '../../calls/console/json-view.tsx';
import { useUserName } from '../../connections/people.ts';
import { DeliveryState } from '../deliveries/delivery-parts.tsx';
import { DestinationName } from '../destinations/destination-parts.tsx';
import styles from '../events.module.css';
import type { Event } from './use-follow.ts';

/** One event: its envelope in words, the payload as a tree, and where it was delivered. */
export function EventDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const event = useQuery(apiQuery('/events/{id}', { path: { id } }));
  return (
    <DetailDrawer query={event} title={event.data?.type ?? id} onClose={onClose}>
      {(it) => <EventFacts event={it} />}
    </DetailDrawer>
  );
}

function EventFacts({ event }: { event: Event }) {
  const { events } = useTexts();
  const texts = events.stream;
  const { language } = useLanguage();
  const base = `/p/${useProjectId()}`;
  const nameOf = useUserName();
  const { object, connectionId, integrationId } = event;
  return (
    <div className={styles.drawer}>
      <Facts
        facts={[
          [events.id, <IdChip key="id" id={event.id} />],
          [events.when, formatExact(new Date(event.createdAt), language)],
          [texts.source, texts.sources[event.source]],
          ...(object
            ? [[texts.object, `${object.type} ${object.id}, ${texts.changes[object.change]}`] as const]
            : []),
          ...(connectionId
            ? [
                [
                  events.connection,
                  <IdChip key="c" id={connectionId} href={`${base}/connections/${connectionId}`} />,
                ] as const,
              ]
            : []),
          ...(event.userId ? [[events.user, nameOf(event.userId)] as const] : []),
          ...(integrationId
            ? [
                [
                  events.integration,
                  <IdChip key="i" id={integrationId} href={`${base}/integrations/${integrationId}`} />,
                ] as const,
              ]
            : []),
        ]}
      />
      <section>
        <div className={styles.payloadHead}>
          <h3>{texts.payload}</h3>
          <CopyButton value={JSON.stringify(event.data, null, 2)} />
        </div>
        <JsonView value={event.data} />
      </section>
      <DeliveredTo eventId={event.id} />
      <details>
        <summary className="soft small">{texts.envelope}</summary>
        <CodeBlock code={JSON.stringify(event, null, 2)} label={texts.envelope} />
      </details>
    </div>
  );
}

function DeliveredTo({ eventId }: { eventId: string }) {
  const { stream: texts } = useTexts().events;
  const projectId = useProjectId();
  const canEdit = useCanEdit(projectId);
  const found = useQuery(apiQuery('/deliveries', { query: { projectId, eventId } }));
  return (
    <section>
      <div className={styles.payloadHead}>
        <h3>{texts.deliveredTo}</h3>
        {canEdit && <SendAgain eventId={eventId} />}
      </div>
      <Loaded query={found}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="soft">{texts.notDelivered}</p>
          ) : (
            <ul className={`bare-list ${styles.deliveryLines}`}>
              {deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <HrefLink href={`/p/${projectId}/events/deliveries?delivery=${delivery.id}`}>
                    <DestinationName id={delivery.destinationId} />
                  </HrefLink>
                  <DeliveryState state={delivery.state} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
}

/** To every destination that wants the event, also to those that were made after it. */
function SendAgain({ eventId }: { eventId: string }) {
  const { stream: texts } = useTexts().events;
  const redeliver = useAction({
    send: () => api.post('/events/{id}/redeliver', { path: { id: eventId }, body: {} }),
    done: ({ deliveries }) =>
      deliveries.length === 0 ? texts.notDelivered : texts.sentAgain(deliveries.length),
    refresh: ['/deliveries'],
  });
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={redeliver.isPending}
      onClick={() => redeliver.mutate()}
    >
      {texts.sendAgain}
    </Button>
  );
}
