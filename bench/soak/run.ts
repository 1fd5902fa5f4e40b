/**
 * Runs a gateway with mixed traffic for as long as the command says, and says of each series (memory, sockets, descriptors, timers, jobs,
 * leases, rows that wait) whether it grows. Exits with 1, and names the series, where one does.
 * Caches hold `--caches` entries instead of thousands, so that they are full after the warm-up, and what grows then has no bound.
 * `npm run soak -- --minutes 60 [--warmup 10] [--pace 1] [--caches 100] [--samples file.jsonl]`
 */
import { randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { callApiOk } from '../../test/support/gateway.ts';
import { createDataDir } from '../../test/support/gateway-environment.ts';
import { bundlePrograms } from '../../test/support/programs.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { spawnGateway } from '../../test/support/spawn-gateway.ts';
import { connectAccount, startStage } from '../../test/support/stage.ts';
import { shrinkCaches } from './caches.ts';
import { type Machine, watchMachine } from './machine.ts';
import { openSampler, type Sample, SERIES, SERIES_IDS } from './samples.ts';
import { judgeSeries } from './slopes.ts';
import { pickAccount, startTraffic, type Traffic, USERS } from './traffic.ts';

const SAMPLE_EVERY_MS = 5_000;
const SET_UP_TRIES = 10;
const PROBE = join(import.meta.dirname, 'probe.mjs');
/** Every so many deliveries the receiver fails, and gets them again. */
const REFUSED_EVERY = 50;

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    warmup: { type: 'string' },
    pace: { type: 'string', default: '1' },
    samples: { type: 'string' },
    caches: { type: 'string', default: '100' },
  },
});
const minutes = Number(options.minutes);
/** Caches fill, and V8 compiles what is hot. */
const warmupMinutes = Number(options.warmup ?? Math.min(15, minutes / 3));

process.exitCode = await soak();

async function soak(): Promise<number> {
  const cleanUps: (() => Promise<unknown>)[] = [];
  try {
    const { stage, receiver, sampler, machine } = await prepare(cleanUps);
    for (let user = 0; user < USERS; user += 1)
      await repeat(() => connectAccount(stage, { userId: `user-${user}`, email: pickAccount(user) }));
    const traffic = startTraffic(stage, receiver, Number(options.pace), machine);
    const taken = await sampleFor(minutes, sampler.take);
    await traffic.stop();
    return report(taken, traffic, machine);
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
}

/** Works again after a second where a busy machine's store was late, before anything is measured. */
async function repeat(work: () => Promise<unknown>): Promise<void> {
  for (let left = SET_UP_TRIES; ; left -= 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (left <= 1) throw error;
      await pause(1_000);
    }
  }
}

