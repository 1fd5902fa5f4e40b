import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import type { Example } from './catalog.ts';

const START_MS_MAX = 300_000;
const POLL_MS = 100;
/** What programs need of the environment; an example gets its own variables beside these, and nothing else. */
const INHERITED = ['HOME', 'USER', 'TMPDIR', 'LANG', 'GOPATH', 'GOCACHE', 'GOMODCACHE', 'GOPROXY'];

export type Program = {
  /** Everything that it wrote so far. */
  readonly logs: () => string;
  readonly ended: Promise<number | null>;
  /** Types a line, as a person would. */
  readonly type: (line: string) => void;
  readonly stop: () => Promise<void>;
};

/** Starts an example by its command, in a process group of its own: npm, and whatever it starts, end together. */
export function startProgram(
  { start: [command = '', ...parts] }: Pick<Example, 'start'>,
  folder: string,
  env: Readonly<Record<string, string>>,
  onOutput: (text: string) => void = () => undefined,
): Program {
  const inherited = Object.fromEntries(INHERITED.flatMap((name) => [[name, process.env[name]]]));
  // The Node that runs this, which is new enough, before that of the machine.
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const child = spawn(command, parts, {
    cwd: folder,
    env: { ...inherited, PATH: path, NEXT_TELEMETRY_DISABLED: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
      onOutput(text);
    });
  const ended = once(child, 'close').then(() => child.exitCode);
  return {
    logs: () => written,
    ended,
    type: (line) => {
      child.stdin.write(`${line}\n`);
    },
    stop: async () => {
      if (child.pid !== undefined && child.exitCode === null) killGroup(child.pid);
      await ended;
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

/** Waits until the page answers. Throws, with what the program wrote, where it ends or takes too long. */
export async function untilAnswers(url: string, program: Program): Promise<void> {
  const deadlineMs = Date.now() + START_MS_MAX;
  let hasEnded = false;
  program.ended.then(() => {
    hasEnded = true;
  });
  while (Date.now() < deadlineMs && !hasEnded) {
    const response = await fetch(url, { redirect: 'manual' }).catch(() => undefined);
    await response?.body?.cancel();
    if (response !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`It never answered at ${url}:\n${program.logs().slice(-4_000)}`);
}
