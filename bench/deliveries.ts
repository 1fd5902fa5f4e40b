/**
 * How fast events arrive at a destination beside one that is dead and one that is slow: a steady pace of events, from the
 * commit that appended them to their arrival. Prints percentiles and the throughput of the good one.
 * `node bench/deliveries.ts [events a second] [seconds]`
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import knexModule from 'knex';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { createAppendNotices } from '../src/events/stream/append-notices.ts';
import { createEventStream } from '../src/events/stream/stream.ts';
import { createDataKeys } from '../src/platform/data-keys.ts';
import { notifyProcesses } from '../src/platform/postgres/change-notices.ts';
import { connectionSettings } from '../src/platform/postgres/connection.ts';
import { createVault, parseEncryptionKeys } from '../src/platform/vault.ts';
import { callApiOk, provision } from '../test/support/gateway.ts';
import { createDataDir } from '../test/support/gateway-environment.ts';
import { reply, startReceiver } from '../test/support/receiver.ts';
import { spawnGateway } from '../test/support/spawn-gateway.ts';

const BATCH = 10;
const SLOW_ANSWER_MS = 5_000;
const ARRIVAL_LIMIT_MS = 60_000;

const [rate = 500, seconds = 15] = process.argv.slice(2).map(Number);
const data = await createDataDir();
const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
const server = await startEmbeddedPostgres({ dataDir: data.path, log });
const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const gateway = await spawnGateway({ databaseUrl: server.url, env: { ENCRYPTION_KEYS } });
const project = await provision(gateway);
const committedAtMs = new Map<string, number>();
const arrivedAtMs = new Map<string, number>();
const good = await startReceiver((response, { id }) => {
  if (!arrivedAtMs.has(id)) arrivedAtMs.set(id, performance.now());
  response.end();
});
const slow = await startReceiver((response) => setTimeout(() => response.end(), SLOW_ANSWER_MS));
const dead = await startReceiver(reply(500));
for (const { url } of [dead, slow, good]) {
  const body = { url, types: ['crm.*'] };
  await callApiOk(gateway.url, 'POST', '/v1/event-destinations', { bearer: project.apiKey, body });
}

const db = knexModule({ client: 'pg', connection: connectionSettings(server.url), pool: { min: 0, max: 8 } });
const vault = createVault(parseEncryptionKeys(ENCRYPTION_KEYS));
const notices = createAppendNotices({ notify: (payloads) => notifyProcesses(db, payloads) });
const stream = createEventStream({
  db,
  dataKeys: createDataKeys({ vault }),
  notices,
  log,
});
const event = {
  type: 'crm.contact.updated',
  source: 'webhook',
  integrationId: null,
  connectionId: null,
  integrationUserId: null,
  userId: null,
  dataText: JSON.stringify({ objectId: 123, propertyName: 'email', propertyValue: 'a@example.test' }),
} as const;

async function append(): Promise<void> {
  const ids = await db.transaction((trx) => stream.append(trx, project.id, new Array(BATCH).fill(event)));
  const nowMs = performance.now();
  for (const id of ids) committedAtMs.set(id, nowMs);
}

async function appendAtPace(events: number): Promise<void> {
  const beganMs = performance.now();
  const appends: Promise<void>[] = [];
  for (let sent = 0; sent < events; sent += BATCH) {
    const waitMs = beganMs + (sent * 1000) / rate - performance.now();
    if (waitMs > 0) await delay(waitMs);
    appends.push(append());
  }
  await Promise.all(appends);
}

/** CPU time of the gateway's process so far; Linux counts in hundredths of a second. */
async function gatewayCpuMs(): Promise<number> {
  const fields = (await readFile(`/proc/${gateway.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

// Connections, keys and code are warm before anything is measured.
await appendAtPace(rate * 2);
const warm = new Set(committedAtMs.keys());
const cpuBeforeMs = await gatewayCpuMs();
const beganMs = performance.now();
await appendAtPace(rate * seconds);
const appendedMs = performance.now() - beganMs;
const limitMs = performance.now() + ARRIVAL_LIMIT_MS;
while (arrivedAtMs.size < committedAtMs.size && performance.now() < limitMs) await delay(50);

const cpuMs = (await gatewayCpuMs()) - cpuBeforeMs;
const allMs = performance.now() - beganMs;
const measured = [...committedAtMs].filter(([id]) => !warm.has(id));
const durations = measured
  .map(([id, at]) => Math.max(0, (arrivedAtMs.get(id) ?? Number.POSITIVE_INFINITY) - at))
  .sort((a, b) => a - b);
const at = (share: number) =>
  Math.round(durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0);
console.log(
  `appended ${((measured.length * 1000) / appendedMs).toFixed(0)}/s, ${measured.length} events, arrived ${arrivedAtMs.size} of ${committedAtMs.size}`,
);
console.log(
  `from commit to arrival in ms: p50 ${at(0.5)}, p95 ${at(0.95)}, p99 ${at(0.99)}, max ${durations.at(-1)?.toFixed(0)}`,
);
console.log(
  `arrived ${((measured.length * 1000) / allMs).toFixed(0)}/s; CPU of the gateway ${(cpuMs / measured.length).toFixed(2)} ms an event; load ${loadavg()[0]?.toFixed(1)}`,
);
console.log(
  `requests meanwhile: good ${good.received.length}, slow ${slow.received.length}, dead ${dead.received.length}`,
);
await db.destroy();
await gateway.stop();
for (const one of [good, slow, dead]) await one.close();
await server.stop();
await data.remove();
