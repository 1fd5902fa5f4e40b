import { useTexts } from '../../../texts/texts.tsx';
import { Time } from '../../../ui/time.tsx';
import { type Destination, useDestinations } from '../destinations/destination-parts.tsx';

/** What decides over a delivery before its own time does. */
type Gate = Pick<Destination, 'state' | 'pausedUntil'>;

/** The destination of a delivery, as it is now; undefined until it is known. To be called once for a whole list. */
export function useGates(): (destinationId: string) => Gate | undefined {
  const found = useDestinations({ refetchInterval: 10_000 }).data?.eventDestinations;
  return (destinationId) => found?.find(({ id }) => id === destinationId);
}

/** Whether a delivery waits until its destination is enabled, has taken an attempt, or for a time alone. */
function findNext(at: string, { state, pausedUntil }: Gate): 'enabled' | 'attempted' | string {
  if (state === 'disabled') return 'enabled';
  if (pausedUntil === null || pausedUntil <= at) return at;
  return state === 'failing' ? 'attempted' : pausedUntil;
}

type NextAttemptProps = { readonly at: string | null; readonly gate: Gate | undefined };

/** When a delivery is attempted next: its destination may be disabled, or waits itself after failures. */
export function NextAttempt({ at, gate }: NextAttemptProps) {
  const { nextWhen } = useTexts().events.deliveries;
  if (at === null) return <>–</>;
  const next = gate === undefined ? at : findNext(at, gate);
  if (next === 'enabled' || next === 'attempted') return <>{nextWhen[next]}</>;
  return <Time at={next} isPlanned />;
}
