import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { callApi, type Gateway } from '../support/gateway.ts';
import type { GatewayOptions } from '../support/gateway-environment.ts';
import { callProvider, provisionConnected, readiness, startHeldStage, until } from '../support/held-stage.ts';
import type { SpawnedGateway } from '../support/spawn-gateway.ts';

const stage = await startHeldStage();
afterAll(stage.close);

const untilTrue = (claim: () => boolean | Promise<boolean>) => until(async () => Number(await claim()), 1);

/** Two worker processes, both of which listen: the first makes the gateway ready before the other does. */
async function startWorkers(env: GatewayOptions['env'] = {}): Promise<SpawnedGateway> {
  const gateway = await stage.spawn({ env: { WEB_CONCURRENCY: '2', ...env } });
  await untilTrue(() => gateway.logs().includes('Set up the gateway'));
  return gateway;
}

describe('SIGTERM', () => {
  it('fails readiness at once, lets the call that is under way finish, and ends with exit code 0', async () => {
    const gateway = await stage.spawn({ env: { SHUTDOWN_DELAY_MS: '3000' } });
    const project = await provisionConnected(gateway);
    const [response, { release }] = await Promise.all([
      callProvider(gateway, project, '/held'),
      stage.provider.arrived(),
    ]);
    expect(response.status).toBe(200);
    const stopped = gateway.stop();
    await until(() => readiness(gateway), 503);
    expect((await callApi(gateway.url, 'GET', '/livez')).status).toBe(200);
    // The old call is answered to its end only when new ones are no longer accepted.
    await until(() => readiness(gateway), -1);
    release();
    expect(await response.text()).toBe('first half, second half');
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('drains every worker process, and answers every caller that connects meanwhile', async () => {
    const gateway = await startWorkers({ SHUTDOWN_DELAY_MS: '200' });
    const project = await provisionConnected(gateway);
    // More than one call per worker, each on a socket of its own, since keep-alive would stay with one worker.
    const calls = Array.from({ length: 6 }, () => callProvider(gateway, project, '/held'));
    const held = await Promise.all(calls.map(() => stage.provider.arrived()));
    const responses = await Promise.all(calls);
    const stopped = gateway.stop();
    const open = new Set<Socket>();
    const probes = { refused: 0 };
    while (probes.refused === 0) {
      const socket = connect(gateway.port, '127.0.0.1');
      open.add(socket);
      socket.on('error', (error) => {
        if ('code' in error && error.code === 'ECONNREFUSED') probes.refused += 1;
      });
      socket.on('close', () => open.delete(socket)).resume();
      socket.end('GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
      await setImmediate();
    }
    // The held calls keep the processes alive, so that nothing but their own doing closes these.
    await untilTrue(() => open.size === 0);
    for (const { release } of held) release();
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(bodies).toEqual(Array(6).fill('first half, second half'));
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('ends in order also while only the first worker process listens', async () => {
    const gateway = await stage.spawn({ env: { WEB_CONCURRENCY: '3' } });
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  it('does not wait for connections without a request', async () => {
    const gateway = await stage.spawn();
    const [silent, halfway] = [connect(gateway.port, '127.0.0.1'), connect(gateway.port, '127.0.0.1')];
    await Promise.all([once(silent, 'connect'), once(halfway, 'connect')]);
    halfway.write('GET /livez HTTP/1.1\r\nHos');
    // What the gateway had not read yet makes the end of the connection a reset.
    const closed = [silent, halfway].map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)),
    );
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    await Promise.all(closed);
  });

  it('does not wait for a call longer than it was told to', async () => {
    const gateway = await stage.spawn({ env: { SHUTDOWN_TIMEOUT_MS: '300' } });
    const project = await provisionConnected(gateway);
    const [response] = await Promise.all([callProvider(gateway, project, '/held'), stage.provider.arrived()]);
    const [end] = await Promise.all([gateway.stop(), expect(response.text()).rejects.toThrow()]);
    expect(end.signal).toBeNull();
  });
});

describe('a worker process', () => {
  let gateway: SpawnedGateway;
  beforeAll(async () => {
    gateway = await startWorkers();
  });

  /** The two workers, once both listen: a test may have ended some. */
  async function serving(): Promise<number[]> {
    const listening = () => childrenOf(gateway.pid).filter((pid) => isListening(pid, gateway.port));
    await untilTrue(() => listening().length === 2);
    return listening();
  }

  it('finds neither the keys nor the database in its environment', async () => {
    const secrets = [gateway.env.ENCRYPTION_KEYS, gateway.env.DATABASE_URL, gateway.env.SETUP_TOKEN];
    const environments = (await serving()).map((pid) => readFileSync(`/proc/${pid}/environ`, 'utf8'));
    expect(environments).toHaveLength(2);
    for (const secret of secrets) {
      expect(readFileSync(`/proc/${gateway.pid}/environ`, 'utf8')).toContain(secret);
      for (const environment of environments) expect(environment).not.toContain(secret);
    }
  });

  it('that is stuck keeps no new connection from the others', async () => {
    const [stuck = Number.NaN] = await serving();
    process.kill(stuck, 'SIGSTOP');
    try {
      await Promise.all(Array.from({ length: 8 }, () => askOnNewConnection(gateway)));
    } finally {
      process.kill(stuck, 'SIGKILL');
    }
    await untilGone([stuck]);
  });

  it('that dies ends the connections that it had, answered or not', async () => {
    const workers = await serving();
    const sockets = Array.from({ length: 8 }, () => connect(gateway.port, '127.0.0.1'));
    const ends = sockets.map(
      (socket) => new Promise((resolve) => socket.on('error', () => {}).on('close', resolve)),
    );
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const worker of workers) process.kill(worker, 'SIGSTOP');
    for (const socket of sockets) socket.resume().write('GET /livez HTTP/1.1\r\nHost: gateway\r\n\r\n');
    for (const worker of workers) process.kill(worker, 'SIGKILL');
    await Promise.all(ends);
    await untilGone(workers);
  });

  it('that dies is replaced, and the others serve meanwhile', async () => {
    const before = await serving();
    const project = await provisionConnected(gateway);
    process.kill(before[0] ?? -1, 'SIGKILL');
    await untilGone(before.slice(0, 1));
    expect((await callProvider(gateway, project, '/')).status).toBe(200);
    await untilTrue(() => childrenOf(gateway.pid).length === 2);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  /** fetch would use a connection again that it has to the stuck process. */
  async function askOnNewConnection({ port }: Gateway): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /livez HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n');
    expect((await text(socket)).startsWith('HTTP/1.1 200')).toBe(true);
  }

  /** Until the gateway has noticed that these workers ended. */
  const untilGone = (workers: readonly number[]) =>
    untilTrue(() => !childrenOf(gateway.pid).some((pid) => workers.includes(pid)));

  /** Whether the process has the socket that listens on the port of 127.0.0.1 (proc(5), `/proc/net/tcp`). */
  function isListening(pid: number, port: number): boolean {
    const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`;
    const sockets = readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1);
    const fields = sockets.map((line) => line.trim().split(/\s+/));
    const [socket] = fields.filter(([, local, , state]) => local === address && state === '0A');
    const target = `socket:[${socket?.[9]}]`;
    try {
      const descriptors = readdirSync(`/proc/${pid}/fd`);
      return descriptors.some((descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`) === target);
    } catch {
      // The process has ended, or has closed what it had open.
      return false;
    }
  }

  function childrenOf(pid: number): number[] {
    const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return listed === '' ? [] : listed.split(' ').map(Number);
  }
});
