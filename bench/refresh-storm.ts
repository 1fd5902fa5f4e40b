/**
 * What a storm of refreshes does to the calls beside it: many users' tokens have run out, their calls come at once or at a steady
 * pace, and each of them waits for a new token. Beside them calls of one user whose token holds come at a steady rate; the same is measured beside
 * plain calls of that user, and of the many once they have their tokens. `node bench/refresh-storm.ts [--connections 10000] [--rate 0] [--good 200] [--store beside|elsewhere]`,
 * where a rate of 0 lets 64 connections send as fast as they are answered, and a store elsewhere has the core of the load in the place of
 * the gateway's.
 */
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import { parseArgs } from 'node:util';
import jwt from 'jsonwebtoken';
import { cpuSeconds, median, type Steady, steadyLoad } from './load.ts';
import { type BenchProject, LOAD_CORE, type Running, startPlainUpstream, variants } from './variants.ts';

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '0' },
    good: { type: 'string', default: '200' },
    store: { type: 'string', default: 'beside' },
  },
});
const IMPORTS_AT_ONCE = 16;
const SENDERS = 64;
/** Refreshes before the storm, after which V8 has compiled what they run through. */
const WARM = 500;
/** Good calls are sent in windows of so many seconds, of which each has percentiles of its own. */
const WINDOW_SECONDS = 5;
/** So many where nothing else bounds them. */
const WINDOWS = 4;
const count = Number(options.connections);
const rate = Number(options.rate);

const upstream = await startPlainUpstream();
const gateway = await startGateway(upstream.url);
try {
  pin(process.pid, LOAD_CORE);
  if (options.store === 'elsewhere') moveStore(gateway.storePid);
  await measure(gateway.project);
} finally {
  await gateway.stop();
  await upstream.stop();
}

async function startGateway(provider: string): Promise<Running & { project: BenchProject }> {
  const started = await variants.find(({ name }) => name === 'gateway')?.start(provider);
  if (started?.project === undefined) throw new Error('No variant starts a gateway with a project');
  return { ...started, project: started.project };
}

async function measure(project: BenchProject): Promise<void> {
  const users = Array.from({ length: WARM + count }, (_, index) => `expired-${index}`);
  await importExpired(project, users);
  const sign = createSigner(project);
  const stormy = users.slice(WARM);
  await sendAll(users.slice(0, WARM).map(sign), new Map());
  await windowOfGood();
  const alone: Steady[] = [];
  while (alone.length < WINDOWS) alone.push(await windowOfGood());
  console.log(`${options.good} good calls/s alone: ${describe(alone)}`);
  const good = stormy.map(() => sign('user-1'));
  await report('calls of one user, each with a token of its own', startRepeated(good), WINDOWS);
  await report('calls of as many users, each of which refreshes', startStorm(stormy.map(sign)));
  await report('calls of these users with what was refreshed', startRepeated(stormy.map(sign)), WINDOWS);
  const given = Number(await (await fetch(`${upstream.url}/given`)).text());
  if (given !== WARM + count) throw new Error(`the provider gave ${given} tokens for ${WARM + count} users`);
}

