/**
 * What a storm of refreshes does to the calls beside it: many users' tokens have run out, their calls come at once or at a steady
 * pace, and each of them waits for a new token. Beside them calls of one user whose token holds come at a steady rate; the same is measured beside
 * plain calls of that user, and of the many once they have their tokens. `node bench/refresh-storm.ts [--connections 10000] [--rate 0] [--good 200]`, where a rate of 0
 * lets 64 connections send as fast as they are answered.
 */
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import jwt from 'jsonwebtoken';
import { cpuSeconds, median, type Steady, steadyLoad } from './load.ts';
import { ALL_FLAGS, LOAD_CORE, PROXY_CORE, type Running } from './variants.ts';

const { values: options } = parseArgs({
  options: {
    connections: { type: 'string', default: '10000' },
    rate: { type: 'string', default: '0' },
    good: { type: 'string', default: '200' },
  },
});
const PORT = 29_873;
const URL_OF_GATEWAY = `http://127.0.0.1:${PORT}`;
const SETUP_TOKEN = 'bench-setup-token-0123456789';
const IMPORTS_AT_ONCE = 16;
const SENDERS = 64;
/** Refreshes before the storm, after which V8 has compiled what they run through. */
const WARM = 500;
/** Good calls are sent in windows of so many seconds, of which each has percentiles of its own. */
const WINDOW_SECONDS = 5;
/** So many where nothing else bounds them. */
const WINDOWS = 4;
const PATH = '/v1/contacts?limit=10';
const count = Number(options.connections);
const rate = Number(options.rate);
/** A call of the one user whose token holds. */
let good: Pick<Running, 'url' | 'headers'>;

const directory = mkdtempSync(join(tmpdir(), 'bench-storm-'));
// As root the embedded Postgres runs under another user, who has to get through.
chmodSync(directory, 0o755);
const upstream = await startTokenServer();
writeFileSync(
  join(directory, 'bench.yaml'),
  `id: bench
name: Bench
auth: oauth2
authorizationUrl: ${upstream.url}/authorize
tokenUrl: ${upstream.url}/token
apiBaseUrl: ${upstream.url}
`,
);
const gateway = spawn(
  'taskset',
  ['-c', String(PROXY_CORE), process.execPath, ...ALL_FLAGS, join(import.meta.dirname, '../src/main.ts')],
  {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      PORT: String(PORT),
      PUBLIC_URL: URL_OF_GATEWAY,
      DATA_DIR: join(directory, 'data'),
      CATALOG_DIR: directory,
      SETUP_TOKEN,
      ALLOW_PRIVATE_NETWORKS: 'true',
      LOG_LEVEL: 'warn',
      RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
      RATE_LIMIT_PROXY_PER_MINUTE: '1000000000',
    },
  },
);
try {
  await untilReady();
  pinHere(LOAD_CORE);
  await measure();
} finally {
  if (gateway.exitCode === null) {
    gateway.kill('SIGTERM');
    await once(gateway, 'exit');
  }
  upstream.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const { projectId, integrationId, key, sign } = await setUp();
  const spent = new Date(Date.now() - 60_000).toISOString();
  const users = Array.from({ length: WARM + count }, (_, index) => `user-${index}`);
  const expired = { accessToken: 'a'.repeat(120), refreshToken: 'r'.repeat(120), expiresAt: spent };
  await inTurns(users, IMPORTS_AT_ONCE, async (userId) => {
    await post('/connections', { integrationId, userId, credentials: expired }, key);
  });
  const credentials = { accessToken: 'a'.repeat(120) };
  await post('/connections', { integrationId, userId: 'good', credentials }, key);
  good = {
    url: `${URL_OF_GATEWAY}/projects/${projectId}/proxy/bench${PATH}`,
    headers: { Authorization: `Bearer ${sign('good')}` },
  };
  await sendAll(users.slice(0, WARM).map(sign), {});
  await steadyLoad(good, Number(options.good), WINDOW_SECONDS);
  const alone: Steady[] = [];
  while (alone.length < WINDOWS) alone.push(await steadyLoad(good, Number(options.good), WINDOW_SECONDS));
  console.log(`${options.good} good calls/s alone: ${describe(alone)}`);
  const stormy = users.slice(WARM);
  await report(
    'calls of one user, each with a token of its own',
    stormy.map(() => sign('good')),
    true,
  );
  await report('calls of as many users, each of which refreshes', stormy.map(sign), false);
  await report('calls of these users with what was refreshed', stormy.map(sign), true);
  const given = await upstream.countGiven();
  if (given !== WARM + count) throw new Error(`the provider gave ${given} tokens for ${WARM + count} users`);
}

