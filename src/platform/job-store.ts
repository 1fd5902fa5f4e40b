import type { Knex } from 'knex';
import { fromKnex, PgBoss, type Queue } from 'pg-boss';
import { z } from 'zod';
import { readErrorCode } from '../lib/error-code.ts';
import type { Db } from './postgres/database.ts';

/** A job that this process works on: the row of its attempt, which no later attempt shares. */
export type Claim = {
  readonly id: string;
  readonly retryCount: number;
  readonly key: string;
  /** Undefined for a job that an older release added. */
  readonly party: string | undefined;
};

/** A job that is added, and the party on whose account it is worked on. */
type NewJob = {
  readonly key: string;
  readonly party: string | undefined;
  readonly runAt?: Date | undefined;
};

/** How many jobs of a name wait (due or not yet) or are worked on, and how long the oldest due one has waited. */
export type JobCounts = {
  readonly name: string;
  readonly due: number;
  readonly later: number;
  readonly active: number;
  readonly oldestDueSeconds: number;
};

/** The schema that migration 0025 makes. */
const SCHEMA = 'job_queue';
/** Without a sign of life for so long, a job's process is taken for dead. The least that pg-boss allows. */
export const CLAIM_MS = 10_000;
/** How often each process looks for jobs of dead processes. */
const RESCUE_INTERVAL_SECONDS = 6;
const RETRY_MIN_SECONDS = 1;
const RETRY_MAX_SECONDS = 300;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/**
 * Jobs are never given up and never too old. `singleton`: at most one job of a key is active, any number may wait, so
 * that adding one waits for no other transaction; `merge` makes one of those that wait.
 */
const QUEUE: Omit<Queue, 'name'> = {
  policy: 'singleton',
  heartbeatSeconds: CLAIM_MS / 1000,
  expireInSeconds: DAY_SECONDS,
  retryLimit: 2 ** 31 - 1,
  retryDelay: RETRY_MIN_SECONDS,
  retryBackoff: true,
  retryDelayMax: RETRY_MAX_SECONDS,
  retentionSeconds: 2_000_000_000,
};

/** What pg-boss says beyond its types: which of the jobs were still those of the attempts. */
const TOUCHED = z.object({ settled: z.array(z.string()) });
const LIST_MAX = 1000;
const UNIQUE_VIOLATION = '23505';
/** How long a transaction of pg-boss's own upkeep may take. */
const UPKEEP_MS_MAX = 30_000;

export type JobStore = ReturnType<typeof createJobStore>;