/** A gateway in a process of its own, a Postgres, a provider with webhooks, a receiver of events, and a poll. */
async function prepare(cleanUps: (() => Promise<unknown>)[]) {
  await bundlePrograms(shrinkCaches(Number(options.caches)));
  process.env.GATEWAY_TEST_PROGRAMS = 'bundled';
  const data = await createDataDir();
  cleanUps.push(data.remove);
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
  const server = await startEmbeddedPostgres({ dataDir: data.path, log });
  cleanUps.push(() => server.stop());
  const folder = await mkdtemp(join(tmpdir(), 'soak-'));
  cleanUps.push(() => rm(folder, { recursive: true }));
  const probeFile = join(folder, 'probe.jsonl');
  const env = {
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    CONNECT_SESSIONS_PER_USER_PER_HOUR: '0',
    // Those that are begun and left end while it is measured.
    CONNECT_SESSION_LIFETIME_SECONDS: '60',
    // V8 by itself takes more room for young objects, and gives it back when it likes; `npm start` has this too.
    NODE_OPTIONS: `--import=${PROBE} --max-semi-space-size=16`,
    SOAK_PROBE: probeFile,
    RATE_LIMIT_CONNECT_PER_MINUTE: '0',
    RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: '0',
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
    RATE_LIMIT_PROXY_PER_MINUTE: '0',
  };
  let pid = 0;
  const stage = await startStage({
    // Each connection is refreshed about once a minute.
    crm: { contacts: 200, accessTokenLifetimeSeconds: 90 },
    gateway: { databaseUrl: server.url, env },
    client: {
      clientId: 'soak',
      clientSecret: randomBytes(16).toString('hex'),
      redirectUris: [],
      name: 'Soak',
    },
    start: async (given) => {
      const gateway = await spawnGateway(given);
      ({ pid } = gateway);
      return gateway;
    },
  });
  cleanUps.push(stage.close);
  let delivered = 0;
  const receiver = await startReceiver((response) => {
    delivered += 1;
    response.writeHead(delivered % REFUSED_EVERY === 0 ? 500 : 200).end();
  });
  cleanUps.push(receiver.close);
  const { gateway, project, integration, crm } = stage;
  const bearer = project.apiKey;
  const { webhookUrl } = await callApiOk(gateway.url, 'GET', `/v1/integrations/${integration.id}`, {
    bearer,
  });
  crm.sendWebhooksTo('soak', webhookUrl);
  const destination = { url: receiver.url, types: ['*'] };
  await callApiOk(gateway.url, 'POST', '/v1/event-destinations', { bearer, body: destination });
  const poll = { integrationId: integration.id, resource: 'contacts', intervalSeconds: 60 };
  await callApiOk(gateway.url, 'POST', '/v1/polls', { bearer, body: poll });
  const sampler = await openSampler({ pid, databaseUrl: server.url, probeFile });
  cleanUps.push(sampler.close);
  const machine = await watchMachine(server.url, pid);
  cleanUps.push(machine.close);
  return { stage, receiver, sampler, machine };
}

type Taken = Sample & { readonly minute: number };

async function sampleFor(wantedMinutes: number, take: () => Promise<Sample>): Promise<Taken[]> {
  const beganMs = performance.now();
  const taken: Taken[] = [];
  for (let dueMs = beganMs; dueMs < beganMs + wantedMinutes * 60_000; dueMs += SAMPLE_EVERY_MS) {
    await pause(Math.max(0, dueMs - performance.now()));
    const sample = { minute: (performance.now() - beganMs) / 60_000, ...(await take()) };
    taken.push(sample);
    if (options.samples !== undefined) await appendFile(options.samples, `${JSON.stringify(sample)}\n`);
  }
  return taken;
}

function report(taken: readonly Taken[], { counts, failures }: Traffic, machine: Machine): number {
  const measured = taken.filter(({ minute }) => minute >= warmupMinutes);
  const growing: string[] = [];
  console.log(`${minutes} minutes, the first ${warmupMinutes} left out; load ${loadavg()[0]?.toFixed(1)}\n`);
  console.log(
    '| series | first | last | slope an hour | 99 % of slopes | verdict |\n|---|---|---|---|---|---|',
  );
  for (const id of SERIES_IDS) {
    const { name, unit, grain } = SERIES[id];
    const points = measured.map((sample) => ({ minute: sample.minute, value: sample[id] }));
    const { slope, low, high, isGrowing } = judgeSeries(points, grain);
    if (isGrowing) growing.push(name);
    const hourly = [slope, low, high].map((value) => (value * 60).toFixed(2));
    const [from, to] = [points[0], points.at(-1)].map((point) => (point?.value ?? 0).toFixed(1));
    const verdict = isGrowing ? 'GROWS' : 'steady';
    console.log(
      `| ${name}${unit && `, ${unit}`} | ${from} | ${to} | ${hourly[0]} | ${hourly[1]} to ${hourly[2]} | ${verdict} |`,
    );
  }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  console.log(
    `\n${Object.entries(counts)
      .map(([kind, count]) => `${kind}: ${count}`)
      .join('\n')}`,
  );
  const share = (machine.lateShare() * 100).toFixed(1);
  console.log(
    `503 while the machine was late for the soak itself (${share} % of the time): ${failures.late} of ${total}`,
  );
  console.log(`unexpected answers: ${failures.count}`);
  for (const one of failures.first) console.log(`  ${one}`);
  const isFailing = failures.count > 0;
  if (growing.length > 0) console.error(`\nGrows: ${growing.join(', ')}`);
  if (isFailing) console.error(`\nUnexpected answers: ${failures.count} of ${total}`);
  return growing.length > 0 || isFailing ? 1 : 0;
}
