import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  callApi,
  callApiOk,
  createEncryptionKey,
  type Gateway,
  type GatewayOptions,
  type Project,
  provision,
  runRefusedGateway,
  startGateway,
} from '../support/gateway.ts';
import { type HeldProvider, startHeldProvider } from '../support/held-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { relayTargetOf, startTcpRelay, type TcpRelay, urlThroughRelay } from '../support/tcp-relay.ts';

const USER = 'mia';

let provider: HeldProvider;
let catalogDir: string;
const started: Gateway[] = [];

/** Whatever a test leaves running is stopped in the end. */
async function start(options: GatewayOptions): Promise<Gateway> {
  const gateway = await startGateway({ catalogDir, ...options });
  started.push(gateway);
  return gateway;
}

beforeAll(async () => {
  provider = await startHeldProvider();
  catalogDir = await mkdtemp(join(tmpdir(), 'gateway-e2e-catalog-'));
  await writeFile(join(catalogDir, 'held.yaml'), provider.providerFile);
});

afterAll(async () => {
  for (const gateway of started) await gateway.stop();
  await provider?.close();
  await rm(catalogDir, { recursive: true, force: true });
});

/** A project with one user whose connection was brought along. */
async function provisionConnected(gateway: Gateway): Promise<Project> {
  const project = await provision(gateway);
  const bearer = project.apiKey;
  const body = { serviceProvider: 'held', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body });
  const credentials = { accessToken: 'access-token' };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: USER, credentials },
  });
  return project;
}

