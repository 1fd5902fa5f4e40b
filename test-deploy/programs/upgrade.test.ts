import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Agent } from 'undici';
import {
  type GatewayEnd,
  type GatewayProcess,
  startGatewayProcess,
} from '../../examples/demo/gateway-process.ts';
import { createCatalogDir } from '../../test/support/catalog-dir.ts';
import { callApiOk, type Project } from '../../test/support/gateway.ts';
import { createEncryptionKey, prepareGateway } from '../../test/support/gateway-environment.ts';
import { plainProviderFile } from '../../test/support/held-provider.ts';
import { findFreePort } from '../../test/support/ports.ts';
import { createTestDatabase } from '../../test/support/postgres.ts';
import { programPath } from '../../test/support/programs.ts';
import { until } from '../../test/support/until.ts';
import { ROOT } from '../manifests.ts';
import { startCaddy } from './caddy-server.ts';
import { connectUser, USER } from './connected-user.ts';
import { unpackRelease } from './older-release.ts';
import { startRotatingProvider } from './rotating-provider.ts';
import { isShed, startCountingProvider, startSteadyLoad } from './steady-load.ts';

/** What a machine that others use as well does not keep up with is not sent. */
const CALLS_PER_SECOND = Number(process.env.CALLS_PER_SECOND ?? 500);
const WRITE_EVERY_MS = 50;
const TOKEN_SECONDS = 4;
const STORE_TRIES = 3;
const REFRESHED = 'refreshed';
const HOSTS = ['gateway.localhost', 'proxy.localhost', 'hooks.localhost'];

const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Writes = {
  readonly outcomes: Map<string, number>;
  readonly imported: string[];
  /** How often one was sent again, since the store had not answered in time. */
  late(): number;
  stop(): Promise<void>;
};

const isStoreLate = ({ statusCode, text }: { statusCode: number; text: string }): boolean =>
  statusCode === 503 && text.includes('#store_unavailable');

