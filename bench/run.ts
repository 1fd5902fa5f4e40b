import { parseArgs } from 'node:util';
import { cpuSeconds, load, median, residentMiB, type Sample, type Steady, steadyLoad } from './load.ts';
import { type Running, startUpstream, type Variant, variants } from './variants.ts';

/**
 * `npm run bench`: one run, all variants interleaved, so that a noisy machine disturbs all of them alike. Ratios of
 * medians are what counts; absolute figures are of this machine and this minute.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '64' },
    only: { type: 'string' },
    /** Bytes of a body: POSTs in the place of GETs. */
    post: { type: 'string' },
  },
});
const REFERENCE = 'httpxy';

type Result = {
  variant: Variant;
  server: Running;
  many: Sample[];
  one: Sample[];
  cpuUs: number[];
  queriesPerCall: number | undefined;
};

const upstream = await startUpstream();
const results: Result[] = [];
const seconds = Number(options.seconds);
const body = options.post === undefined ? undefined : JSON.stringify('x'.repeat(Number(options.post) - 2));
try {
  await startAll();
  for (const { server } of results) await load(server, 64, 3);
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const result of results) await measure(result);
  }
  await report();
  if (body === undefined) {
    await reportSteady();
    await reportFlood();
  }
} finally {
  // Also when a variant fails: a server left behind would disturb every later run.
  for (const { server } of results) await server.stop();
  await upstream.stop();
}

async function startAll(): Promise<void> {
  const names = options.only?.split(',');
  const chosen = variants.filter(({ name, isExtra }) => names?.includes(name) ?? !isExtra);
  for (const variant of chosen) {
    const started = findShared(variant) ?? (await variant.start(upstream.url));
    // A caller of any proxy sends a credential of this size.
    const server = {
      ...(body !== undefined && { body }),
      ...started,
      headers: {
        Authorization: `Bearer ${'j'.repeat(480)}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...started.headers,
      },
    };
    results.push({ variant, server, many: [], one: [], cpuUs: [], queriesPerCall: undefined });
  }
}

/** The running server of another variant that this one sends something else to. */
function findShared({ name, sharedWith }: Variant): Running | undefined {
  const server = results.find(({ variant }) => variant.name === sharedWith)?.server;
  const sent = server?.others?.[name];
  return server && sent && { ...server, ...sent, stop: async () => {} };
}

async function measure(result: Result): Promise<void> {
  const { server } = result;
  const cpuBefore = await cpuSeconds(server.pid);
  const queriesBefore = await server.queries?.();
  const many = await load(server, Number(options.connections), seconds);
  const calls = many.perSecond * seconds;
  result.many.push(many);
  result.cpuUs.push((((await cpuSeconds(server.pid)) - cpuBefore) / calls) * 1e6);
  const queriesAfter = await server.queries?.();
  if (queriesBefore !== undefined && queriesAfter !== undefined) {
    result.queriesPerCall = (queriesAfter - queriesBefore) / calls;
  }
  result.one.push(await load(server, 1, Math.max(1, Math.round(seconds / 2))));
}

async function report(): Promise<void> {
  const rows = [];
  const reference = results.find(({ variant }) => variant.name === REFERENCE);
  const base = reference && median(reference.many.map(({ perSecond }) => perSecond));
  for (const { variant, server, many, one, cpuUs, queriesPerCall } of results) {
    const perSecond = median(many.map((sample) => sample.perSecond));
    rows.push({
      variant: variant.name,
      'calls/s': Math.round(perSecond),
      ratio: base ? Number((perSecond / base).toFixed(2)) : undefined,
      'CPU us': server.pid === undefined ? undefined : Math.round(median(cpuUs)),
      'p50 us': median(many.map((sample) => sample.p50Us)),
      'p99 us': median(many.map((sample) => sample.p99Us)),
      'p50 us, 1 conn.': median(one.map((sample) => sample.p50Us)),
      'p99 us, 1 conn.': median(one.map((sample) => sample.p99Us)),
      'RSS MiB': await residentMiB(server.pid),
      'queries/call': queriesPerCall,
      errors: many.concat(one).reduce((sum, sample) => sum + sample.errors, 0),
    });
  }
  console.table(rows);
}

/** Latency where nothing queues: 1,000 calls a second. */
async function reportSteady(): Promise<void> {
  const steady = new Map<Result, Steady[]>(results.map((result) => [result, []]));
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const [{ server }, samples] of steady)
      if (server.body === undefined) samples.push(await steadyLoad(server, 1_000, seconds));
  }
  const rows = [...steady].map(([{ variant }, samples]) => ({
    '1,000 calls/s': variant.name,
    'p50 us': median(samples.map(({ p50Us }) => p50Us)),
    'p99 us': median(samples.map(({ p99Us }) => p99Us)),
  }));
  console.table(rows);
}

/**
 * What 2,000 forged user tokens a second do to the good calls beside them. Two generators disturb each other on their
 * core, therefore what the same number of calls to the upstream itself does is measured as well.
 */
async function reportFlood(): Promise<void> {
  const gateway = results.find(({ variant }) => variant.name === 'gateway')?.server;
  if (gateway === undefined) return;
  const cases = [
    { name: 'alone', beside: async () => {}, good: [] as Steady[] },
    {
      name: 'beside 2,000 calls/s to the upstream',
      beside: () => steadyLoad(upstream, 2_000, seconds),
      good: [] as Steady[],
    },
    {
      name: 'beside 2,000 forged tokens/s',
      beside: () => steadyLoad(gateway, 2_000, seconds, { forge: true }),
      good: [] as Steady[],
    },
  ];
  for (let round = 0; round < Number(options.rounds); round += 1) {
    for (const { beside, good } of cases) {
      const [sample] = await Promise.all([steadyLoad(gateway, 200, seconds), beside()]);
      good.push(sample);
    }
  }
  const rows = cases.map(({ name, good }) => ({
    '200 good calls/s': name,
    'p50 us': median(good.map(({ p50Us }) => p50Us)),
    'p99 us': median(good.map(({ p99Us }) => p99Us)),
  }));
  console.table(rows);
}
