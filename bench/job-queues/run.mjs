import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import knexModule from 'knex';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { queues } from './queues.mjs';

/** `node bench/job-queues/run.mjs [--only graphile,boss,table] [--waiting 1000000]`: the figures of decision 0028. */
const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(queues).join(',') },
    waiting: { type: 'string', default: '1000000' },
  },
});
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const directory = mkdtempSync(join(tmpdir(), 'bench-queues-'));
// As root the embedded Postgres runs under another user, who has to get through.
chmodSync(directory, 0o755);
const server = await startEmbeddedPostgres({ dataDir: join(directory, 'data'), log: quiet });
try {
  for (const name of options.only.split(','))
    await measure(name).catch((error) => console.error(name, error));
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(name) {
  const queue = queues[name];
  const url = await createDatabase(name);
  await queue.install(url);
  const knex = knexModule({ client: 'pg', connection: url, pool: { min: 0, max: 10 } });
  const one = async (sql) => (await knex.raw(sql)).rows[0];
  const say = (what, figure) => console.log(`${name}\t${what}\t${figure}`);
  const producer = await queue.producer(url);
  try {
    const rolledBack = knex.transaction(async (trx) => {
      await producer.add(trx, 'rolled back');
      throw new Error('rolled back');
    });
    await rolledBack.catch(() => undefined);
    say('jobs left by a rolled back transaction', (await one(queue.waiting)).n);

    const startedAt = performance.now();
    const timed = await startWorker(queue, url, 1);
    say('start of a worker, ms', Math.round(performance.now() - startedAt));
    const before = await statements(one);
    await delay(10_000);
    say('idle transactions per second', (((await statements(one)) - before - 1) / 10).toFixed(1));
    const sameProcess = await latencies(knex, producer, timed, 'here');
    say('start after commit, same process, ms median/max', sameProcess);
    await timed.close();

    const other = await startChild(name, url);
    const waits = [];
    for (let turn = 0; turn < 11; turn += 1) {
      const started = other.next();
      const key = `there-${turn}`;
      await knex.transaction((trx) => producer.add(trx, key));
      if (producer.notify) await knex.raw('NOTIFY jobs');
      const addedAt = performance.now();
      await started;
      waits.push(performance.now() - addedAt);
    }
    say('start after commit, other process, ms median/max', summary(waits));

    await knex.transaction((trx) => producer.add(trx, 'hang'));
    if (producer.notify) await knex.raw('NOTIFY jobs');
    await other.next();
    other.kill();
    const killedAt = performance.now();
    const rescuer = await startWorker(queue, url, 1);
    const rescued = await Promise.race([rescuer.next().then(() => true), delay(60_000).then(() => false)]);
    const tookS = ((performance.now() - killedAt) / 1000).toFixed(1);
    say('killed process, taken over after s', rescued ? tookS : `not within ${tookS}`);
    await rescuer.close();

    for (const waiting of [0, Number(options.waiting)]) {
      if (waiting > 0) {
        await knex.raw(queue.fill(waiting));
        await knex.raw('VACUUM ANALYZE');
      }
      const ADDS = 3000;
      const addedIn = await clock(async () => {
        const adders = Array.from({ length: 4 }, async (_, adder) => {
          for (let n = 0; n < ADDS / 4; n += 1)
            await knex.transaction((trx) => producer.add(trx, `${waiting}-${adder}-${n}`));
        });
        await Promise.all(adders);
      });
      say(`${waiting} waiting: added per second`, Math.round(ADDS / (addedIn / 1000)));
      const worker = await startWorker(queue, url, 10);
      const before = performance.now();
      while (worker.worked() < ADDS && performance.now() - before < 60_000) await delay(20);
      const workedInS = (performance.now() - before) / 1000;
      say(`${waiting} waiting: worked per second`, Math.round(worker.worked() / workedInS));
      await delay(3000);
      const cpuBefore = serverCpuSeconds();
      await delay(10_000);
      const cpuAfter = serverCpuSeconds();
      // Only of server processes that live at both times.
      const used = [...cpuBefore].map(([pid, seconds]) => (cpuAfter.get(pid) ?? seconds) - seconds);
      const percent = used.reduce((sum, seconds) => sum + seconds, 0) * 10;
      say(`${waiting} waiting: CPU of the server at rest, %`, percent.toFixed(1));
      await worker.close();
    }
  } finally {
    await producer.close();
    await knex.destroy();
  }
}

async function clock(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function statements(one) {
  await delay(1200);
  const row = await one(
    'SELECT (xact_commit + xact_rollback)::int AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  return row.n;
}

async function latencies(knex, producer, worker, prefix) {
  const waits = [];
  for (let turn = 0; turn < 11; turn += 1) {
    const started = worker.next();
    await knex.transaction((trx) => producer.add(trx, `${prefix}-${turn}`));
    if (producer.notify) await knex.raw('NOTIFY jobs');
    const addedAt = performance.now();
    await started;
    waits.push(performance.now() - addedAt);
  }
  return summary(waits);
}

function summary(waits) {
  const sorted = waits.slice(1).sort((a, b) => a - b);
  return `${Math.round(sorted[5])}/${Math.round(sorted.at(-1))}`;
}

async function startWorker(queue, url, concurrency) {
  let wake = () => undefined;
  let worked = 0;
  const handle = async (key) => {
    worked += 1;
    wake(key);
  };
  const worker = await queue.worker(url, { concurrency, handle });
  return {
    ...worker,
    worked: () => worked,
    next: () =>
      new Promise((resolve) => {
        wake = resolve;
      }),
  };
}

async function startChild(name, url) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'child.mjs'), name, url], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const next = () => new Promise((resolve) => child.once('message', resolve));
  await next();
  return { next, kill: () => child.kill('SIGKILL') };
}

async function createDatabase(name) {
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(`CREATE DATABASE queue_${name}`);
  await client.end();
  const url = new URL(server.url);
  url.pathname = `/queue_${name}`;
  return url.href;
}

/** CPU seconds of each process of the server, by process id (Linux). */
function serverCpuSeconds() {
  const parent = String(server.pid());
  const used = new Map();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
      if (fields[1] === parent) used.set(pid, (Number(fields[11]) + Number(fields[12])) / 100);
    } catch {
      // It has ended.
    }
  }
  return used;
}