/** Connects users, reads the feed, and calls as a user whose token is refreshed again and again. */
function startWrites(input: {
  agent: Agent;
  origins: { api: string; proxy: string };
  project: Project;
  integrationId: string;
}): Writes {
  const { agent, origins, project, integrationId } = input;
  const outcomes = new Map<string, number>();
  const imported: string[] = [];
  let isStopping = false;
  let late = 0;
  const send = async (origin: string, path: string, bearer: string, body?: object) => {
    const key = randomUUID();
    let answer = await sendOnce(origin, path, bearer, body, key);
    // On a machine without processor time the store is late: the remedy says to ask again, and the key that it is made once.
    for (let tries = 0; isStoreLate(answer) && tries < STORE_TRIES; tries += 1) {
      late += 1;
      answer = await sendOnce(origin, path, bearer, body, key);
    }
    if (isShed(`${answer.statusCode} ${answer.text}`)) return false;
    const isFine = answer.statusCode >= 200 && answer.statusCode < 300;
    const outcome = isFine ? 'fine' : `${path} ${answer.statusCode} ${answer.text.slice(0, 200)}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    return isFine;
  };
  const sendOnce = (origin: string, path: string, bearer: string, body: object | undefined, key: string) =>
    agent
      .request({
        origin,
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          ...(body !== undefined && { 'idempotency-key': key }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      .then(async ({ statusCode, body: received }) => ({ statusCode, text: await received.text() }))
      .catch((error: Error) => ({ statusCode: 0, text: error.message }));
  const run = async () => {
    for (let number = 0; !isStopping; number += 1) {
      const userId = `new-${number}`;
      const body = { integrationId, userId, credentials: { accessToken: 'access-token' } };
      if (await send(origins.api, '/v1/connections', project.apiKey, body)) imported.push(userId);
      await send(origins.api, '/v1/events?limit=1', project.apiKey);
      const path = `/projects/${project.id}/proxy/rotating/things`;
      await send(origins.proxy, path, project.userToken(REFRESHED));
      await pause(WRITE_EVERY_MS);
    }
  };
  const running = run();
  const stop = async () => {
    isStopping = true;
    await running;
  };
  return { outcomes, imported, late: () => late, stop };
}

it('an older release is replaced under load, both on the new schema for a while, without a failed call', async () => {
  const counting = await startCountingProvider();
  const rotating = await startRotatingProvider({ tokenSeconds: TOKEN_SECONDS });
  const catalog = await createCatalogDir({
    counting: plainProviderFile('counting', counting.url),
    rotating: plainProviderFile('rotating', rotating.url),
  });
  const database = await createTestDatabase({ empty: true });
  const main = {
    old: unpackRelease(process.env.OLDER_COMMIT ?? '', join(folder, 'older')),
    new: programPath('src/main.ts'),
  };
  const port = await findFreePort();
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
  const [api = '', proxy = '', hooks = ''] = HOSTS.map((host) => `https://${host}:${port}`);
  const env = {
    ENCRYPTION_KEYS: createEncryptionKey(),
    SHUTDOWN_DELAY_MS: '5000',
    TRUST_PROXY: '1',
    PUBLIC_URL: api,
    PROXY_URL: proxy,
    WEBHOOK_URL: hooks,
    RATE_LIMIT_PROXY_PER_MINUTE: '1000000',
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: '1000000',
  };
  const cleanUps: (() => Promise<unknown>)[] = [];
  const start = async (release: 'old' | 'new', one: number): Promise<GatewayProcess> => {
    const prepared = await prepareGateway({
      databaseUrl: database.url,
      catalogDir: catalog.path,
      port: one,
      env,
    });
    cleanUps.push(prepared.cleanUp);
    const { directory } = prepared;
    const running = startGatewayProcess({ env: prepared.env, directory, main: main[release] });
    let end: GatewayEnd | undefined;
    void running.ended.then((ended) => {
      end = ended;
    });
    await until(async () => {
      if (end !== undefined) throw new Error(`The gateway ended: ${running.logs()}`);
      const answer = await fetch(`${prepared.url}/readyz`).catch(() => undefined);
      return answer?.ok === true;
    });
    return running;
  };
  const newest = (await readdir(join(ROOT, 'migrations')))
    .filter((name) => /^\d{4}_/.test(name))
    .sort()
    .at(-1);
  const applied = () => database.knex('knex_migrations').where({ name: newest });
  const gateways: GatewayProcess[] = [];
  for (const one of ports) gateways.push(await start('old', one));
  expect(await applied()).toEqual([]);
  const caddy = await startCaddy(port, HOSTS, ports);
  try {
    const local = {
      url: `http://127.0.0.1:${ports[0]}`,
      env: { SETUP_TOKEN: 'setup-token-of-the-test-run' },
    };
    const project = await connectUser(local, 'counting');
    const integrationId = await connectRefreshedUser(local.url, project);
    const load = startSteadyLoad({
      dispatcher: caddy.agent,
      origin: proxy,
      path: `/projects/${project.id}/proxy/counting/things`,
      headers: { authorization: `Bearer ${project.userToken(USER)}` },
      callsPerSecond: CALLS_PER_SECOND,
    });
    const writes = startWrites({ agent: caddy.agent, origins: { api, proxy }, project, integrationId });
    const calls = () => load.outcomes.get('200') ?? 0;
    await until(() => calls() > CALLS_PER_SECOND);
    for (const [index, one] of ports.entries()) {
      await gateways[index]?.stop();
      gateways[index] = await start('new', one);
      expect(await applied()).toHaveLength(1);
      const seen = calls();
      // Caddy looks each second: a second's calls later it has seen this one again.
      await until(() => calls() > seen + 3 * CALLS_PER_SECOND);
    }
    await writes.stop();
    await load.stop();
    for (const [reason, count] of caddy.failures) process.stderr.write(`Caddy: ${reason} (${count})\n`);
    process.stderr.write(
      `${calls()} calls, ${load.shed()} sent again, ${writes.late()} for the store, ${writes.imported.length} connections, ${rotating.seen.refreshes} refreshes\n`,
    );
    expect(Object.fromEntries(load.outcomes)).toEqual({ '200': expect.any(Number) });
    expect(Object.fromEntries(writes.outcomes)).toEqual({ fine: expect.any(Number) });
    const arrivals = load.answeredPosts.map((id) => counting.posts.get(id));
    expect(arrivals.filter((count) => count !== 1)).toEqual([]);
    expect(rotating.seen).toEqual({ refreshes: expect.any(Number), reused: 0 });
    expect(rotating.seen.refreshes).toBeGreaterThan(3);
    const stored = await database.knex('end_users').where({ project_id: project.id }).pluck('subject');
    expect(writes.imported.filter((user) => !stored.includes(user))).toEqual([]);
  } finally {
    await caddy.stop();
    for (const gateway of gateways) await gateway.stop();
    for (const cleanUp of cleanUps) await cleanUp();
    await database.drop();
    await catalog.remove();
    await counting.close();
    await rotating.close();
  }
});

/** A user of the provider whose access tokens live for seconds. Gives the integration. */
async function connectRefreshedUser(url: string, { apiKey: bearer }: Project): Promise<string> {
  const body = { serviceProvider: 'rotating', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callApiOk(url, 'POST', '/v1/integrations', { bearer, body });
  const expiresAt = new Date(Date.now() + TOKEN_SECONDS * 1000).toISOString();
  const credentials = { accessToken: 'first', refreshToken: 'first-refresh', expiresAt };
  await callApiOk(url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: REFRESHED, credentials },
  });
  return integrationId;
}
