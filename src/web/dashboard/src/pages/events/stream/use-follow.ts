import { type InfiniteData, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { request } from '../../../api/client.ts';
import type { Page } from '../../../api/queries.ts';
import type { Schema } from '../../../api/schemas.ts';

export type Event = Schema<'Event'>;

const WAIT_SECONDS = 25;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** More would make the page slow; older ones are a reload away. */
const SHOWN_MAX = 500;

type Pages = InfiniteData<Page<Event>>;

/**
 * Puts events that come from now on at the top of the list, by long polls of the feed, until it is paused or the page is
 * left. `queryKey` is that of the list, `query` its filters.
 */
export function useFollow(queryKey: readonly unknown[], query: Readonly<Record<string, string>>) {
  const client = useQueryClient();
  const [isOn, setOn] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const [key, filters] = [JSON.stringify(queryKey), JSON.stringify(query)];
  useEffect(() => {
    if (!isOn) return;
    const end = new AbortController();
    setError(null);
    follow(client, JSON.parse(key), JSON.parse(filters), end.signal).catch((cause: unknown) => {
      if (end.signal.aborted) return;
      setError(cause);
      setOn(false);
    });
    return () => end.abort();
  }, [client, isOn, key, filters]);
  return { isOn, error, toggle: useCallback(() => setOn((before) => !before), []) };
}

async function follow(
  client: QueryClient,
  queryKey: readonly unknown[],
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  // Whatever came while it was paused is fetched first.
  await client.refetchQueries({ queryKey, exact: true });
  let after = client.getQueryData<Pages>(queryKey)?.pages[0]?.items[0]?.id ?? BEFORE_ALL;
  while (!signal.aborted) {
    const reply = await request<Schema<'EventList'>>('GET', '/events', {
      query: { ...query, after, wait: WAIT_SECONDS },
      signal,
    });
    after = reply.nextAfter;
    if (reply.events.length > 0)
      client.setQueryData<Pages>(queryKey, (pages) => prepend(pages, reply.events));
  }
}

function prepend(data: Pages | undefined, events: readonly Event[]): Pages | undefined {
  const [first, ...rest] = data?.pages ?? [];
  if (data === undefined || first === undefined) return data;
  const known = new Set(first.items.map(({ id }) => id));
  const added = events.filter(({ id }) => !known.has(id)).reverse();
  return { ...data, pages: [{ ...first, items: [...added, ...first.items].slice(0, SHOWN_MAX) }, ...rest] };
}