/** The jobs in Postgres, kept by pg-boss on the gateway's own pool. Errors are those of knex. */
export function createJobStore(deps: { db: Knex; onError(error: unknown): void }) {
  const { db, onError } = deps;
  const pool = poolOf(db);
  const boss = new PgBoss({
    db: pool,
    schema: SCHEMA,
    // Never migrates: the migrations bring the schema of this release. It only makes pg-boss take a newer schema too.
    migrate: true,
    superviseIntervalSeconds: RESCUE_INTERVAL_SECONDS,
    monitorIntervalSeconds: RESCUE_INTERVAL_SECONDS,
    // What else pg-boss looks for on its own is not used here, or not often.
    bamIntervalSeconds: DAY_SECONDS,
    flowIntervalSeconds: HOUR_SECONDS,
    queueCacheIntervalSeconds: HOUR_SECONDS,
    monitorVacuum: false,
    reindex: false,
    schedule: false,
    registerInstance: false,
    persistWarnings: false,
    openTelemetry: { enabled: false },
  });
  boss.on('error', onError);

  return {
    async start(names: readonly string[]): Promise<void> {
      await boss.start();
      const known = new Set((await boss.getQueues([...names])).map(({ name }) => name));
      for (const name of names) if (!known.has(name)) await boss.createQueue(name, QUEUE);
    },
    stop: (): Promise<void> => boss.stop({ graceful: false, close: false }),

    /** One statement, however many jobs. */
    async add(on: Db, name: string, jobs: readonly NewJob[]): Promise<void> {
      if (jobs.length > 0) await boss.insert(name, jobs.map(rowOf), { db: fromKnex(on) });
    },

    /**
     * Jobs that are due, of at most `limit` keys that no process works on, and of none of the parties in `excluded`.
     * `mustRepeat`: another process claimed the same key just now, so that this one got nothing, although there may be
     * other keys.
     */
    async claim(
      name: string,
      limit: number,
      excluded: readonly string[],
    ): Promise<{ claims: Claim[]; mustRepeat: boolean }> {
      const before = pool.collisions();
      const jobs = await boss.fetch<{ key: string }>(name, { batchSize: limit, ignoreGroups: [...excluded] });
      const claims = jobs.map(({ id, retryCount, data, groupId }) => ({
        id,
        retryCount,
        key: data.key,
        party: groupId ?? undefined,
      }));
      return { claims, mustRepeat: pool.collisions() > before };
    },

    /** Deletes the other jobs of a claimed key that wait: what they were added for is about to be done. */
    async merge(name: string, key: string): Promise<void> {
      for (;;) {
        const waiting = await boss.findJobs(name, { key, queued: true, limit: LIST_MAX });
        const ids = waiting.map(({ id }) => id);
        if (ids.length > 0) await boss.deleteJob(name, ids);
        if (ids.length < LIST_MAX) return;
      }
    },

    /** Shows that this process is alive, and returns the ids of those claims that it still has. */
    async renew(name: string, claims: readonly Claim[]): Promise<Set<string>> {
      return new Set(TOUCHED.parse(await boss.touch(name, claims.map(attemptOf))).settled);
    },

    /** Ends a job. Does nothing where the claim was lost. */
    async finish(name: string, claim: Claim): Promise<void> {
      await boss.deleteJob(name, attemptOf(claim));
    },

    /** Ends jobs, and adds their keys again in the same transaction. */
    async readd(
      name: string,
      claims: readonly Claim[],
      { runAt, party }: { runAt?: Date; party?: string } = {},
    ): Promise<void> {
      await db.transaction(async (trx) => {
        const on = fromKnex(trx);
        await boss.deleteJob(name, claims.map(attemptOf), { db: on });
        // Where a claim was lost this adds a job too many, which the next run of its key merges.
        const jobs = claims.map((claim) => rowOf({ key: claim.key, party: party ?? claim.party, runAt }));
        await boss.insert(name, jobs, { db: on });
      });
    },

    /** Ends an attempt that failed; the next one follows after 1 s, doubling up to 5 min. */
    async retry(name: string, claim: Claim, reason: string): Promise<void> {
      await boss.fail(name, attemptOf(claim), { message: reason });
    },

    /** As of the last look for jobs of dead processes, some seconds ago. */
    async count(): Promise<JobCounts[]> {
      const queues = await boss.getQueues();
      return queues.map((queue) => ({
        name: queue.name,
        due: queue.readyCount,
        later: queue.deferredCount,
        active: queue.activeCount,
        oldestDueSeconds: queue.readyOldestSeconds ?? 0,
      }));
    },
  };
}

/** The longest pause before the attempt that follows `retryCount` retries, in ms. */
export function longestPauseMs(retryCount: number): number {
  return Math.min(RETRY_MAX_SECONDS, RETRY_MIN_SECONDS * 2 ** Math.min(16, retryCount + 1)) * 1000;
}

function rowOf({ key, party, runAt }: NewJob) {
  return {
    data: { key },
    singletonKey: key,
    ...(party !== undefined && { group: { id: party } }),
    ...(runAt && { startAfter: runAt }),
  };
}

function attemptOf({ id, retryCount }: Claim) {
  return { id, retryCount };
}

/** What pg-boss runs its statements on: the pool, but one connection for those texts that hold a whole transaction. */
function poolOf(db: Knex) {
  const pool = fromKnex(db);
  let collisions = 0;

  async function runSingle(text: string, values: unknown[] | undefined) {
    try {
      return await pool.executeSql(text, values);
    } catch (error) {
      // pg-boss takes this error, for which a key claimed twice is the only cause here, for an empty queue.
      if (readErrorCode(error) === UNIQUE_VIOLATION) collisions += 1;
      throw error;
    }
  }

  return {
    /** How often two processes have claimed the same key at the same time. */
    collisions: () => collisions,

    async executeSql(text: string, values?: unknown[]) {
      if (!/^\s*BEGIN;/.test(text)) return runSingle(text, values);
      const connection: unknown = await db.client.acquireConnection();
      const run = (sql: string) =>
        db
          .raw(sql)
          .connection(connection)
          .options({ query_timeout: UPKEEP_MS_MAX + 1000 });
      // Counting a million jobs takes longer than a request may; else no job of a dead process would be found then.
      const patient = text.replace('BEGIN;', `BEGIN; SET LOCAL statement_timeout = ${UPKEEP_MS_MAX};`);
      try {
        return await fromKnex({ raw: run }).executeSql(patient, values);
      } catch (error) {
        // The rest of the text has not been run, and with it not the end of the transaction.
        await run('ROLLBACK').catch(() => undefined);
        throw error;
      } finally {
        await db.client.releaseConnection(connection);
      }
    },
  };
}
