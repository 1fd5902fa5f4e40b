import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { type Project, provision } from '../support/gateway.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';
import {
  BODY,
  connectAll,
  type FaultyProviders,
  HEALTHY,
  SECRET,
  startFaultyProviders,
  TRANSPORTS,
  type Transport,
} from './faulty-providers.ts';

const USER = 'user-1';
/** Past the heads, TLS's included, and in the midst of the body. */
const IN_THE_BODY = 40_000;
const CONNECT_TIMEOUT_MS = '1500';
/** More than the one before: the proxy's client does not say whether a call waits for a connection or makes one. */
const TIMEOUT_MS = '3000';

/** What a caller gets: a status and a code, an answer that is cut off, or one that is whole. */
type Outcome = `${number} ${string}` | 'cut off' | 'whole';

type FaultCase = {
  readonly title: string;
  readonly fault: Fault | 'refuse';
  /** One of these: networks may lose a byte earlier or later. */
  readonly outcomes: readonly Outcome[];
  /** Where what TLS makes of it is something else. */
  readonly tls?: readonly Outcome[];
};

const UNREACHABLE = '502 upstream_unreachable';
const TIMED_OUT = '504 upstream_timeout';
const INVALID = '502 upstream_invalid_response';

const CASES: readonly FaultCase[] = [
  { title: 'refuses connections', fault: 'refuse', outcomes: [UNREACHABLE] },
  { title: 'is a black hole', fault: { kind: 'black hole' }, outcomes: [TIMED_OUT] },
  { title: 'never answers', fault: { kind: 'silence', after: 0 }, outcomes: [TIMED_OUT] },
  {
    title: 'stops in the midst of its answer',
    fault: { kind: 'silence', after: IN_THE_BODY },
    outcomes: ['cut off'],
  },
  { title: 'resets before its answer', fault: { kind: 'reset', after: 0 }, outcomes: [UNREACHABLE] },
  {
    title: 'resets in the midst of its answer',
    fault: { kind: 'reset', after: IN_THE_BODY },
    outcomes: ['cut off', UNREACHABLE],
  },
  { title: 'ends before its answer', fault: { kind: 'end', after: 0 }, outcomes: [UNREACHABLE] },
  {
    title: 'ends in the midst of its chunks',
    fault: { kind: 'end', after: IN_THE_BODY },
    outcomes: ['cut off'],
  },
  { title: 'ends in the midst of its head', fault: { kind: 'end', after: 20 }, outcomes: [UNREACHABLE] },
  {
    title: 'answers garbage',
    fault: { kind: 'garbage', bytes: '\u0000\u0001garbage\r\n\r\n' },
    outcomes: [INVALID],
    tls: [UNREACHABLE],
  },
  {
    title: 'has its bits turned over',
    fault: { kind: 'corruption', after: 0 },
    outcomes: [INVALID],
    tls: [UNREACHABLE],
  },
  {
    title: 'has bits turned over in the midst of its answer',
    fault: { kind: 'corruption', after: IN_THE_BODY },
    // Chunks with another length are noticed, another letter is not: that is what TLS is for.
    outcomes: ['cut off', 'whole'],
    tls: ['cut off'],
  },
  {
    title: 'sends its head byte by byte for longer than a caller waits',
    fault: { kind: 'dribble', everyMs: 100 },
    outcomes: [TIMED_OUT],
  },
  { title: 'is late', fault: { kind: 'latency', ms: 200 }, outcomes: ['whole'] },
  {
    title: 'has a narrow line',
    fault: { kind: 'bandwidth', bytesPerSecond: 200_000 },
    outcomes: ['whole'],
  },
];

const nameOf = (index: number) => `case-${index}`;

let providers: FaultyProviders;
let gateway: SpawnedGateway;
let project: Project;
let other: { project: Project; stop(): Promise<{ calls: number; failed: readonly string[] }> };

beforeAll(async () => {
  providers = await startFaultyProviders(CASES.map((_case, index) => nameOf(index)));
  const authority = join(providers.catalogDir, 'authority.pem');
  writeFileSync(authority, TEST_CERTIFICATE);
  gateway = await spawnGateway({
    catalogDir: providers.catalogDir,
    env: {
      NODE_EXTRA_CA_CERTS: authority,
      PROXY_CONNECT_TIMEOUT_MS: CONNECT_TIMEOUT_MS,
      PROXY_FIRST_BYTE_TIMEOUT_MS: TIMEOUT_MS,
      PROXY_IDLE_TIMEOUT_MS: TIMEOUT_MS,
      RATE_LIMIT_PROXY_PER_MINUTE: '0',
    },
  });
  project = await provision(gateway);
  await connectAll(gateway.url, project, providers.ids, USER);
  other = startNeighbour();
});

