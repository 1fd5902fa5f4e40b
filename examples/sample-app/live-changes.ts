import type { Response } from 'express';
import type { Event } from '../../clients/node/src/index.ts';

export type LiveChanges = ReturnType<typeof createLiveChanges>;

const KEPT_PER_USER = 20;
const HEARTBEAT_MS = 20_000;

/**
 * Events on their way to the pages of the user whom they belong to, as server-sent events (HTML Standard, section 9.2).
 * A page that comes later, or comes back, gets the latest ones first. In memory: your application has a database.
 */
export function createLiveChanges() {
  const latest = new Map<string, Event[]>();
  const pages = new Map<string, Set<Response>>();

  function send(page: Response, name: 'past' | 'change', event: Event): void {
    page.write(`event: ${name}\nid: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  return {
    /** Shows an event to its user. One that came before is left out: the gateway promises at least once. */
    publish: (event: Event): void => {
      const { userId } = event;
      if (userId === null) return;
      const known = latest.get(userId) ?? [];
      if (known.some(({ id }) => id === event.id)) return;
      latest.set(userId, [...known, event].slice(-KEPT_PER_USER));
      for (const page of pages.get(userId) ?? []) send(page, 'change', event);
    },

    /** Answers the request of a page, for as long as that stays. `lastId`: the last event that it has. */
    open: (res: Response, userId: string, lastId: string | undefined): void => {
      res.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      res.write('retry: 1000\n\n');
      const known = latest.get(userId) ?? [];
      // -1 where the page has none, so that it gets all of them.
      const seen = known.findIndex(({ id }) => id === lastId);
      for (const event of known.slice(seen + 1)) send(res, 'past', event);

      const open = pages.get(userId) ?? new Set();
      pages.set(userId, open.add(res));
      const heartbeat = setInterval(() => res.write(': still here\n\n'), HEARTBEAT_MS);
      res.on('close', () => {
        clearInterval(heartbeat);
        open.delete(res);
      });
    },
  };
}
