import { LRUCache } from 'lru-cache';
import type { RecordActivity } from '../activity/record.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { Chore } from '../platform/chores.ts';
import type { Db } from '../platform/postgres/database.ts';
import { findOwner, isUseNoted } from './organization-uses.store.ts';

const FLUSH_MS = 2_000;
const DAY_MS = 24 * 3_600_000;
/** Members of organizations whose use of a connection is known to stand in the timeline. */
const KNOWN_MAX = 20_000;
const WAITING_MAX = 2_000;

type Use = {
  readonly projectId: string;
  readonly connectionId: string;
  readonly integrationId: string;
  readonly serviceProvider: string;
  readonly subject: string;
};

/**
 * Tells in the timeline of an organization's connection who used it: each member once a day, written off the way of the
 * call. A user's own connection needs no such entries.
 */
export function createOrganizationUses(deps: {
  readonly db: Db;
  readonly recordActivity: RecordActivity;
  endUserId(projectId: string, subject: string): Promise<string>;
  now(): number;
  readonly log: { warn(fields: object, message: string): void };
}) {
  const { db } = deps;
  const known = new LRUCache<string, number>(entriesUpTo(KNOWN_MAX));
  const waiting = new Map<string, Use>();

  async function write(use: Use, dayStart: Date): Promise<void> {
    const { projectId, connectionId, integrationId, serviceProvider, subject } = use;
    const endUserId = await deps.endUserId(projectId, subject);
    if (await isUseNoted(db, { connectionId, endUserId }, dayStart)) return;
    await db.transaction(async (trx) => {
      const owner = await findOwner(trx, use);
      if (owner === undefined) return;
      await deps.recordActivity(trx, {
        projectId,
        actor: { kind: 'end_user', projectId, endUserId, subject },
        action: 'connection.used',
        subjectId: connectionId,
        details: { integrationId, integrationUserId: owner.end_user_id, serviceProvider },
      });
    });
  }

  const chore: Chore = {
    name: 'uses of organizations’ connections',
    intervalMs: FLUSH_MS,
    runsAtStop: true,
    async run() {
      const uses = [...waiting];
      const dayStart = new Date(Math.floor(deps.now() / DAY_MS) * DAY_MS);
      for (const [key, use] of uses) {
        waiting.delete(key);
        await write(use, dayStart).catch((error: unknown) => {
          known.delete(key);
          deps.log.warn({ err: error }, 'a use of a connection could not be noted');
        });
      }
    },
  };

  return {
    note(use: Use): void {
      const day = Math.floor(deps.now() / DAY_MS);
      const key = `${use.connectionId} ${use.subject}`;
      if (known.get(key) === day || waiting.size >= WAITING_MAX) return;
      known.set(key, day);
      waiting.set(key, use);
    },
    chore,
  };
}
