import { join } from 'node:path';
import { Logger, makeWorkerUtils, run as runGraphile } from 'graphile-worker';
import pg from 'pg';
import { fromKnex, PgBoss } from 'pg-boss';
import { createJobQueue } from '../../src/platform/job-queue.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { createChangeListener } from '../../src/platform/postgres/listen.ts';
import { migrate } from '../../src/platform/postgres/migrations.ts';

const NAMES = ['deliver', 'poll', 'split', 'renew', 'register', 'publish'];

/** graphile-worker: a queue of its own per key makes jobs of one key run one after another. */
const graphile = {
  async install(url) {
    const utils = await makeWorkerUtils({ connectionString: url });
    await utils.migrate();
    await utils.release();
  },
  async producer() {
    return {
      add: (db, key, runAt = null) =>
        db.raw("SELECT graphile_worker.add_job(?, '{}'::json, ?, ?::timestamptz, job_key => ?)", [
          NAMES[0],
          key,
          runAt,
          key,
        ]),
      close: async () => undefined,
    };
  },
  async worker(url, { concurrency, handle, pollMs = 3000 }) {
    const taskList = Object.fromEntries(NAMES.map((name) => [name, (_payload, { job }) => handle(job.key)]));
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    const runner = await runGraphile({
      pgPool: pool,
      taskList,
      concurrency,
      pollInterval: pollMs,
      noHandleSignals: true,
      logger: new Logger(() => () => undefined),
    });
    return {
      close: async () => {
        await runner.stop();
        await pool.end();
      },
    };
  },
  /** Jobs as a long life would have left them, without paying for a million calls. */
  fill: (count) => `
    INSERT INTO graphile_worker._private_tasks (identifier) VALUES ('deliver') ON CONFLICT DO NOTHING;
    INSERT INTO graphile_worker._private_job_queues (queue_name) SELECT 'w' || n FROM generate_series(1, ${count}) n;
    INSERT INTO graphile_worker._private_jobs (task_id, job_queue_id, payload, run_at, key)
    SELECT (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'deliver'), q.id, '{}',
           now() + interval '1 day', q.queue_name
      FROM graphile_worker._private_job_queues q WHERE q.queue_name ~ '^w[0-9]+$'`,
  waiting: 'SELECT count(*)::int AS n FROM graphile_worker._private_jobs WHERE run_at <= now()',
};

/** pg-boss: a job per key and state (policy `stately`). */
const boss = {
  async install(url) {
    const instance = await startBoss(url, {});
    for (const name of NAMES)
      await instance.createQueue(name, { policy: 'stately', heartbeatSeconds: 10, notify: true });
    await instance.stop({ graceful: false });
  },
  async producer(url) {
    const instance = await startBoss(url, { supervise: false, schedule: false });
    return {
      add: (db, key, runAt) =>
        instance.send(NAMES[0], { key }, { singletonKey: key, startAfter: runAt, db: fromKnex(db) }),
      close: () => instance.stop({ graceful: false }),
    };
  },
  async worker(url, { concurrency, handle, pollMs = 3000 }) {
    const instance = await startBoss(url, {
      schedule: false,
      useListenNotify: true,
      superviseIntervalSeconds: 5,
      monitorIntervalSeconds: 5,
    });
    for (const name of NAMES)
      await instance.work(
        name,
        {
          // One worker fetching batches: a worker that fetches single jobs waits out the poll after each.
          localConcurrency: 1,
          pollingIntervalSeconds: pollMs / 1000,
          notifyPollingIntervalSeconds: Math.max(pollMs / 1000, 3),
          batchSize: concurrency,
          heartbeatRefreshSeconds: 4,
          burstWhenBatchFull: true,
        },
        async (jobs) => {
          await Promise.all(jobs.map((job) => handle(job.data.key)));
        },
      );
    return { close: () => instance.stop({ graceful: true, timeout: 5000 }) };
  },
  fill: (count) => `
    INSERT INTO pgboss.job (name, data, singleton_key, start_after, keep_until, policy, heartbeat_seconds)
    SELECT 'deliver', jsonb_build_object('key', 'w' || n), 'w' || n, now() + interval '1 day', now() + interval '30 days', 'stately', 10
      FROM generate_series(1, ${count}) n`,
  waiting: "SELECT count(*)::int AS n FROM pgboss.job WHERE state < 'active' AND start_after <= now()",
};

async function startBoss(url, options) {
  const instance = new PgBoss({ connectionString: url, max: 10, ...options });
  instance.on('error', (error) => console.error('pg-boss:', error.message));
  await instance.start();
  return instance;
}