afterAll(async () => {
  await gateway?.stop();
  await providers?.close();
});

let calls = 0;

async function call(id: string, method: string): Promise<{ outcome: Outcome; text: string; times: number }> {
  calls += 1;
  const name = `${id}-${calls}`;
  const response = await fetch(`${gateway.url}/projects/${project.id}/proxy/${id}/things?call=${name}`, {
    method,
    headers: { authorization: `Bearer ${project.userToken(USER)}` },
    ...(method === 'POST' && { body: 'once' }),
  });
  const text = await response.text().catch(() => undefined);
  const times = providers.timesSeen(name);
  if (response.status !== 200)
    return {
      outcome: `${response.status} ${response.headers.get('gateway-error')}`,
      text: `${text} ${JSON.stringify([...response.headers])}`,
      times,
    };
  return { outcome: text === undefined ? 'cut off' : 'whole', text: text ?? '', times };
}

/** Calls the healthy provider without a pause, as another tenant's application does. */
function startNeighbour(): typeof other {
  const failed: string[] = [];
  let healthy = 0;
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const { outcome, text } = await call(HEALTHY, 'GET');
      healthy += 1;
      if (outcome !== 'whole' || text !== BODY) failed.push(outcome);
    }
  };
  const working = Promise.all([work(), work()]);
  return {
    project,
    async stop() {
      isOver = true;
      await working;
      return { calls: healthy, failed };
    },
  };
}

const countDescriptors = () => readdirSync(`/proc/${gateway.pid}/fd`).length;

async function injectAndCall(transport: Transport, index: number) {
  const { fault, outcomes, tls } = CASES[index] ?? CASES[0]!;
  const id = `${transport}-${nameOf(index)}`;
  const proxy = providers.proxy(id);
  // A connection that has served before is there when the fault comes.
  expect((await call(id, 'GET')).outcome).toBe('whole');
  if (fault === 'refuse') await proxy.refuse();
  else proxy.inject(fault);
  const got = await Promise.all(['GET', 'POST', 'GET', 'POST'].map((method) => call(id, method)));
  const expected = transport === 'tls' && tls !== undefined ? tls : outcomes;
  expect(got.map(({ outcome }) => outcome).filter((outcome) => !expected.includes(outcome))).toEqual([]);
  for (const { outcome, text, times } of got) {
    if (/^\d/.test(outcome)) expect(text).not.toMatch(new RegExp(`${SECRET}|${proxy.port}`));
    expect(times).toBeLessThanOrEqual(2);
  }
  // What may have taken effect is sent once.
  for (const index of [1, 3]) expect(got[index]?.times).toBeLessThanOrEqual(1);
  if (fault === 'refuse') await proxy.accept();
  else proxy.inject(undefined);
  await until(async () => (await call(id, 'GET')).outcome === 'whole');
}

describe.each(TRANSPORTS)('over %s, a provider', (transport) => {
  // All at the same time, each behind a proxy of its own.
  const runs = new Map<number, Promise<void>>();
  beforeAll(() => {
    for (const index of CASES.keys()) {
      const run = injectAndCall(transport, index);
      run.catch(() => undefined);
      runs.set(index, run);
    }
  });
  it.each(CASES.map(({ title }, index) => [title, index] as const))(
    'that %s gets what may have taken effect once, has callers hear of it within the time-outs, and is called again when it is well',
    async (_title, index) => runs.get(index),
  );
});

describe('while providers are at fault', () => {
  it('calls of others are served, and descriptors come back', async () => {
    const { calls: healthy, failed } = await other.stop();
    expect(failed).toEqual([]);
    expect(healthy).toBeGreaterThan(10);
    const few = 60 + CASES.length * TRANSPORTS.length * 4;
    await until(() => countDescriptors() < few);
    expect(gateway.logs()).not.toContain(SECRET);
    expect(gateway.logs()).not.toContain('"code":"internal_error"');
  });
});
