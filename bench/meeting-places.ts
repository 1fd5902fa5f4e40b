/**
 * Where processes meet: commits a second whose triggers announce a change, with NOTIFY, with notices that are relayed by
 * Valkey or NATS, and with neither; and how fast the ledger of shared limits answers in Postgres and in Valkey.
 * `node bench/meeting-places.ts [seconds] [writers]`; needs valkey-server or redis-server, and nats-server.
 */
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { createBus } from '../src/platform/bus/bus.ts';
import type { Carrier } from '../src/platform/bus/carrier.ts';
import { createNatsCarrier } from '../src/platform/bus/nats-carrier.ts';
import { createRelay } from '../src/platform/bus/relay.ts';
import { createValkeyCarrier } from '../src/platform/bus/valkey-carrier.ts';
import type { LimitLedger } from '../src/platform/limits/ledger.ts';
import { createLimitsStore } from '../src/platform/limits/limits.store.ts';
import { createValkeyLedger } from '../src/platform/limits/valkey-ledger.ts';
import { createDatabase } from '../src/platform/postgres/database.ts';
import { migrate } from '../src/platform/postgres/migrations.ts';
import { connectValkey } from '../src/platform/valkey.ts';
import { createDataDir } from '../test/support/gateway-environment.ts';
import { startNats, startValkey } from '../test-deploy/servers.ts';

const [seconds = 8, writers = 32] = process.argv.slice(2).map(Number);
const ENTRIES = [1, 50, 500];
const ASKING = 3;
const PROCESS_KEY = 1;

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: console.error, error: console.error, fatal: console.error };
const data = await createDataDir();
const server = await startEmbeddedPostgres({ dataDir: data.path, log });
await migrate({ url: server.url, directory: new URL('../migrations', import.meta.url).pathname, log });
const database = createDatabase({ url: server.url, applicationName: 'bench', poolMax: 10 });
const db = database.knex;
const valkey = await startValkey();
const nats = await startNats();
await db.raw(
  `CREATE TABLE bench_rows (nr integer PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(), project_id uuid NOT NULL DEFAULT gen_random_uuid(), n integer NOT NULL DEFAULT 0)`,
);
await db.raw(`INSERT INTO bench_rows (nr) SELECT generate_series(1, ${writers})`);

console.log(`load ${loadavg()[0]?.toFixed(1)}, ${writers} writers, ${seconds} s each`);
console.log('commits a second');
await print('no notices', () => countCommits());
await db.raw(
  'CREATE TRIGGER bench AFTER UPDATE ON bench_rows FOR EACH ROW EXECUTE FUNCTION notify_gateway_change()',
);
await print('NOTIFY by triggers', () => countCommits());
await print('written down, notified in batches', () => relay(absentCarrier()));
if (valkey)
  await print('relayed by Valkey', () =>
    relay(createValkeyCarrier({ url: valkey.url.replace('valkey', 'redis'), channel: 'bench' })),
  );
if (nats) await print('relayed by NATS', () => relay(createNatsCarrier({ url: nats.url, channel: 'bench' })));

console.log(`\nexchanges with the ledger, ${ASKING} processes at once: a second, p50 ms, p99 ms`);
for (const entries of ENTRIES) {
  await print(`Postgres, ${entries} keys`, () => askLedger(createLimitsStore({ db }), entries));
  if (valkey) {
    const client = connectValkey(valkey.url.replace('valkey', 'redis'));
    while (client.status !== 'ready') await delay(20);
    await print(`Valkey, ${entries} keys`, () => askLedger(createValkeyLedger(client, 'bench:'), entries));
    client.disconnect();
  }
}

await valkey?.kill();
await nats?.kill();
await database.close();
await server.stop();
await data.remove();
process.exit(0);

async function print(name: string, measure: () => Promise<string>): Promise<void> {
  console.log(`  ${name.padEnd(36)} ${await measure()}`);
}

/** Commits of writers that have each a row of their own. */
async function countCommits(): Promise<string> {
  const clients = Array.from({ length: writers }, () => new pg.Client({ connectionString: server.url }));
  await Promise.all(clients.map((client) => client.connect()));
  let commits = 0;
  const endsAtMs = performance.now() + seconds * 1_000;
  await Promise.all(
    clients.map(async (client, index) => {
      while (performance.now() < endsAtMs) {
        await client.query('UPDATE bench_rows SET n = n + 1 WHERE nr = $1', [index + 1]);
        commits += 1;
      }
      await client.end();
    }),
  );
  return (commits / seconds).toFixed(0);
}

/** The same while one process relays; also how late notices come at most, of those that came. */
async function relay(carrier: Carrier): Promise<string> {
  let notices = 0;
  const bus = createBus({
    carrier,
    processKey: PROCESS_KEY,
    onNotice() {
      notices += 1;
    },
    onDoubt: ignore,
  });
  const isAbsent = carrier.publish === refuse;
  const relayed = createRelay({
    ...{ db, log, processKey: PROCESS_KEY, listPeers: () => [PROCESS_KEY], onState: ignore },
    bus: isAbsent ? { isUp: () => true, isHeard: () => true, publish: refuse } : bus,
  });
  bus.start();
  while (!isAbsent && !bus.isUp()) await delay(20);
  await relayed.start();
  const commits = await countCommits();
  while ((await db('change_notices').first()) !== undefined) await delay(20);
  await relayed.stop();
  await bus.stop();
  await db('change_carrier').delete();
  return isAbsent ? commits : `${commits} (${(notices / seconds).toFixed(0)} notices arrived)`;
}

function refuse(): Promise<void> {
  return Promise.reject(new Error('absent'));
}

function absentCarrier(): Carrier {
  return { publish: refuse, listen: ignore, stop: () => Promise.resolve() };
}

async function askLedger(ledger: LimitLedger, entries: number): Promise<string> {
  const took: number[] = [];
  const endsAtMs = performance.now() + (seconds * 1_000) / 2;
  const keys = Array.from({ length: entries }, (_, index) => `k${index}`);
  const entry = { intervalMs: 1, roomMs: 60_000, want: 10, settle: 0 };
  await Promise.all(
    Array.from({ length: ASKING }, async () => {
      while (performance.now() < endsAtMs) {
        const begunAt = performance.now();
        await ledger.exchange(keys.map((key) => ({ key, ...entry })));
        took.push(performance.now() - begunAt);
      }
    }),
  );
  took.sort((one, other) => one - other);
  const at = (part: number) => (took[Math.floor(took.length * part)] ?? 0).toFixed(1);
  return `${(took.length / (seconds / 2)).toFixed(0)}  ${at(0.5)}  ${at(0.99)}`;
}
