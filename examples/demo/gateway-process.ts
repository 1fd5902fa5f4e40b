import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** How a gateway process ended: its exit code, or the signal that ended it. */
export type GatewayEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type GatewayProcess = {
  readonly pid: number;
  /** Everything that it wrote to its two outputs so far. */
  readonly logs: () => string;
  readonly ended: Promise<GatewayEnd>;
  /** Asks it to stop (SIGTERM) and waits until it has. Safe to call twice. */
  readonly stop: () => Promise<GatewayEnd>;
  /** Ends it at once (SIGKILL), as a crash would. */
  readonly kill: () => Promise<GatewayEnd>;
};

export type GatewayProcessOptions = {
  /** Its variables; of this process's own it only gets the few that programs need to run at all. */
  readonly env: Readonly<Record<string, string>>;
  /** Working directory: a `.env` file there is read. */
  readonly directory: string;
  /** A process group of its own, so that Ctrl-C in the terminal does not reach it past its parent. */
  readonly ownGroup?: boolean;
  readonly onOutput?: (text: string) => void;
  /** The gateway's main module, if it is not `src/main.ts`: a bundle of it. */
  readonly main?: string | undefined;
};

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'TMPDIR',
  'LANG',
  'TZ',
  'SYSTEMROOT',
  'TEMP',
  'NODE_COMPILE_CACHE',
];
const LAST_OUTPUT_MS = 1000;
const POLL_MS = 25;
const LOG_CHARACTERS_MAX = 16 * 1024 * 1024;

/** Starts the gateway in a process of its own. It may still fail: see `waitUntilReady`. */
export function startGatewayProcess(options: GatewayProcessOptions): GatewayProcess {
  const { env, directory, ownGroup = false, onOutput, main = MAIN } = options;
  const inherited = Object.fromEntries(
    INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    cwd: directory,
    // There is no load balancer here, so the gateway stops accepting at once.
    env: { SHUTDOWN_DELAY_MS: '0', ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: ownGroup,
  });
  let written = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written = (written + text).slice(-LOG_CHARACTERS_MAX);
      onOutput?.(text);
    });
  }
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ended = new Promise<GatewayEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      // Its own children may hold the pipes open for longer than it lives.
      const timer = setTimeout(() => resolve({ code, signal }), LAST_OUTPUT_MS);
      closed.then(() => {
        clearTimeout(timer);
        resolve({ code, signal });
      });
    });
  });
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return ended;
  };
  return {
    pid: child.pid ?? -1,
    logs: () => written,
    ended,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** Waits until the gateway at `url` is ready. Throws, with the last lines it wrote, if it ends instead or takes too long. */
export async function waitUntilReady(
  url: string,
  gateway: GatewayProcess,
  { timeoutMs = 60_000 }: { timeoutMs?: number } = {},
): Promise<void> {
  let end: GatewayEnd | undefined;
  gateway.ended.then(
    (how) => {
      end = how;
    },
    () => {
      end = { code: null, signal: null };
    },
  );
  const deadlineMs = Date.now() + timeoutMs;
  while (Date.now() < deadlineMs) {
    if (end !== undefined)
      throw new Error(`The gateway ended before it was ready (${describe(end)}).${tail(gateway)}`);
    if (await answersReady(url)) return;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  throw new Error(`The gateway was not ready within ${timeoutMs / 1000} s.${tail(gateway)}`);
}

async function answersReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

export function describe({ code, signal }: GatewayEnd): string {
  return signal === null ? `exit code ${code}` : `signal ${signal}`;
}

function tail(gateway: GatewayProcess): string {
  const lines = gateway.logs().trimEnd().split('\n').slice(-15);
  return lines.join('') === '' ? ' It wrote nothing.' : ` It wrote:\n  ${lines.join('\n  ')}`;
}