/** For the scale of the others: one row per key in a table of our own, claimed for 15 s at a time. */
const table = {
  async install(url) {
    const client = new pg.Client(url);
    await client.connect();
    await client.query(`
      CREATE TABLE jobs (
        name text, key text, run_at timestamptz NOT NULL, again_at timestamptz, claim uuid, claimed_until timestamptz,
        PRIMARY KEY (name, key));
      CREATE INDEX ON jobs (name, run_at) WHERE claim IS NULL;
      CREATE INDEX ON jobs (claimed_until) WHERE claim IS NOT NULL`);
    await client.end();
  },
  async producer() {
    return {
      add: (db, key, runAt = null) =>
        db.raw(
          `INSERT INTO jobs AS j (name, key, run_at) VALUES (?, ?, coalesce(?::timestamptz, now()))
           ON CONFLICT (name, key) DO UPDATE SET
             run_at = CASE WHEN j.claim IS NULL THEN least(j.run_at, excluded.run_at) ELSE j.run_at END,
             again_at = CASE WHEN j.claim IS NULL THEN NULL ELSE least(j.again_at, excluded.run_at) END`,
          [NAMES[0], key, runAt],
        ),
      notify: true,
      close: async () => undefined,
    };
  },
  async worker(url, { concurrency, handle, pollMs = 3000 }) {
    const pool = new pg.Pool({ connectionString: url, max: 10 });
    const listener = new pg.Client(url);
    await listener.connect();
    await listener.query('LISTEN jobs');
    let active = 0;
    let isStopped = false;
    const fetchDue = async () => {
      if (isStopped || active >= concurrency) return;
      const { rows } = await pool.query(
        `UPDATE jobs SET claim = gen_random_uuid(), claimed_until = now() + interval '15 s'
          WHERE (name, key) IN (
            SELECT name, key FROM jobs WHERE claim IS NULL AND name = ANY ($1) AND run_at <= now()
             ORDER BY run_at LIMIT $2 FOR UPDATE SKIP LOCKED)
          RETURNING name, key, claim`,
        [NAMES, concurrency - active],
      );
      active += rows.length;
      for (const row of rows) void work(row);
      if (rows.length > 0) void fetchDue();
    };
    const work = async ({ name, key, claim }) => {
      await handle(key);
      await pool.query(
        `WITH again AS (
           UPDATE jobs SET claim = NULL, run_at = again_at, again_at = NULL
            WHERE name = $1 AND key = $2 AND claim = $3 AND again_at IS NOT NULL RETURNING 1)
         DELETE FROM jobs WHERE name = $1 AND key = $2 AND claim = $3 AND again_at IS NULL`,
        [name, key, claim],
      );
      active -= 1;
      void fetchDue();
    };
    listener.on('notification', () => void fetchDue());
    const release = () =>
      pool.query('UPDATE jobs SET claim = NULL WHERE claim IS NOT NULL AND claimed_until < now()');
    const timer = setInterval(() => void release().then(fetchDue), pollMs);
    void fetchDue();
    return {
      close: async () => {
        isStopped = true;
        clearInterval(timer);
        await listener.end();
        await pool.end();
      },
    };
  },
  fill: (count) =>
    `INSERT INTO jobs (name, key, run_at) SELECT 'deliver', 'w' || n, now() + interval '1 day' FROM generate_series(1, ${count}) n`,
  waiting: 'SELECT count(*)::int AS n FROM jobs WHERE claim IS NULL AND run_at <= now()',
};

let working;
/** The gateway's own queue, as it was built on the winner. */
const built = {
  install: (url) => migrate({ url, directory: join(import.meta.dirname, '../../migrations') }),
  async producer(url) {
    const { queue, close } = await startBuilt(url, 0, async () => undefined);
    return {
      // By the queue that works here, where there is one: it need not be notified.
      add: (db, key, runAt) => (working ?? queue).add(db, NAMES[0], key, { ...(runAt && { runAt }) }),
      close,
    };
  },
  async worker(url, { concurrency, handle }) {
    const { queue, close } = await startBuilt(url, concurrency, handle);
    working = queue;
    return {
      close: async () => {
        working = undefined;
        await close();
      },
    };
  },
  fill: (count) => `
    INSERT INTO job_queue.job (name, data, singleton_key, start_after, keep_until, policy, heartbeat_seconds)
    SELECT 'deliver', jsonb_build_object('key', 'w' || n), 'w' || n, now() + interval '1 day',
           now() + interval '30 years', 'singleton', 10
      FROM generate_series(1, ${count}) n`,
  waiting: "SELECT count(*)::int AS n FROM job_queue.job WHERE state < 'active' AND start_after <= now()",
};

async function startBuilt(url, concurrency, handle) {
  const database = createDatabase({ url, applicationName: 'bench', poolMax: 10 });
  const queue = createJobQueue({
    db: database.knex,
    log: { warn: (fields, message) => console.error(message, fields.err?.message) },
    channel: 'jobs',
    processKey: Math.random(),
  });
  for (const name of NAMES) queue.work(name, { concurrency }, handle);
  const listener = createChangeListener({
    url,
    channel: 'jobs',
    onMessage: queue.handleNotice,
    onLost: () => undefined,
    onRestored: () => undefined,
  });
  await listener.start();
  await queue.start();
  const close = async () => {
    await queue.stop();
    await listener.stop();
    await database.close();
  };
  return { queue, close };
}

export const queues = { graphile, boss, table, built };
