import { notifyProcesses } from '../platform/postgres/change-notices.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { CallRecord } from './call-record.ts';
import { callWire } from './calls.schema.ts';

const FLUSH_MS = 300;
/** Postgres takes less than 8000 bytes. */
const PAYLOAD_BYTES_MAX = 7_600;
/** Of one project in one flush of one process; what is more is only counted. */
const CALLS_MAX = 60;
const PROJECTS_MAX = 1_000;

/** The first word of a notice: which project is watched until when, and calls of a watched project. */
export const WATCH_NOTICE = 'tail_watch';
export const CALLS_NOTICE = 'tail_calls';

type Waiting = { readonly texts: string[]; dropped: number };

/**
 * Sends calls of watched projects to all processes, of which some have callers that watch. While no caller watches, a call
 * costs the look at an empty map.
 */
export function createTailPublisher({ db, now }: { db: Db; now(): number }) {
  const watchedUntilMs = new Map<string, number>();
  let waiting = new Map<string, Waiting>();
  let timer: NodeJS.Timeout | undefined;

  async function flush(): Promise<void> {
    const batches = waiting;
    waiting = new Map();
    timer = undefined;
    const payloads = [...batches].flatMap(([projectId, batch]) => listPayloads(projectId, batch));
    // A tail is a view of what happens now: what cannot be sent now is not sent later.
    await notifyProcesses(db, payloads).catch(() => undefined);
  }

  return {
    /** A caller watches the project until then. */
    watch(projectId: string, untilMs: number): void {
      for (const [id, until] of watchedUntilMs) if (until <= now()) watchedUntilMs.delete(id);
      if (watchedUntilMs.has(projectId) || watchedUntilMs.size < PROJECTS_MAX)
        watchedUntilMs.set(projectId, untilMs);
    },

    isWatched(projectId: string): boolean {
      return watchedUntilMs.size > 0 && (watchedUntilMs.get(projectId) ?? 0) > now();
    },

    show(call: CallRecord): void {
      const batch = waiting.get(call.projectId) ?? { texts: [], dropped: 0 };
      waiting.set(call.projectId, batch);
      if (batch.texts.length < CALLS_MAX) batch.texts.push(JSON.stringify(callWire(call)));
      else batch.dropped += 1;
      if (timer === undefined)
        timer = withoutStoreLimit(() => setTimeout(() => void flush(), FLUSH_MS).unref());
    },
  };
}

/** Notices of `{ calls, dropped }`, each within Postgres's limit. */
export function listPayloads(projectId: string, { texts, dropped }: Waiting): string[] {
  const payloads: string[] = [];
  let calls: string[] = [];
  let bytes = 0;
  const close = (lost: number) => {
    payloads.push(`${CALLS_NOTICE} ${projectId} {"calls":[${calls.join(',')}],"dropped":${lost}}`);
    calls = [];
    bytes = 0;
  };
  for (const text of texts) {
    const length = Buffer.byteLength(text) + 1;
    if (calls.length > 0 && bytes + length > PAYLOAD_BYTES_MAX) close(0);
    calls.push(text);
    bytes += length;
  }
  close(dropped);
  return payloads.filter((payload) => Buffer.byteLength(payload) < 8_000);
}
