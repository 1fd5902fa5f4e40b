import { HttpError } from '../http/errors.ts';
import type { Changes } from '../platform/change-notices.ts';
import type { Db } from '../platform/postgres/database.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import { type Held, readHeldOfAnyProject } from './holds.store.ts';

/** How often what is held is read again, in case a notice was lost, and while none arrive. */
const READ_MS = 30_000;
const READ_WITHOUT_NOTICES_MS = 500;

const NOTHING_SENT =
  'The gateway runs on a restored backup: nothing is refreshed, delivered or polled until an owner resumes it.';

export type Holds = ReturnType<typeof createHolds>;

/**
 * Projects that an operator has frozen, and a gateway that runs on a restored backup: in memory, so that a call is asked
 * without a query, and true on every process within a second of a change. Few things are ever held.
 */
export function createHolds(deps: {
  readonly db: Db;
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly log: { warn(fields: object, message: string): void };
}) {
  let frozen: ReadonlySet<string> = new Set();
  let isRestored = false;
  let reading: Promise<void> | undefined;
  let mustReadAgain = false;
  let timer: NodeJS.Timeout | undefined;

  function take(held: Held): void {
    frozen = new Set(held.frozenProjects);
    isRestored = held.isRestored;
  }

  /** Reads what is held, also what changes meanwhile. Rejects where the store is away: what was held stays. */
  function load(): Promise<void> {
    mustReadAgain = true;
    reading ??= readUntilTrue().finally(() => {
      reading = undefined;
    });
    return reading;
  }

  async function readUntilTrue(): Promise<void> {
    while (mustReadAgain) {
      mustReadAgain = false;
      take(await withoutStoreLimit(() => readHeldOfAnyProject(deps.db)));
    }
  }

  function loadSoon(): void {
    load().catch((error: unknown) =>
      deps.log.warn({ err: error }, 'what is frozen could not be read: it stays as it was'),
    );
  }

  function readEvery(ms: number): void {
    clearInterval(timer);
    timer = setInterval(loadSoon, ms).unref();
  }

  deps.changes.subscribe({
    changed({ table }) {
      if (table === 'projects' || table === 'gateway_restores') loadSoon();
    },
    markAllStale: loadSoon,
    setHasNotices(hasNotices) {
      if (timer !== undefined) readEvery(hasNotices ? READ_MS : READ_WITHOUT_NOTICES_MS);
    },
  });

  const isFrozen = (projectId: string): boolean => frozen.size > 0 && frozen.has(projectId.toLowerCase());

  /** Throws `project_frozen`, as calls do, before something else of the project reaches the outside. */
  function assertNotFrozen(projectId: string): void {
    if (isFrozen(projectId)) throw new HttpError('project_frozen');
  }

  return {
    /** Calls of the project are refused. */
    isFrozen,
    assertNotFrozen,
    /** The same before something is refreshed, delivered or polled: `gateway_restored` also where the gateway runs on a backup. */
    assertNotHeld(projectId: string): void {
      assertNotFrozen(projectId);
      if (isRestored) throw new HttpError('gateway_restored', { detail: NOTHING_SENT });
    },
    /** Nothing of the project is refreshed, delivered or polled. */
    isHeld: (projectId: string): boolean => isRestored || isFrozen(projectId),
    isRestored: (): boolean => isRestored,
    load,
    /** Reads what is held before anything runs. */
    async start(): Promise<void> {
      await load();
      readEvery(READ_MS);
    },
    stop(): void {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
