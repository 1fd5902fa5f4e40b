import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Call } from './call-parts.tsx';

export type Activity = components['schemas']['Activity'];

export type TailEvent =
  | { readonly kind: 'begin'; readonly endsAt: string }
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'dropped'; readonly calls: number }
  | { readonly kind: 'end'; readonly reason: string }
  | { readonly kind: 'lost' };

/** Follows a project's calls and changes. Gives back the function that ends it. */
export function followTail(projectId: string, onEvent: (event: TailEvent) => void): () => void {
  const source = new EventSource(`/v1/projects/${encodeURIComponent(projectId)}/tail`);
  const on = <T>(name: string, read: (data: T) => TailEvent) =>
    source.addEventListener(name, ({ data }) => onEvent(read(JSON.parse(data))));
  on('begin', ({ endsAt }: { endsAt: string }) => ({ kind: 'begin', endsAt }));
  on('call', (call: Call) => ({ kind: 'call', call }));
  on('activity', (activity: Activity) => ({ kind: 'activity', activity }));
  on('dropped', ({ calls }: { calls: number }) => ({ kind: 'dropped', calls }));
  source.addEventListener('end', ({ data }) => {
    // Left open, the browser would begin the next five minutes by itself.
    source.close();
    onEvent({ kind: 'end', reason: JSON.parse(data).reason });
  });
  source.addEventListener('error', () => {
    source.close();
    onEvent({ kind: 'lost' });
  });
  return () => source.close();
}
