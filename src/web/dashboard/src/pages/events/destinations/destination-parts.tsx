import { useQuery } from '@tanstack/react-query';
import { apiQuery } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';
import { useProjectId } from '../../../app/project.ts';
import type { Texts } from '../../../texts/area-texts.ts';
import { useLanguage, useTexts } from '../../../texts/texts.tsx';
import { shortUrl } from '../../../ui/short-url.ts';
import { StateBadge, type Tone } from '../../../ui/state-badge.tsx';

export type Destination = Schema<'EventDestination'>;
export type NewDestination = Schema<'NewEventDestination'>;

/** What changes with a destination. */
export const PATHS_OF_DESTINATION = [
  '/event-destinations',
  '/event-destinations/{id}',
  '/event-destinations/{id}/replays',
  '/deliveries',
  '/deliveries/causes',
  '/activity',
] as const;

type ShownState = Destination['state'] | 'untried' | 'failed';

const TONES: Readonly<Record<ShownState, Tone>> = {
  healthy: 'good',
  untried: 'neutral',
  failed: 'warning',
  failing: 'warning',
  disabled: 'bad',
};

type Known = Pick<Destination, 'state' | 'lastSuccessAt' | 'lastFailureAt'>;

/** Healthy is only what has taken something, at the last attempt. */
function findShownState({ state, lastSuccessAt, lastFailureAt }: Known): ShownState {
  if (state !== 'healthy') return state;
  if (lastSuccessAt === null && lastFailureAt === null) return 'untried';
  return (lastFailureAt ?? '') > (lastSuccessAt ?? '') ? 'failed' : 'healthy';
}

export function DestinationState({ destination }: { destination: Known }) {
  const { destinations: texts } = useTexts().events;
  const state = findShownState(destination);
  return (
    <StateBadge tone={TONES[state]} {...(state === 'disabled' && { icon: 'pause' as const })}>
      {texts.states[state]}
    </StateBadge>
  );
}

export function useDestinations(options: { readonly refetchInterval?: number } = {}) {
  const projectId = useProjectId();
  const query = apiQuery('/event-destinations', { query: { projectId } });
  return useQuery({ ...query, staleTime: 5_000, ...options });
}

/** A destination by its address, or the end of its id until that is known. */
export function DestinationName({ id }: { id: string }) {
  const found = useDestinations().data?.eventDestinations.find((one) => one.id === id);
  return <>{found ? shortUrl(found.url) : `…${id.slice(-6)}`}</>;
}

export type AttemptError = keyof Texts['events']['deliveries']['errors'];

/** Why an attempt failed, in words; with the status where there was an answer. */
export function useErrorWords() {
  const { deliveries: texts } = useTexts().events;
  return (error: AttemptError | null, status: number | null): string => {
    const words = error === null ? '' : texts.errors[error];
    return status === null
      ? words
      : `${texts.answered(status)} ${error === 'refused_by_receiver' ? '' : words}`.trim();
  };
}

/** Numbers as the operator's language writes them. */
export function useNumber(): (value: number) => string {
  const { language } = useLanguage();
  return (value) => value.toLocaleString(language);
}

/** The deliveries that wait. Of the events that are not looked at yet, the destination may want none. */
export function QueueWords({ queue: { waiting } }: { queue: Destination['queue'] }) {
  const { destinations: texts } = useTexts().events;
  const number = useNumber();
  return waiting === 0 ? (
    <span className="soft">{texts.queueEmpty}</span>
  ) : (
    <span>{texts.queued(number(waiting))}</span>
  );
}
