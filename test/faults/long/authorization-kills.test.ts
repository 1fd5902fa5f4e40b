import { createServer, request as httpRequest } from 'node:http';
import { inspect } from 'node:util';
import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createHttpBrowser, type HttpBrowser, type Page } from '../../examples/http-browser.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../../support/authorization-server.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApi, type Project, provision } from '../../support/gateway.ts';
import { createEncryptionKey } from '../../support/gateway-environment.ts';
import { type KillReport, killAtEveryStep } from '../../support/kill-steps.ts';
import { closeServer, listen } from '../../support/listen.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../support/spawn-gateway.ts';
import { APP_ORIGIN, readOutcome } from '../../support/stage.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

/** How often users begin again before they give up. */
const ATTEMPTS_MAX = 4;

/** One address before the gateways, as a balancer has it: it leads to the one that is named. */
async function startFront() {
  let port = 0;
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const forwarded = httpRequest(
      { host: '127.0.0.1', port, method, headers, path: url, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      },
    );
    forwarded.on('error', ({ message }) => {
      if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end(message);
    });
    incoming.pipe(forwarded);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return {
    url,
    leadTo(gateway: { readonly port: number }): void {
      ({ port } = gateway);
    },
    close: () => closeServer(server),
  };
}

let front: Awaited<ReturnType<typeof startFront>>;
let provider: AuthorizationServer;
let api: ReturnType<typeof createServer>;
let database: TestDatabase;
let store: pg.Client;
let catalog: { path: string; remove: () => Promise<void> };
let survivor: SpawnedGateway;
let project: Project;
let report: KillReport;
/** By user, in the order in which they were said to be complete. */
const completed = new Map<string, string[]>();

beforeAll(async () => {
  front = await startFront();
  provider = await startAuthorizationServer({ redirectUri: `${front.url}/oauth/callback` });
  api = createServer((_request, response) => response.end('{}'));
  const apiBaseUrl = `http://127.0.0.1:${await listen(api)}`;
  catalog = await createCatalogDir({ openid: describeProvider(provider.origin, apiBaseUrl) });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  const env = {
    PUBLIC_URL: front.url,
    ENCRYPTION_KEYS: createEncryptionKey(),
    RATE_LIMIT_CONNECT_PER_MINUTE: '0',
    CONNECT_SWEEP_INTERVAL_SECONDS: '1',
  };
  const start = (databaseUrl: string) => spawnGateway({ catalogDir: catalog.path, databaseUrl, env });
  survivor = await start(database.url);
  front.leadTo(survivor);
  project = await provision(survivor, { allowedOrigins: [APP_ORIGIN] });
  const { clientId, clientSecret } = provider;
  const integration = {
    serviceProvider: 'openid',
    clientId,
    clientSecret,
    scopes: ['openid', 'contacts.read'],
  };
  const bearer = project.apiKey;
  await callPatiently(survivor.url, 'POST', '/v1/integrations', { bearer, body: integration });
  report = await killAtEveryStep({
    databaseUrl: database.url,
    start: (databaseUrl) => start(databaseUrl),
    async flow(victim, run) {
      front.leadTo(victim);
      try {
        await connectOnce(`user-${run}`);
      } finally {
        front.leadTo(survivor);
      }
    },
  });
});

afterAll(async () => {
  await survivor?.stop();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
  if (api !== undefined) await closeServer(api);
  await provider?.close();
  await front?.close();
});

function describeProvider(origin: string, apiBaseUrl: string): string {
  return JSON.stringify({
    id: 'openid',
    name: 'OpenID',
    auth: 'oauth2',
    authorizationUrl: `${origin}/auth`,
    tokenUrl: `${origin}/token`,
    revocationUrl: `${origin}/token/revocation`,
    apiBaseUrl,
    pkce: true,
  });
}

const openBrowser = () => createHttpBrowser({ origins: [front.url, provider.origin] });

/** The user's tab and the application, without a second try of anything. */
async function connectOnce(userId: string, browser = openBrowser()): Promise<void> {
  const session = await callPatiently(front.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { provider: 'openid' },
  });
  await complete(userId, await browser.open(session.url));
}

async function complete(userId: string, page: Page): Promise<void> {
  const { message } = readOutcome(page);
  const path = `/v1/connect-sessions/${message.sessionId}/complete`;
  const call = { bearer: project.userToken(userId), body: { completionCode: message.completionCode } };
  // As an application whose request has got no answer.
  const answer = await callApi(front.url, 'POST', path, call).catch(() =>
    callApi(survivor.url, 'POST', path, call),
  );
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  completed.set(userId, [...(completed.get(userId) ?? []), answer.body.id]);
}

/** Begins again where something went wrong, as users do. Answers what went wrong. */
async function connectInTheEnd(userId: string): Promise<string[]> {
  const browser: HttpBrowser = openBrowser();
  const failures: string[] = [];
  while (!completed.has(userId) && failures.length < ATTEMPTS_MAX)
    await connectOnce(userId, browser).catch((error: Error) => failures.push(inspect(error)));
  return failures;
}

const usersOfRuns = () => Array.from({ length: report.runs }, (_none, index) => `user-${index + 1}`);

describe('a process that is killed at any step of an authorization', () => {
  it('was killed at each of them, from the session to its completion', () => {
    // The first run of a day makes the project's data key; no other one has that step.
    expect(report.unreached.filter((step) => !step.includes('data_keys'))).toEqual([]);
    const steps = report.kills.map(({ step }) => step);
    expect(steps.some((step) => /insert into "?connect_sessions/i.test(step))).toBe(true);
    expect(steps.some((step) => /insert into "?connections/i.test(step))).toBe(true);
    expect(steps.length).toBeGreaterThanOrEqual(20);
  });

  it('leaves users who connect by beginning once more at another process', async () => {
    const failures = [];
    for (const userId of usersOfRuns())
      failures.push(...(await connectInTheEnd(userId)).map((failure) => [userId, failure]));
    expect(failures).toEqual([]);
  });

  it('leaves one connection of each user, which works, whatever was completed before', async () => {
    const { rows } = await store.query(
      `SELECT u.subject AS user, count(*)::int AS count, min(c.id::text) AS id, min(c.status) AS status
         FROM connections c JOIN end_users u ON u.id = c.end_user_id GROUP BY 1`,
    );
    expect(rows.filter(({ count, status }) => count !== 1 || status !== 'active')).toEqual([]);
    expect(rows).toHaveLength(report.runs);
    const ids = new Map<string, string>(rows.map(({ user, id }) => [user, id]));
    for (const [userId, said] of completed) expect([...new Set(said)]).toEqual([ids.get(userId)]);
    for (const userId of usersOfRuns()) {
      const answer = await callApi(survivor.url, 'GET', `/projects/${project.id}/proxy/openid/me`, {
        bearer: project.userToken(userId),
      });
      expect([userId, answer.status]).toEqual([userId, 200]);
    }
  });

  it('leaves no grant behind that no connection has: it is revoked at the provider and erased', async () => {
    await store.query(`UPDATE connect_sessions SET expires_at = now() - interval '1 hour'`);
    await until(async () => {
      const { rows } = await store.query(
        `SELECT (SELECT count(*) FROM connect_sessions WHERE pending_sealed IS NOT NULL)
              + (SELECT count(*) FROM grants_to_revoke) AS left`,
      );
      return Number(rows[0].left) === 0;
    });
  });
});
