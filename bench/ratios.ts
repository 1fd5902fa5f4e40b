import { parseArgs } from 'node:util';
import { type Counted, countedLoad, median } from './load.ts';
import { largeFileAt, otherGateway, type Running, startPlainUpstream, variants } from './variants.ts';

/**
 * `npm run bench:ratios`: the processor's time of a call by the gateway, as a ratio to bare httpxy's. Calls are counted
 * and rounds interleaved, so that it says something on a machine that does other work too. `npm run bench:check` is
 * short, and fails where a ratio is far beyond what it usually is. `--other <folder>` measures another checkout as well.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    calls: { type: 'string' },
    only: { type: 'string' },
    other: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds ?? (options.check ? 4 : 7));
const callsPerRound = Number(options.calls ?? (options.check ? 600 : 4_000));

type Kind = {
  readonly name: string;
  /** Of the calls of a round. */
  readonly share: number;
  /** Bytes of a body. */
  readonly post?: number;
  readonly isLarge?: true;
  /** The ratio that a check still takes, half as much again as the largest of a process that has just started. */
  readonly ratioMax: number;
};

const KINDS: readonly Kind[] = [
  { name: 'GET', share: 1, ratioMax: 2 },
  { name: 'POST 1 KB', share: 1, post: 1024, ratioMax: 2 },
  { name: 'POST 64 KB', share: 1 / 4, post: 64 * 1024, ratioMax: 3 },
  { name: '10 MB down', share: 1 / 60, isLarge: true, ratioMax: 3.5 },
  { name: '10 MB up', share: 1 / 60, post: 10 * 1024 * 1024, ratioMax: 5 },
];

const upstream = await startPlainUpstream();
const servers = new Map<string, Running>();
const slow: string[] = [];
try {
  const all = [...variants, ...(options.other === undefined ? [] : [otherGateway(options.other)])];
  for (const { name, start } of all) {
    if (!['httpxy', 'gateway', 'gateway-other'].includes(name)) continue;
    const server = await start(upstream.url);
    // A caller of any proxy sends a credential of this size.
    const headers = { Authorization: `Bearer ${'j'.repeat(480)}`, ...server.headers };
    servers.set(name, { ...server, headers });
  }
  for (const kind of KINDS) if (options.only?.split(',').includes(kind.name) ?? true) await compare(kind);
} finally {
  for (const server of servers.values()) await server.stop();
  await upstream.stop();
}
if (options.check && slow.length > 0) {
  console.error(
    `More processor a call than usual: ${slow.join(', ')}. Run it again; docs/performance.md has how.`,
  );
  process.exitCode = 1;
}

async function compare(kind: Kind): Promise<void> {
  const samples = new Map<string, number[]>([...servers.keys()].map((name) => [name, []]));
  // V8 compiles a process by what it meets.
  for (const server of servers.values()) await measure(server, kind, 4);
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, server] of servers)
      samples.get(name)?.push((await measure(server, kind, 1)).cpuUsPerCall);
  }
  const reference = samples.get('httpxy') ?? [];
  console.table(
    [...samples].map(([name, cpuUs]) => ({
      [kind.name]: name,
      'CPU us': Math.round(median(cpuUs)),
      'ratio, median': medianRatio(cpuUs, reference).toFixed(2),
      'ratio, least disturbed': leastRatio(cpuUs, reference).toFixed(2),
    })),
  );
  // One round of luck or of bad luck decides nothing.
  const ours = samples.get('gateway') ?? [];
  if (leastRatio(ours, reference) > kind.ratioMax && medianRatio(ours, reference) > kind.ratioMax)
    slow.push(kind.name);
}

function measure(server: Running, { share, post, isLarge }: Kind, times: number): Promise<Counted> {
  const calls = Math.max(4, Math.round(callsPerRound * share)) * times;
  const connections = share < 1 / 10 ? 4 : 16;
  return countedLoad(isLarge ? { ...server, url: largeFileAt(server.url) } : server, {
    ...{ calls, connections, post },
  });
}

function medianRatio(cpuUs: readonly number[], reference: readonly number[]): number {
  return median(cpuUs.map((value, round) => value / (reference[round] ?? 0)));
}

/** What else the machine does only ever adds to a call. */
function leastRatio(cpuUs: readonly number[], reference: readonly number[]): number {
  return Math.min(...cpuUs) / Math.min(...reference);
}