function callProvider(gateway: Pick<Gateway, 'url'>, project: Project, path: string, signal?: AbortSignal) {
  return fetch(`${gateway.url}/projects/${project.id}/proxy/held${path}`, {
    headers: { authorization: `Bearer ${project.userToken(USER)}` },
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Calls until the answer is the one wanted; -1 stands for none at all. Throws after ten seconds. */
async function until(call: () => Promise<number>, wanted: number): Promise<void> {
  const deadlineMs = Date.now() + 10_000;
  for (;;) {
    const status = await call().catch(() => -1);
    if (status === wanted) return;
    if (Date.now() > deadlineMs) throw new Error(`Still ${status} instead of ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const readiness = async ({ url }: Gateway) => (await callApi(url, 'GET', '/readyz')).status;

describe('SIGTERM', () => {
  it('fails readiness at once, lets the call that is under way finish, and ends with exit code 0', async () => {
    const gateway = await start({ env: { SHUTDOWN_DELAY_MS: '1000' } });
    const project = await provisionConnected(gateway);
    const [response, { release }] = await Promise.all([
      callProvider(gateway, project, '/held'),
      provider.arrived(),
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
    const gateway = await start({
      env: { WEB_CONCURRENCY: '2', SHUTDOWN_DELAY_MS: '1000' },
    });
    const project = await provisionConnected(gateway);
    // More than one call per worker, each on a socket of its own, since keep-alive would stay with one worker.
    const calls = Array.from({ length: 6 }, () => callProvider(gateway, project, '/held'));
    const held = await Promise.all(calls.map(() => provider.arrived()));
    const responses = await Promise.all(calls);
    const stopped = gateway.stop();
    await until(() => readiness(gateway), -1);
    for (const { release } of held) release();
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(bodies).toEqual(Array(6).fill('first half, second half'));
    expect(await stopped).toEqual({ code: 0, signal: null });
  });

  it('does not wait for a call longer than it was told to', async () => {
    const gateway = await start({ env: { SHUTDOWN_TIMEOUT_MS: '300' } });
    const project = await provisionConnected(gateway);
    const [response] = await Promise.all([callProvider(gateway, project, '/held'), provider.arrived()]);
    const [end] = await Promise.all([gateway.stop(), expect(response.text()).rejects.toThrow()]);
    expect(end.signal).toBeNull();
  });
});

describe('a worker process that dies', () => {
  it('is replaced, and the others serve meanwhile', async () => {
    const gateway = await start({ env: { WEB_CONCURRENCY: '2' } });
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

describe('a configuration that cannot work', () => {
  const SECRET = 'sw0rdfish-never-to-be-shown';

  async function refusalOf(options: GatewayOptions): Promise<string> {
    const { end, logs } = await runRefusedGateway(options);
    expect(end).toEqual({ code: 1, signal: null });
    expect(logs).not.toContain(SECRET);
    // A person reads this: what is wrong, not where the code stood when it noticed.
    expect(logs).not.toMatch(/^\s+at .+:\d+:\d+/m);
    return logs;
  }

  it.each([
    ['is no URL', 'gateway.example.com'],
    ['is plain http on a public host', 'http://gateway.example.com'],
    ['has a path', 'http://localhost:3000/gateway'],
  ])('is refused by name: a PUBLIC_URL that %s', async (_how, PUBLIC_URL) => {
    expect(await refusalOf({ databaseUrl: 'postgresql://nowhere.test/x', env: { PUBLIC_URL } })).toContain(
      'PUBLIC_URL',
    );
  });

  it('is refused by name: a database without ENCRYPTION_KEYS, which would be lost with the machine', async () => {
    const databaseUrl = `postgresql://app:${SECRET}@nowhere.test/x`;
    expect(await refusalOf({ databaseUrl, env: { ENCRYPTION_KEYS: '' } })).toContain('ENCRYPTION_KEYS');
  });

  it('is refused by name, without showing it: an encryption key of the wrong length', async () => {
    const databaseUrl = 'postgresql://nowhere.test/x';
    const ENCRYPTION_KEYS = `k1:${Buffer.from(SECRET).toString('base64')}`;
    const said = await refusalOf({ databaseUrl, env: { ENCRYPTION_KEYS } });
    expect(said).toContain('ENCRYPTION_KEYS');
    expect(said).not.toContain(Buffer.from(SECRET).toString('base64').slice(0, 20));
  });

  it('is refused: another encryption key than the one that the stored credentials are sealed with', async () => {
    const database = await createTestDatabase();
    try {
      const keys = createEncryptionKey();
      const first = await start({ databaseUrl: database.url, env: { ENCRYPTION_KEYS: keys } });
      await provision(first);
      await first.stop();
      const env = { ENCRYPTION_KEYS: createEncryptionKey() };
      expect(await refusalOf({ databaseUrl: database.url, env })).toContain('ENCRYPTION_KEYS');
      const again = await start({ databaseUrl: database.url, env: { ENCRYPTION_KEYS: keys } });
      expect(await again.stop()).toEqual({ code: 0, signal: null });
    } finally {
      await database.drop();
    }
  });

  it('is refused with file and field: a faulty provider file', async () => {
    const faulty = await mkdtemp(join(tmpdir(), 'gateway-e2e-faulty-'));
    try {
      await writeFile(
        join(faulty, 'broken.yaml'),
        provider.providerFile.replace('pkce: true', 'pkce: perhaps'),
      );
      const said = await refusalOf({ catalogDir: faulty });
      expect(said).toContain('broken.yaml');
      expect(said).toContain('pkce');
    } finally {
      await rm(faulty, { recursive: true, force: true });
    }
  });

  it('is refused: a port on which somebody else listens', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    try {
      expect(await refusalOf({ port })).toContain(String(port));
    } finally {
      other.close();
    }
  });
});

describe('while Postgres is away', () => {
  let database: TestDatabase;
  let relay: TcpRelay;
  let gateway: Gateway;
  let project: Project;

  beforeAll(async () => {
    database = await createTestDatabase();
    relay = await startTcpRelay(relayTargetOf(database.url));
    gateway = await start({ databaseUrl: urlThroughRelay(database.url, relay.port) });
    project = await provisionConnected(gateway);
    expect(await (await callProvider(gateway, project, '/')).text()).toBe('at once');
  });

  afterAll(async () => {
    await gateway?.stop();
    await relay?.close();
    await database?.drop();
  });

  /**
   * Notices of what the set-up changed may still be on their way, and empty the memory that the first call filled.
   * Nothing changes any more, so that a second try finds it warm.
   */
  async function cutWhileWarm(): Promise<void> {
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await until(async () => (await callProvider(gateway, project, '/')).status, 200);
      await relay.cut();
      if ((await callProvider(gateway, project, '/')).status === 200) return;
      await relay.mend();
    }
    throw new Error('The connection never stayed warm');
  }

  it('calls on warm connections are served, management says 503 store_unavailable, and all is well afterwards', async () => {
    const management = () =>
      callApi(gateway.url, 'GET', '/v1/connections', { bearer: project.userToken(USER) });
    await cutWhileWarm();
    await until(async () => (await management()).status, 503);
    await until(() => readiness(gateway), 503);
    const refused = await management();
    expect(refused.body).toMatchObject({ code: 'store_unavailable', status: 503, retryable: true });
    expect(refused.headers.get('gateway-error')).toBe('store_unavailable');
    for (let call = 0; call < 20; call += 1) {
      const response = await callProvider(gateway, project, '/');
      expect([response.status, await response.text()]).toEqual([200, 'at once']);
    }
    expect((await callApi(gateway.url, 'GET', '/livez')).status).toBe(200);

    await relay.mend();
    await until(async () => (await management()).status, 200);
    await until(() => readiness(gateway), 200);
    expect((await callProvider(gateway, project, '/')).status).toBe(200);
    const { connections } = (await management()).body;
    await callApiOk(gateway.url, 'DELETE', `/v1/connections/${connections[0].id}`, {
      bearer: project.apiKey,
    });
    // Word of changes arrives again, too.
    await until(async () => (await callProvider(gateway, project, '/')).status, 404);
  });
});