/** Sends calls with the tokens for as long as windows of good calls are wanted, and says what became of both. */
async function report(title: string, tokens: readonly string[], isRepeated: boolean): Promise<void> {
  const windows: Steady[] = [];
  const byStatus: Record<string, number> = {};
  const cpuBefore = await cpuSeconds(gateway.pid);
  const beganMs = performance.now();
  let isOver = false;
  let endedMs = 0;
  const storm = (async () => {
    do await sendAll(tokens, byStatus);
    while (isRepeated && !isOver);
    isOver = true;
    endedMs = performance.now();
  })();
  while (!isOver && !(isRepeated && windows.length === WINDOWS)) {
    const window = await steadyLoad(good, Number(options.good), WINDOW_SECONDS);
    // The last one was partly beside nothing.
    if (!isOver) windows.push(window);
  }
  isOver = true;
  await storm;
  const count = Object.values(byStatus).reduce((sum, one) => sum + one, 0);
  if (byStatus['200'] !== count) throw new Error(`answers other than 200: ${JSON.stringify(byStatus)}`);
  const cpuUs = (((await cpuSeconds(gateway.pid)) - cpuBefore) * 1e6) / count;
  console.log(
    `beside ${title}, ${count} in ${((endedMs - beganMs) / 1000).toFixed(1)} s: ${describe(windows)}; ` +
      `the gateway's processor ${cpuUs.toFixed(0)} us each, the good calls' included`,
  );
}

async function sendAll(tokens: readonly string[], byStatus: Record<string, number>): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, ...(rate === 0 && { maxSockets: SENDERS }) });
  const send = async (token: string) => {
    const status = await get(good.url, token, agent);
    byStatus[status] = (byStatus[status] ?? 0) + 1;
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

async function setUp() {
  const setup = await post('/setup', {
    token: SETUP_TOKEN,
    email: 'bench@example.test',
    password: 'a long enough password',
  });
  const projectId: string = setup.project.id;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kid } = await post(
    `/projects/${projectId}/signing-keys`,
    { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }) },
    setup.personalAccessToken.token,
  );
  const key: string = setup.apiKey.key;
  const body = { serviceProvider: 'bench', clientId: 'c', clientSecret: 's', scopes: ['read'] };
  const integration = await post('/integrations', body, key);
  const sign = (subject: string) =>
    jwt.sign({}, privateKey, {
      algorithm: 'ES256',
      keyid: kid,
      subject,
      audience: projectId,
      expiresIn: '1h',
    });
  return { projectId, integrationId: integration.id as string, key, sign };
}

async function post(path: string, body: unknown, bearer?: string) {
  const answer = await fetch(`${URL_OF_GATEWAY}/v1${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(bearer && { Authorization: `Bearer ${bearer}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** The provider: its token endpoint and its API, in a process of its own on the load's core. */
async function startTokenServer() {
  const program = [process.execPath, join(import.meta.dirname, 'token-upstream.ts')];
  const child = spawn('taskset', ['-c', String(LOAD_CORE), ...program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    countGiven: async () => Number(await (await fetch(`${url}/given`)).text()),
    stop: () => child.kill(),
  };
}

async function untilReady(): Promise<void> {
  const isReady = () =>
    fetch(`${URL_OF_GATEWAY}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** This process sends the storm: it must not take the gateway's core. */
function pinHere(core: number): void {
  spawnSync('taskset', ['-a', '-c', '-p', String(core), String(process.pid)], { stdio: 'ignore' });
}

function describe(windows: readonly Steady[]): string {
  const ms = (values: readonly number[]) =>
    `${(median(values) / 1000).toFixed(1)} (${(Math.max(...values) / 1000).toFixed(1)} at most)`;
  const [p50, p99] = [windows.map(({ p50Us }) => p50Us), windows.map(({ p99Us }) => p99Us)];
  return `p50 ${ms(p50)}, p99 ${ms(p99)} ms in ${windows.length} windows of ${WINDOW_SECONDS} s`;
}
