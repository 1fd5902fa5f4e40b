import { parseArgs } from 'node:util';
import { countedLoad, median } from './load.ts';
import { bareMcp, otherGateway, type Running, startPlainUpstream, variants } from './variants.ts';

/**
 * `npm run bench:agents`: the processor's time of a GET as the tool `read` of the MCP door, in both revisions, as a
 * ratio to the same GET as a proxied call, beside the official SDK with a tool that does nothing. All calls of a gateway
 * go to one process. Rounds are interleaved; `--other <folder>` measures another checkout as well.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '3000' },
    other: { type: 'string' },
  },
});
const rounds = Number(options.rounds);
const calls = Number(options.calls);

/** What `bench/provision.ts` calls the reads. */
const REVISIONS = [
  ['gateway-agent', '2026-07-28'],
  ['gateway-agent-2025', '2025-11-25'],
] as const;

type Case = { readonly name: string; readonly server: Running; readonly reference: string };

const upstream = await startPlainUpstream();
const started: Running[] = [];
try {
  report(await measure(await startAll()));
} finally {
  for (const server of started) await server.stop();
  await upstream.stop();
}

async function startAll(): Promise<Case[]> {
  const gateways = variants.filter(({ name }) => name === 'gateway');
  if (options.other !== undefined) gateways.push(otherGateway(options.other));
  const cases: Case[] = [];
  for (const { name, start } of gateways) {
    const server = await start(upstream.url);
    started.push(server);
    cases.push({ name: `${name}: proxied`, server, reference: `${name}: proxied` });
    for (const [other, revision] of REVISIONS) {
      const sent = server.others?.[other];
      if (sent === undefined) continue;
      const read = { name: `${name}: read, ${revision}`, server: { ...server, ...sent } };
      cases.push({ ...read, reference: `${name}: proxied` });
      if (name !== 'gateway') continue;
      const bare = await bareMcp.start(upstream.url);
      started.push(bare);
      const same = { ...bare, headers: sent.headers, ...(sent.body !== undefined && { body: sent.body }) };
      cases.push({ name: `the SDK alone, ${revision}`, server: same, reference: 'gateway: proxied' });
    }
  }
  return cases;
}

async function measure(cases: readonly Case[]): Promise<ReadonlyMap<Case, readonly number[]>> {
  const samples = new Map<Case, number[]>(cases.map((one) => [one, []]));
  // V8 compiles a process by what it meets.
  for (const { server } of cases) await countedLoad(server, { calls: calls * 3 });
  for (let round = 0; round < rounds; round += 1) {
    for (const [{ server }, cpuUs] of samples)
      cpuUs.push((await countedLoad(server, { calls })).cpuUsPerCall);
  }
  return samples;
}

function report(samples: ReadonlyMap<Case, readonly number[]>): void {
  const byName = new Map([...samples].map(([{ name }, cpuUs]) => [name, cpuUs]));
  const rows = [...samples].map(([{ name, reference }, cpuUs]) => {
    const base = byName.get(reference) ?? [];
    const ratios = cpuUs.map((value, round) => value / (base[round] ?? 0));
    return {
      call: name,
      'CPU us': Math.round(median(cpuUs)),
      'ratio, median': median(ratios).toFixed(2),
      lowest: Math.min(...ratios).toFixed(2),
      highest: Math.max(...ratios).toFixed(2),
      'ratio, least disturbed': (Math.min(...cpuUs) / Math.min(...base)).toFixed(2),
    };
  });
  console.table(rows);
}
