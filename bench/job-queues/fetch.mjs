import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { createJobStore } from '../../src/platform/job-store.ts';
import { createDatabase } from '../../src/platform/postgres/database.ts';
import { migrate } from '../../src/platform/postgres/migrations.ts';

/** `node bench/job-queues/fetch.mjs`: how long a look for due jobs takes while a million others wait for their time. */
const STEP = 100_000;
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const directory = mkdtempSync(join(tmpdir(), 'bench-queues-'));
chmodSync(directory, 0o755);
const server = await startEmbeddedPostgres({ dataDir: join(directory, 'data'), log: quiet });
const database = createDatabase({ url: server.url, applicationName: 'bench', poolMax: 2 });
try {
  await migrate({ url: server.url, directory: join(import.meta.dirname, '../../migrations') });
  const store = createJobStore({
    db: database.knex,
    onError: (error) => console.error(String(error).slice(-90)),
  });
  await store.start(['poll']);
  for (let waiting = 0; waiting <= 1_000_000; waiting += STEP) {
    if (waiting > 0) await fill();
    if (![0, 100_000, 300_000, 1_000_000].includes(waiting)) continue;
    await patient('VACUUM ANALYZE job_queue.job_common');
    console.log(waiting, 'waiting: ms to look in vain', await time(() => store.claim('poll', 50)));
    console.log(waiting, 'waiting: ms to add, claim and end', await time(addAndEnd));
  }

  async function addAndEnd(turn) {
    await store.add(database.knex, 'poll', `due-${turn}`, undefined);
    const { claims } = await store.claim('poll', 50);
    if (claims.length !== 1) throw new Error(`${claims.length} claims`);
    await store.finish('poll', claims[0]);
  }
  await store.stop();
} finally {
  await database.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

function fill() {
  return patient(`
    INSERT INTO job_queue.job (name, data, singleton_key, start_after, keep_until, policy, heartbeat_seconds)
    SELECT 'poll', '{"key":"k"}', gen_random_uuid()::text, now() + interval '1 day', now() + interval '30 years', 'singleton', 10
      FROM generate_series(1, ${STEP}) n`);
}

/** Without the time limits of the gateway's own statements. */
async function patient(sql) {
  const connection = await database.knex.client.acquireConnection();
  const run = (text) => database.knex.raw(text).connection(connection).options({ query_timeout: 600_000 });
  await run('SET statement_timeout = 0');
  await run(sql);
  await run('SET statement_timeout = 2500');
  await database.knex.client.releaseConnection(connection);
}

async function time(work) {
  const taken = [];
  for (let turn = 0; turn < 15; turn += 1) {
    const startedAt = performance.now();
    await work(turn);
    taken.push(performance.now() - startedAt);
  }
  taken.sort((a, b) => a - b);
  return `${taken[7].toFixed(1)} (max ${taken.at(-1).toFixed(1)})`;
}
