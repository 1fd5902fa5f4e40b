import type { ServerResponse } from 'node:http';
import { z } from 'zod';
import { HttpError } from '../http/errors.ts';
import { createPlaces } from '../lib/places.ts';
import { notifyProcesses } from '../platform/postgres/change-notices.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Parties } from '../platform/postgres/parties.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import { createTailActivity } from './tail-activity.ts';
import { CALLS_NOTICE, createTailPublisher, WATCH_NOTICE } from './tail-publisher.ts';

const LIFETIME_MS = 5 * 60_000;
const TICK_MS = 1_000;
/** Every so many ticks the other processes are notified that the project is still watched, and access is checked again. */
const RENEW_TICKS = 5;
const WATCH_MS = 15_000;
const PER_PROJECT_MAX = 5;
/** Of which one party gets half at most, however many projects it has. */
const PER_PROCESS_MAX = 50;
/** A reader that lets so much lie is cut off. */
const UNREAD_BYTES_MAX = 256 * 1024;

type Tail = {
  readonly projectId: string;
  readonly response: ServerResponse;
  readonly endsAtMs: number;
  readonly isAllowed: () => Promise<boolean>;
  readonly end: () => void;
};

const CALLS = z.object({ calls: z.array(z.unknown()), dropped: z.number() });

export type Tails = ReturnType<typeof createTails>;

/** The live tails that callers of this process have open. */
export function createTails(deps: { db: Db; parties: Parties; now(): number; isDraining(): boolean }) {
  const { db, parties, now, isDraining } = deps;
  const places = createPlaces(PER_PROCESS_MAX);
  const publisher = createTailPublisher(deps);
  const tails = new Set<Tail>();
  const activity = createTailActivity(deps);
  let interval: NodeJS.Timeout | undefined;
  let ticks = 0;
  let isTicking = false;

  const projects = () => new Set([...tails].map(({ projectId }) => projectId));

  function send(projectId: string, event: string, data: unknown): void {
    for (const tail of tails) if (tail.projectId === projectId) write(tail, event, data);
  }

  async function showActivity(projectId: string): Promise<void> {
    for (const entry of await activity.takeNew(projectId)) send(projectId, 'activity', entry);
  }

  async function renew(): Promise<void> {
    await announceWatches(projects());
    for (const tail of [...tails]) {
      tail.response.write(': still here\n\n');
      // Where the store cannot say it of one caller, the tail is looked at again later, and the other tails now.
      const isAllowed = await tail.isAllowed().catch(() => undefined);
      if (isAllowed === false) finish(tail, 'access_ended');
    }
  }

  async function announceWatches(projectIds: Iterable<string>): Promise<void> {
    const untilMs = now() + WATCH_MS;
    const payloads = [...projectIds].map((id) => `${WATCH_NOTICE} ${id} ${untilMs}`);
    if (payloads.length > 0) await notifyProcesses(db, payloads);
  }

  function finish(tail: Tail, reason: string): void {
    if (tails.has(tail)) endWith(tail, reason);
  }

  async function tick(): Promise<void> {
    ticks += 1;
    for (const tail of [...tails]) {
      if (isDraining()) finish(tail, 'shutting_down');
      else if (now() >= tail.endsAtMs) finish(tail, 'time');
    }
    for (const projectId of projects()) await showActivity(projectId);
    if (ticks % RENEW_TICKS === 0) await renew();
  }

  /** While the store is away, a tail is silent. */
  function tickSafely(): void {
    if (isTicking) return;
    isTicking = true;
    tick()
      .catch(() => undefined)
      .finally(() => {
        isTicking = false;
      });
  }

  function add(tail: Tail): void {
    tails.add(tail);
    interval ??= withoutStoreLimit(() => setInterval(tickSafely, TICK_MS).unref());
  }

  function remove(tail: Tail): void {
    tails.delete(tail);
    if (!projects().has(tail.projectId)) activity.forget(tail.projectId);
    if (tails.size > 0) return;
    clearInterval(interval);
    interval = undefined;
  }

  return {
    isWatched: publisher.isWatched,
    show: publisher.show,

    /** A notice of the change channel; those that are about nothing here are ignored. */
    handleNotice(payload: string): void {
      const [word, projectId = '', ...rest] = payload.split(' ');
      if (word === WATCH_NOTICE) publisher.watch(projectId, Math.min(Number(rest[0]), now() + WATCH_MS));
      if (word !== CALLS_NOTICE || !projects().has(projectId)) return;
      const { calls, dropped } = CALLS.parse(JSON.parse(rest.join(' ')));
      for (const call of calls) send(projectId, 'call', call);
      if (dropped > 0) send(projectId, 'dropped', { calls: dropped });
    },

    /**
     * The party on whose account a tail of the project is. Throws `rate_limited` where project or party have as many
     * tails as they may.
     */
    async assertRoom(projectId: string): Promise<string> {
      const party = await parties.partyOf(db, projectId);
      const ofProject = [...tails].filter((tail) => tail.projectId === projectId).length;
      if (ofProject < PER_PROJECT_MAX && places.free() > 0 && !places.isFull(party)) return party;
      throw new HttpError('rate_limited', {
        detail: 'As many live tails are open as there may be: five of a project, and a share for each owner.',
        headers: { 'Retry-After': '10' },
      });
    },

    /** Writes events to the caller until the tail's time is over, the caller leaves, or may not read any more. */
    async follow(
      { projectId, party }: { projectId: string; party: string },
      response: ServerResponse,
      signal: AbortSignal,
      isAllowed: () => Promise<boolean>,
    ): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      const endsAtMs = now() + LIFETIME_MS;
      const tail: Tail = { projectId, response, endsAtMs, isAllowed, end: () => resolve() };
      add(tail);
      const leave = places.take(party);
      signal.addEventListener('abort', () => resolve());
      try {
        await withoutStoreLimit(async () => {
          await announceWatches([projectId]);
          await showActivity(projectId);
        });
        write(tail, 'begin', { endsAt: new Date(endsAtMs).toISOString() });
        await promise;
      } finally {
        leave();
        remove(tail);
      }
    },
  };
}

function write({ response, end }: Tail, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  if (response.writableLength <= UNREAD_BYTES_MAX) return;
  response.destroy();
  end();
}

function endWith(tail: Tail, reason: string): void {
  write(tail, 'end', { reason });
  tail.response.end();
  tail.end();
}