async function importExpired(project: BenchProject, users: readonly string[]): Promise<void> {
  const expiresAt = new Date(Date.now() - 60_000).toISOString();
  const credentials = { accessToken: 'a'.repeat(120), refreshToken: 'r'.repeat(120), expiresAt };
  await inTurns(users, IMPORTS_AT_ONCE, async (userId) => {
    const answer = await fetch(new URL('/v1/connections', gateway.url), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${project.apiKey}` },
      body: JSON.stringify({ integrationId: project.integrationId, userId, credentials }),
    });
    if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  });
}

function createSigner({ id, signingKey: { kid, pem } }: BenchProject): (subject: string) => string {
  const claims = { algorithm: 'ES256', keyid: kid, audience: id, expiresIn: '1h' } as const;
  return (subject) => jwt.sign({}, pem, { ...claims, subject });
}

/** Calls that are being sent. */
type Storm = {
  readonly isOver: () => boolean;
  /** Begins no further round of them, and waits for those that were begun. */
  readonly end: () => Promise<{ readonly seconds: number; readonly statuses: Map<string, number> }>;
};

/** One call with each token. */
function startStorm(tokens: readonly string[]): Storm {
  return startRounds(tokens, () => false);
}

/** Again and again, until it is ended. */
function startRepeated(tokens: readonly string[]): Storm {
  let isWanted = true;
  const rounds = startRounds(tokens, () => isWanted);
  return {
    ...rounds,
    end() {
      isWanted = false;
      return rounds.end();
    },
  };
}

function startRounds(tokens: readonly string[], isAnotherWanted: () => boolean): Storm {
  const statuses = new Map<string, number>();
  const beganMs = performance.now();
  let seconds: number | undefined;
  const sent = (async () => {
    do await sendAll(tokens, statuses);
    while (isAnotherWanted());
    seconds = (performance.now() - beganMs) / 1000;
    return { seconds, statuses };
  })();
  return { isOver: () => seconds !== undefined, end: () => sent };
}

/** Sends good calls beside a storm, for as long as it lasts or for so many windows, and says what became of both. */
async function report(title: string, storm: Storm, windowsMax = Number.POSITIVE_INFINITY): Promise<void> {
  const cpuBefore = await cpuSeconds(gateway.pid);
  const windows: Steady[] = [];
  while (windows.length < windowsMax) {
    const window = await windowOfGood();
    // This one was partly beside nothing.
    if (storm.isOver()) break;
    windows.push(window);
  }
  const { seconds, statuses } = await storm.end();
  const calls = statuses.get('200') ?? 0;
  if (statuses.size !== 1 || calls === 0)
    throw new Error(`answers other than 200: ${JSON.stringify([...statuses])}`);
  const cpuUs = (((await cpuSeconds(gateway.pid)) - cpuBefore) * 1e6) / calls;
  console.log(
    `beside ${title}, ${calls} in ${seconds.toFixed(1)} s: ${describe(windows)}; ` +
      `the gateway's processor ${cpuUs.toFixed(0)} us each, the good calls' included`,
  );
}

function windowOfGood(): Promise<Steady> {
  return steadyLoad(gateway, Number(options.good), WINDOW_SECONDS);
}

async function sendAll(tokens: readonly string[], statuses: Map<string, number>): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, ...(rate === 0 && { maxSockets: SENDERS }) });
  const send = async (token: string) => {
    const status = await get(gateway.url, token, agent);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };
  if (rate === 0) await inTurns(tokens, SENDERS, send);
  else await atPace(tokens, rate, send);
  agent.destroy();
}

function get(url: string, token: string, agent: http.Agent): Promise<string> {
  return new Promise((resolve) => {
    const request = http.get(url, { agent, headers: { Authorization: `Bearer ${token}` } }, (answer) => {
      answer.resume().once('close', () => resolve(answer.complete ? String(answer.statusCode) : 'cut off'));
    });
    request.on('error', () => resolve('error'));
  });
}

async function inTurns<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await run(item);
    }),
  );
}

async function atPace<T>(
  items: readonly T[],
  perSecond: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const beganMs = performance.now();
  const running: Promise<void>[] = [];
  while (running.length < items.length) {
    const due = Math.min(items.length, Math.floor(((performance.now() - beganMs) * perSecond) / 1000));
    for (const item of items.slice(running.length, due)) running.push(run(item));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(running);
}

/** With all its threads. This process sends the storm: it must not take the gateway's core. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}

/** Processes that the store starts later have the core of the one that starts them. */
function moveStore(pid: number | undefined): void {
  if (pid === undefined) throw new Error('No process of the store is known');
  const { stdout } = spawnSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  for (const one of [pid, ...stdout.trim().split('\n').map(Number)]) pin(one, LOAD_CORE);
}

function describe(windows: readonly Steady[]): string {
  const ms = (values: readonly number[]) =>
    `${(median(values) / 1000).toFixed(1)} (${(Math.max(...values) / 1000).toFixed(1)} at most)`;
  const [p50, p99] = [windows.map(({ p50Us }) => p50Us), windows.map(({ p99Us }) => p99Us)];
  return `p50 ${ms(p50)}, p99 ${ms(p99)} ms in ${windows.length} windows of ${WINDOW_SECONDS} s`;
}
