import { Suspense } from 'react';
import { apiList } from '../../../api/queries.ts';
import { useProjectId } from '../../../app/project.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { LinkButton } from '../../../ui/link.tsx';
import { ResourceList } from '../../../ui/list/resource-list.tsx';
import { shortUrl } from '../../../ui/short-url.ts';
import { useDestinations } from '../destinations/destination-parts.tsx';
import { SectionLead } from '../lead.tsx';
import { useOpened } from '../opened.ts';
import { Causes } from './causes.tsx';
import type { Delivery } from './delivery-parts.tsx';
import { useDeliveryColumns } from './use-delivery-columns.tsx';

const DeliveryDrawer = lazyPart(() => import('./delivery-drawer.tsx'), 'DeliveryDrawer');

/** Every event on its way to a destination, and what failed by its cause. */
export function DeliveriesSection() {
  const { events } = useTexts();
  const texts = events.deliveries;
  const projectId = useProjectId();
  const drawer = useOpened('delivery');
  const destinations = useDestinations().data?.eventDestinations ?? [];
  const columns = useDeliveryColumns(drawer.open);
  return (
    <>
      <SectionLead>{texts.lead}</SectionLead>
      <Causes />
      <ResourceList<Delivery>
        label={events.tabs.deliveries}
        filters={[
          {
            name: 'destinationId',
            label: texts.destination,
            kind: 'choice',
            options: destinations.map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
          },
          {
            name: 'state',
            label: events.state,
            kind: 'choice',
            options: Object.entries(texts.states).map(([value, label]) => ({ value, label })),
          },
          { name: 'eventId', label: texts.event, kind: 'text', canType: true },
        ]}
        query={(filters) => apiList('/deliveries', { query: { projectId, ...filters } })}
        rowKey={({ id }) => id}
        rowHref={({ id }) => drawer.hrefOf(id)}
        columns={columns}
        empty={
          <EmptyState
            icon="send"
            title={texts.emptyTitle}
            text={texts.emptyText}
            action={
              <LinkButton
                variant="default"
                to="/p/$projectId/events/$section"
                params={{ projectId, section: 'destinations' }}
              >
                {events.tabs.destinations}
              </LinkButton>
            }
          />
        }
      />
      <Suspense>
        {drawer.id && <DeliveryDrawer key={drawer.id} id={drawer.id} onClose={drawer.close} />}
      </Suspense>
    </>
  );
}
