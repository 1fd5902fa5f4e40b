import { useQuery } from '@tanstack/react-query';
import { type ReactNode, Suspense } from 'react';
import { apiQuery } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { Table } from '../../../ui/list/table.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Section } from '../../../ui/page.tsx';
import { useOpened } from '../opened.ts';
import { useDeliveryColumns } from './use-delivery-columns.tsx';

const DeliveryDrawer = lazyPart(() => import('./delivery-drawer.tsx'), 'DeliveryDrawer');
const SHOWN = 8;

type RecentDeliveriesProps = {
  readonly title: string;
  readonly query: { readonly projectId: string; readonly destinationId: string };
  readonly actions: ReactNode;
};

/** The newest deliveries of a destination. */
export function RecentDeliveries({ title, query, actions }: RecentDeliveriesProps) {
  const { deliveries: texts } = useTexts().events;
  const drawer = useOpened('delivery');
  const columns = useDeliveryColumns(drawer.open, false);
  const found = useQuery({
    ...apiQuery('/deliveries', { query: { ...query, limit: SHOWN } }),
    refetchInterval: 10_000,
  });
  return (
    <Section title={title} flush={(found.data?.deliveries.length ?? 0) > 0} actions={actions}>
      <Loaded query={found}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="soft">{texts.emptyTitle}</p>
          ) : (
            <Table
              bare
              label={title}
              columns={columns}
              rows={deliveries}
              rowKey={({ id }) => id}
              rowHref={({ id }) => drawer.hrefOf(id)}
            />
          )
        }
      </Loaded>
      <Suspense>
        {drawer.id && <DeliveryDrawer key={drawer.id} id={drawer.id} onClose={drawer.close} />}
      </Suspense>
    </Section>
  );
}
