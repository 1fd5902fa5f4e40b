import { useTexts } from '../../../texts/texts.tsx';
import type { Column } from '../../../ui/list/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { DestinationName, useErrorWords } from '../destinations/destination-parts.tsx';
import { OpenButton } from '../parts.tsx';
import { type Delivery, DeliveryState } from './delivery-parts.tsx';
import { NextAttempt, useGates } from './next-attempt.tsx';

/** The columns of lists of deliveries. */
export function useDeliveryColumns(onOpen: (id: string) => void, hasDestination = true): Column<Delivery>[] {
  const { events } = useTexts();
  const texts = events.deliveries;
  const words = useErrorWords();
  const gateOf = useGates();
  const columns: Column<Delivery>[] = [
    {
      key: 'event',
      header: texts.event,
      render: (row) => (
        <OpenButton
          onOpen={() => onOpen(row.id)}
          below={hasDestination && <DestinationName id={row.destinationId} />}
        >
          {row.eventType}
        </OpenButton>
      ),
    },
    { key: 'state', header: events.state, render: ({ state }) => <DeliveryState state={state} /> },
    {
      key: 'answer',
      header: texts.lastAnswer,
      wide: true,
      render: ({ lastError, lastStatus }) => words(lastError, lastStatus) || '–',
    },
    { key: 'attempts', header: texts.attempts, align: 'end', wide: true, render: (row) => row.attemptsMade },
    {
      key: 'next',
      header: texts.next,
      wide: true,
      render: ({ nextAttemptAt, destinationId }) => (
        <NextAttempt at={nextAttemptAt} gate={gateOf(destinationId)} />
      ),
    },
    { key: 'when', header: events.when, wide: true, render: ({ createdAt }) => <Time at={createdAt} /> },
  ];
  return columns;
}
