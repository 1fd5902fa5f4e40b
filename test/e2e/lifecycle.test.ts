import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { callApi } from '../support/gateway.ts';
import { callProvider, provisionConnected, readiness, startHeldStage, until } from '../support/held-stage.ts';

const stage = await startHeldStage();
afterAll(stage.close);

describe('SIGTERM', () => {
  it('fails readiness at once, lets the call that is under way finish, and ends with exit code 0', async () => {
    const gateway = await stage.start({ env: { SHUTDOWN_DELAY_MS: '1000' } });
    const project = await provisionConnected(gateway);
    const [response, { release }] = await Promise.all([
      callProvider(gateway, project, '/held'),
      stage.provider.arrived(),
    ]);
    expect(response.status).toBe(200);
    const stopped = gateway.stop();
    await until(() => readiness(gateway), 503);
    expect((await callApi(gateway.url, 'GET', '/livez')).status).toBe(200);
    // Only when nobody new is let in any more is the old call answered to its end.
    await until(() => readiness(gateway), -1);
    release();
    expect(await response.text()).toBe('first half, second half');
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('drains every worker process, too', async () => {
    const gateway = await stage.start({
      env: { WEB_CONCURRENCY: '2', SHUTDOWN_DELAY_MS: '1000' },
    });
    const project = await provisionConnected(gateway);
    // More than one call per worker, each on a socket of its own, since keep-alive would stay with one worker.
    const calls = Array.from({ length: 6 }, () => callProvider(gateway, project, '/held'));
    const held = await Promise.all(calls.map(() => stage.provider.arrived()));
    const responses = await Promise.all(calls);
    const stopped = gateway.stop();
    await until(() => readiness(gateway), -1);
    for (const { release } of held) release();
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(bodies).toEqual(Array(6).fill('first half, second half'));
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('does not wait for connections on which nobody ever asked anything', async () => {
    const gateway = await stage.start({});
    const { port } = new URL(gateway.url);
    const [silent, halfway] = [connect(Number(port), '127.0.0.1'), connect(Number(port), '127.0.0.1')];
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
    const gateway = await stage.start({ env: { SHUTDOWN_TIMEOUT_MS: '300' } });
    const project = await provisionConnected(gateway);
    const [response] = await Promise.all([callProvider(gateway, project, '/held'), stage.provider.arrived()]);
    const [end] = await Promise.all([gateway.stop(), expect(response.text()).rejects.toThrow()]);
    expect(end.signal).toBeNull();
  });
});

describe('a worker process that dies', () => {
  it('is replaced, and the others serve meanwhile', async () => {
    const gateway = await stage.start({ env: { WEB_CONCURRENCY: '2' } });
    const project = await provisionConnected(gateway);
    const before = await childrenOf(gateway.pid);
    expect(before).toHaveLength(2);
    process.kill(before[0] ?? -1, 'SIGKILL');
    await untilTrue(async () => !(await childrenOf(gateway.pid)).includes(before[0] ?? -1));
    expect((await callProvider(gateway, project, '/')).status).toBe(200);
    await untilTrue(async () => (await childrenOf(gateway.pid)).length === 2);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
  });

  async function childrenOf(pid: number): Promise<number[]> {
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(pid)]);
    return stdout.trim().split('\n').map(Number);
  }

  const untilTrue = (claim: () => Promise<boolean>) => until(async () => Number(await claim()), 1);
});
