import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that a test or a measurement starts, kills and starts again on the same port. */
export type OwnServer = {
  readonly url: string;
  kill(): Promise<void>;
  start(): Promise<void>;
};

const LIMIT_MS = 20_000;

/** The first of the programs that is installed. */
export function findProgram(...names: readonly string[]): string | undefined {
  return names.find((name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0);
}

/** Valkey or Redis, or undefined where neither is installed. */
export async function startValkey(): Promise<OwnServer | undefined> {
  const program = findProgram('valkey-server', 'redis-server');
  if (program === undefined) return undefined;
  const port = await unusedPort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  return startServer(program, args, port, `valkey://127.0.0.1:${port}`);
}

export async function startNats(): Promise<OwnServer | undefined> {
  const program = findProgram('nats-server');
  if (program === undefined) return undefined;
  const port = await unusedPort();
  return startServer(program, ['-a', '127.0.0.1', '-p', String(port)], port, `nats://127.0.0.1:${port}`);
}

async function startServer(
  program: string,
  args: readonly string[],
  port: number,
  url: string,
): Promise<OwnServer> {
  let child: ChildProcess | undefined;
  const server: OwnServer = {
    url,
    async kill() {
      const ending = child;
      child = undefined;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = once(ending, 'exit');
      ending.kill('SIGKILL');
      await ended;
    },
    async start() {
      child = spawn(program, args, { stdio: 'ignore' });
      const deadlineMs = Date.now() + LIMIT_MS;
      while (!(await canConnect(port))) {
        if (Date.now() > deadlineMs) throw new Error(`${program} does not listen`);
        await delay(20);
      }
    },
  };
  await server.start();
  return server;
}

async function canConnect(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
