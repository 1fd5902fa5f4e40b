import type { RequestHandler } from 'express';
import { settleWithin } from '../lib/settle-within.ts';

type Line = { readonly own: Promise<unknown>; readonly waiting: number };

/** A second press has a third behind it at most; a client that sends more gets no place for each. */
const WAITING_MAX = 2;
/** A request that takes longer lets the next one begin. */
const WAIT_MS_MAX = 30_000;

/**
 * Lets a request wait for the answer to the one before it at the same address, as of a form that is sent twice. Beyond two that
 * wait none does, and one whose client has left meanwhile is not handled.
 */
export function createTurns(): (handler: RequestHandler) => RequestHandler {
  const lines = new Map<string, Line>();
  return (handler) => async (request, response, next) => {
    const { path } = request;
    const before = lines.get(path);
    if (before !== undefined && before.waiting >= WAITING_MAX) return handler(request, response, next);
    const turn = settleWithin(WAIT_MS_MAX, Promise.allSettled([before?.own]), () => undefined);
    const own = turn.then(() => (response.destroyed ? undefined : handler(request, response, next)));
    lines.set(path, { own, waiting: before === undefined ? 0 : before.waiting + 1 });
    try {
      await own;
    } finally {
      if (lines.get(path)?.own === own) lines.delete(path);
    }
  };
}
