import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LOAD_CORE, type Running } from './variants.ts';

const run = promisify(execFile);

export type Sample = {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly errors: number;
};

/** Loads a server with wrk on the load core. Times in microseconds. */
export async function load(server: Running, connections: number, seconds: number): Promise<Sample> {
  const headers = Object.entries(server.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const script = server.body === undefined ? [] : ['-s', await writeScript(server.body)];
  const { stdout } = await run('taskset', [
    '-c',
    String(LOAD_CORE),
    'wrk',
    '--latency',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    ...headers,
    ...script,
    server.url,
  ]);
  const errors = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1] ?? 0),
    p50Us: microseconds(/50%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    p99Us: microseconds(/99%\s+([\d.]+)(us|ms|s)/.exec(stdout)),
    errors: errors + (stdout.includes('Socket errors') ? 1 : 0),
  };
}

/** What makes wrk send a POST with this body. */
async function writeScript(body: string): Promise<string> {
  const path = join(await mkdtemp(join(tmpdir(), 'bench-wrk-')), 'post.lua');
  await writeFile(path, `wrk.method = 'POST'\nwrk.body = [==[${body}]==]\n`);
  return path;
}

export type Steady = {
  readonly p50Us: number;
  readonly p99Us: number;
  readonly statuses: Readonly<Record<string, number>>;
};

/** Loads a server at a steady rate (see steady-calls.ts), from the load core. */
export async function steadyLoad(
  server: Pick<Running, 'url' | 'headers'>,
  ratePerSecond: number,
  seconds: number,
  options: { readonly forge?: boolean } = {},
): Promise<Steady> {
  const script = join(import.meta.dirname, 'steady-calls.ts');
  const pinned = ['-c', String(LOAD_CORE), process.execPath, script];
  const what = ['--url', server.url, '--rate', String(ratePerSecond), '--seconds', String(seconds)];
  const { stdout } = await run('taskset', [...pinned, ...what, ...(options.forge ? ['--forge'] : [])], {
    env: { ...process.env, HEADERS: JSON.stringify(server.headers) },
  });
  return JSON.parse(stdout);
}

export type Counted = {
  readonly p50Us: number;
  readonly p99Us: number;
  /** Of the server's processor, in microseconds. */
  readonly cpuUsPerCall: number;
};

/** A number of calls (see counted-calls.ts), and what they cost the server. `post`: bytes of a body. */
export async function countedLoad(
  server: Running,
  { calls, connections = 16, post }: { calls: number; connections?: number; post?: number | undefined },
): Promise<Counted> {
  const script = join(import.meta.dirname, 'counted-calls.ts');
  const pinned = ['-c', String(LOAD_CORE), process.execPath, script, '--url', server.url];
  const amount = ['--calls', String(calls), '--connections', String(connections)];
  const posted = post === undefined ? [] : ['--post', String(post)];
  const before = await cpuSeconds(server.pid);
  const { stdout } = await run('taskset', [...pinned, ...amount, ...posted], {
    env: {
      ...process.env,
      HEADERS: JSON.stringify(server.headers),
      ...(server.body !== undefined && { BODY: server.body }),
    },
  });
  const { p50Us, p99Us, statuses } = JSON.parse(stdout);
  if (statuses['200'] !== calls) throw new Error(`answers other than 200: ${JSON.stringify(statuses)}`);
  return { p50Us, p99Us, cpuUsPerCall: (((await cpuSeconds(server.pid)) - before) / calls) * 1e6 };
}

function microseconds(match: RegExpExecArray | null): number {
  const factor = { us: 1, ms: 1_000, s: 1_000_000 }[match?.[2] ?? 'us'] ?? 1;
  return Number(match?.[1] ?? 0) * factor;
}

/** Resident memory in MiB; undefined where the process is not ours to look at. */
export async function residentMiB(pid: number | undefined): Promise<number | undefined> {
  if (pid === undefined) return undefined;
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

/** CPU seconds that a process has used so far (clock ticks of 10 ms, proc(5)). */
export async function cpuSeconds(pid: number | undefined): Promise<number> {
  if (pid === undefined) return 0;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
