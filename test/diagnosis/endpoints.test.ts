import { createSecretKey } from 'node:crypto';
import { createRunCheck } from '../../src/diagnosis/bounded-probe.ts';
import { createClientProbe } from '../../src/diagnosis/client-probe.ts';
import { createNoticedFaultsStore } from '../../src/diagnosis/observed-faults.store.ts';
import { createNoticedFaults } from '../../src/diagnosis/observed-faults.ts';
import { createProbesStore } from '../../src/diagnosis/probes.store.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createVault } from '../../src/platform/vault.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  seedOperator,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { WEBHOOKS_WITH_SECRET } from '../support/planted-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerWell, type Conduct, faultyProviderFile, startFaultyProviders } from './faulty-providers.ts';

/** Secrets that this provider takes. */
const good = new Set(['first-secret', 'second-secret']);
const tokenCalls: URLSearchParams[] = [];
/** Of the call that proves a key. */
let probeStatus = 200;
const CONDUCTS: Record<string, Conduct> = {
  probed: { token: () => ({ status: probeStatus, body: {} }) },
  counted: {
    token(call) {
      tokenCalls.push(call.form);
      if (!good.has(call.form.get('client_secret') ?? '')) {
        return { status: 401, body: { error: 'invalid_client', error_description: 'wrong client secret' } };
      }
      return answerWell(call);
    },
  },
};

let faulty: Awaited<ReturnType<typeof startFaultyProviders>>;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  faulty = await startFaultyProviders(CONDUCTS);
  cleanUps.push(faulty.close);
  const more = `revocationUrl: ${faulty.url}/counted/all/revoke\n${WEBHOOKS_WITH_SECRET}`;
  const catalog = await createCatalogDir({
    counted: faultyProviderFile('counted', faulty.url, { more }),
    keyed: `id: keyed
name: Keyed
auth: api-key
apiBaseUrl: ${faulty.url}/counted/api
apiKey: { in: header, name: X-Api-Key, template: '{apiKey}' }
`,
    probed: `id: probed
name: Probed
auth: api-key
apiBaseUrl: ${faulty.url}/probed/api
apiKey: { in: header, name: X-Api-Key, template: '{apiKey}' }
probe: { url: '${faulty.url}/probed/api/me' }
`,
  });
  cleanUps.push(catalog.remove);
  database = await createTestDatabase();
  cleanUps.push(database.drop);
  gateway = await startGateway({
    catalogDir: catalog.path,
    databaseUrl: database.url,
    env: { ENCRYPTION_KEYS: createEncryptionKey(), CONNECT_SWEEP_INTERVAL_SECONDS: '1' },
  });
  cleanUps.push(gateway.stop);
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN], returnUrls: [] });
});

afterAll(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const api = (method: string, path: string, body?: unknown, bearer = project.apiKey) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer, body });
const apiOk = (method: string, path: string, body?: unknown, bearer = project.apiKey) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer, body });

async function integrate(clientSecret = 'first-secret', more: object = {}): Promise<string> {
  const body = { serviceProvider: 'counted', clientId: 'client-1', clientSecret, scopes: ['read'], ...more };
  return (await apiOk('POST', '/integrations', body)).id;
}

const codesOf = (answer: { findings: { code: string }[] }) => answer.findings.map(({ code }) => code);

/** A personal access token of a member of the project with this role. */
async function addMember(role: string): Promise<string> {
  const token = await seedOperator(database.url);
  const { id } = await database.knex('operators').orderBy('id', 'desc').first('id');
  await database.knex('project_members').insert({ project_id: project.id, operator_id: id, role });
  return token;
}

describe('who may ask', () => {
  it('a viewer reads what is known, and asks no provider', async () => {
    const viewer = await addMember('viewer');
    const id = await integrate();
    const before = tokenCalls.length;
    const path = `/integrations/${id}/diagnosis`;
    expect(codesOf(await apiOk('GET', path, undefined, viewer))).toEqual(['client_not_checked']);
    const forced = await api('GET', `${path}?refresh=true`, undefined, viewer);
    expect([forced.status, forced.body.code]).toEqual([403, 'insufficient_role']);
    const probed = await api('POST', '/integrations/probe', { serviceProvider: 'counted' }, viewer);
    expect(probed.status).toBe(403);
    expect(tokenCalls).toHaveLength(before);

    await apiOk('GET', path);
    expect(codesOf(await apiOk('GET', path, undefined, viewer))).toEqual(['client_accepted']);
  });

  it.each([
    ['GET', 'integrations/ID/diagnosis'],
    ['GET', 'integrations/ID/connect-attempts'],
    ['GET', 'integrations/ID/secrets'],
    ['GET', 'integrations/ID/impact'],
    ['GET', 'connections/CONNECTION/health'],
    ['POST', 'connections/CONNECTION/test'],
  ])('%s %s is for the project’s own, and no one else’s', async (method, template) => {
    const id = await integrate();
    const connectionId = await importConnection(id);
    const path = `/${template.replace('ID', id).replace('CONNECTION', connectionId)}`;
    const other = await createProject(gateway.url, project.personalAccessToken);
    const absent = await api(method, path, undefined, other.apiKey);
    expect(absent.status).toBe(404);
    expect((await api(method, path, undefined, project.userToken('ada'))).status).toBe(403);
    expect((await callApi(gateway.url, method, `/v1${path}`)).status).toBe(401);
    expect((await api(method, `${path}?odd=1`)).status).toBe(400);
    expect((await api(method, path)).status).toBe(200);
  });

  it('takes the days of connect attempts as plain digits, as other numbers of queries', async () => {
    const path = `/integrations/${await integrate()}/connect-attempts?days=`;
    expect((await api('GET', `${path}07`)).status).toBe(200);
    for (const days of ['0x7', '%2B7', '7e0', '7.0', '%207', '31', '']) {
      expect([days, (await api('GET', `${path}${days}`)).status]).toEqual([days, 400]);
    }
  });

  it('refuses a probe of a provider or variables that there are not', async () => {
    const unknown = await api('POST', '/integrations/probe', { serviceProvider: 'nowhere' });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'provider_unknown']);
    const odd = await api('POST', '/integrations/probe', {
      serviceProvider: 'counted',
      variables: { tenant: 'x' },
    });
    expect([odd.status, odd.body.code]).toEqual([422, 'variable_invalid']);
  });
});

async function importConnection(integrationId: string, userId = 'ada', credentials: object = {}) {
  const tokens = { accessToken: 'access-0', refreshToken: 'good-refresh-0', ...credentials };
  const body = { integrationId, userId, credentials: tokens };
  return (await apiOk('POST', '/connections', body)).id;
}

describe('asking the provider', () => {
  it('happens once for many diagnoses, and again after a change of the integration', async () => {
    const id = await integrate();
    const before = tokenCalls.length;
    const path = `/integrations/${id}/diagnosis`;
    const all = await Promise.all(Array.from({ length: 10 }, () => apiOk('GET', `${path}?refresh=true`)));
    for (const answer of all) expect(codesOf(answer)).toEqual(['client_accepted']);
    await apiOk('GET', path);
    await apiOk('GET', `${path}?refresh=true`);
    expect(tokenCalls).toHaveLength(before + 1);

    await apiOk('PATCH', `/integrations/${id}`, { clientSecret: 'wrong' });
    expect(codesOf(await apiOk('GET', path))).toEqual(['client_secret_older_used']);
  });

  it('is done by one process for all of them', async () => {
    const id = await integrate();
    const vault = createVault([{ id: 'any', key: createSecretKey(Buffer.alloc(32)) }]);
    const [found] = await createIntegrationsStore({ vault }).list(database.knex, {
      projectIds: [project.id],
      limit: 1,
    });
    if (found?.id !== id) throw new Error('another integration is the newest');
    const probes = createProbesStore({ db: database.knex });
    expect(await Promise.all([probes.claim(found), probes.claim(found)])).toContain(false);
    const before = tokenCalls.length;
    expect(codesOf(await apiOk('GET', `/integrations/${id}/diagnosis?refresh=true`))).toEqual([
      'client_not_checked',
    ]);
    expect(tokenCalls).toHaveLength(before);
  });

  it('sends a code that nobody issued, and spends nothing', async () => {
    await apiOk('GET', `/integrations/${await integrate()}/diagnosis`);
    const last = tokenCalls.at(-1);
    expect(last?.get('grant_type')).toBe('authorization_code');
    expect(last?.get('code')).toMatch(/^not-a-code-/);
    expect(last?.get('redirect_uri')).toBe(`${gateway.url}/oauth/callback`);
  });

  it('needs no client where users bring their own keys', async () => {
    const { id } = await apiOk('POST', '/integrations', { serviceProvider: 'keyed' });
    expect(codesOf(await apiOk('GET', `/integrations/${id}/diagnosis`))).toEqual(['client_not_needed']);
  });

  it('is bounded for each project, without cost for another', async () => {
    const runCheck = createRunCheck({ partyOf: async (projectId) => projectId });
    const { promise: held, resolve: release } = Promise.withResolvers<string>();
    const many = Array.from({ length: 40 }, () =>
      runCheck('greedy', () => held).then(
        () => 'done',
        () => 'refused',
      ),
    );
    const other = runCheck('modest', async () => 'done');
    release('now');
    expect(await other).toBe('done');
    const outcomes = await Promise.all(many);
    // Four run, eight wait.
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(12);
  });

  it('ends with a name for the failure when the provider keeps the connection open', async () => {
    const probe = createClientProbe({
      outbound: createOutbound({ allowPrivateNetworks: true }),
      now: Date.now,
      timeoutMs: 60_000,
    });
    const silent = await startFaultyProviders({ silent: { token: () => undefined } });
    cleanUps.push(silent.close);
    const provider = acmeProviderAt(`${silent.url}/silent/all`);
    const client = { clientId: 'client', clientSecrets: ['secret'] };
    const target = {
      provider,
      client,
      scopes: [],
      optionalScopes: [],
      variables: {},
      redirectUrl: 'https://gw.test/cb',
    };
    const { token } = await probe(target, AbortSignal.timeout(200));
    expect(token).toMatchObject({ verdict: 'unreachable', failure: 'aborted' });
  });
});

describe('secrets', () => {
  it('are listed with what the provider made of them, and the older one can be dropped', async () => {
    const id = await integrate('first-secret', { secretExpiresAt: '2026-12-24T00:00:00Z' });
    const path = `/integrations/${id}/secrets`;
    const [first] = (await apiOk('GET', path)).secrets;
    expect(first).toMatchObject({
      kind: 'client',
      age: 'newer',
      lastWorkedAt: null,
      expiresAt: '2026-12-24T00:00:00.000Z',
      triedUntil: null,
    });

    await apiOk('PATCH', `/integrations/${id}`, { clientSecret: 'not-known' });
    await apiOk('GET', `/integrations/${id}/diagnosis`);
    const list = async () => (await apiOk('GET', path)).secrets;
    await until(async () =>
      (await list()).every((one: Record<string, unknown>) => one.lastWorkedAt ?? one.lastRefusedAt),
    );
    const [newer, older] = await list();
    expect(newer).toMatchObject({
      age: 'newer',
      lastWorkedAt: null,
      lastRefusedAt: expect.any(String),
      expiresAt: null,
    });
    expect(older).toMatchObject({
      id: first.id,
      age: 'older',
      lastWorkedAt: expect.any(String),
      lastRefusedAt: null,
    });

    const refused = await api('DELETE', `${path}/${newer.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'secret_in_use']);
    expect((await api('DELETE', `${path}/${older.id}`)).status).toBe(204);
    expect((await api('DELETE', `${path}/${older.id}`)).body.code).toBe('integration_secret_not_found');
    expect(await list()).toHaveLength(1);
    expect(codesOf(await apiOk('GET', `/integrations/${id}/diagnosis`))).toEqual(['client_secret_refused']);
    const { activity } = await apiOk('GET', `/activity?action=integration.secret_deleted&subjectId=${id}`);
    expect(activity).toMatchObject([{ details: { kind: 'client', secretId: older.id } }]);
  });

  it('of webhooks are listed beside, and go with the integration', async () => {
    const id = await integrate('first-secret', { webhookSecret: 'hook-1' });
    await apiOk('PATCH', `/integrations/${id}`, { webhookSecret: 'hook-2' });
    const { secrets } = await apiOk('GET', `/integrations/${id}/secrets`);
    expect(secrets.map(({ kind, age }: { kind: string; age: string }) => [kind, age])).toEqual([
      ['client', 'newer'],
      ['webhook', 'newer'],
      ['webhook', 'older'],
    ]);
    await apiOk('DELETE', `/integrations/${id}`);
    expect(await database.knex('integration_secrets').where({ integration_id: id })).toEqual([]);
  });

  it('whose end is noted are warned of thirty days ahead', async () => {
    const soon = new Date(Date.now() + 20 * 24 * 3_600_000).toISOString();
    const id = await integrate('first-secret', { secretExpiresAt: soon });
    const path = `/integrations/${id}/diagnosis`;
    expect(codesOf(await apiOk('GET', path))).toEqual(['client_secret_expires_soon', 'client_accepted']);
    await apiOk('PATCH', `/integrations/${id}`, { secretExpiresAt: null });
    expect(codesOf(await apiOk('GET', path))).toEqual(['client_accepted']);
  });
});

describe('a connection', () => {
  it('is tested by a refresh where the catalog knows no harmless call, and not again and again', async () => {
    const connectionId = await importConnection(await integrate());
    const test = () => apiOk('POST', `/connections/${connectionId}/test`);
    expect(await test()).toMatchObject({ ok: true, findings: [{ code: 'connection_works' }] });
    expect(await test()).toMatchObject({ ok: true });
    expect(codesOf(await test())).toEqual(['connection_unprovable']);
    const health = await apiOk('GET', `/connections/${connectionId}/health`);
    expect(health).toMatchObject({
      kind: 'oauth2',
      refreshedAt: expect.any(String),
      nextRefreshAt: expect.any(String),
      lastAnswer: { status: 200, error: null, description: null },
      scopes: { asked: ['read'], granted: ['read', 'write'] },
    });
  });

  it.each([
    [503, 'provider_down', 'cannot be reached, or answers with a fault of its own'],
    [429, 'connection_unprovable', 'No harmless call of Probed has shown'],
    [404, 'connection_unprovable', 'No harmless call of Probed has shown'],
  ])('whose proof is answered with %i is %s', async (status, code, words) => {
    const { id } = await apiOk('POST', '/integrations', { serviceProvider: 'probed' });
    probeStatus = 200;
    const body = { integrationId: id, userId: `user-${newId()}`, credentials: { apiKey: 'key' } };
    const connection = await apiOk('POST', '/connections', body);
    probeStatus = status;
    const { ok, findings } = await apiOk('POST', `/connections/${connection.id}/test`);
    expect([ok, findings]).toEqual([
      false,
      [expect.objectContaining({ code, detail: expect.stringContaining(words) })],
    ]);
  });

  it('with a key that nothing can prove is unprovable', async () => {
    const { id } = await apiOk('POST', '/integrations', { serviceProvider: 'keyed' });
    const body = { integrationId: id, userId: 'ada', credentials: { apiKey: 'key' } };
    const connection = await apiOk('POST', '/connections', body);
    expect(await apiOk('POST', `/connections/${connection.id}/test`)).toMatchObject({
      ok: false,
      findings: [{ code: 'connection_unprovable', severity: 'info' }],
    });
  });
});

describe('sign-ins and what a deletion takes along', () => {
  it('are counted step by step, also after the sessions have been emptied', async () => {
    const id = await integrate();
    const session = (userId: string) =>
      callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
        bearer: project.userToken(userId),
        headers: { origin: APP_ORIGIN },
        body: { integrationId: id },
      });
    await session('nobody-opens-it');
    const opened = await session('goes-to-the-provider');
    await createHttpBrowser({ origins: [gateway.url] }).open(opened.url);
    const finished = await session('comes-back');
    const page = await createHttpBrowser({ origins: [gateway.url, faulty.url] }).open(finished.url);
    const { message } = readOutcome(page);
    await apiOk(
      'POST',
      `/connect-sessions/${finished.id}/complete`,
      { completionCode: message.completionCode },
      project.userToken('comes-back'),
    );
    const path = `/integrations/${id}/sign-ins`;
    const expected = { opened: 2, sentToProvider: 2, cameBack: 1, completed: 1, failures: [] };
    expect(await apiOk('GET', path)).toMatchObject(expected);

    const old = { expires_at: database.knex.raw(`now() - interval '2 days'`) };
    await database.knex('connect_sessions').where({ integration_id: id }).update(old);
    const unemptied = () =>
      database.knex('connect_sessions').where({ integration_id: id }).whereNotNull('browser_hash');
    await until(async () => (await unemptied()).length === 0);
    expect(await apiOk('GET', path)).toMatchObject(expected);
    const kept = await database.knex('connect_sessions').where({ integration_id: id });
    for (const row of kept) {
      expect(row).toMatchObject({ pkce_verifier_sealed: null, oauth_state_hash: null, variables: {} });
    }
  });

  it('of an integration and of its project', async () => {
    const id = await integrate();
    await importConnection(id, 'ada');
    await importConnection(id, 'ada', { accessToken: 'access-other' });
    await importConnection(id, 'berta');
    const nothingYet = { revocations: true, polls: 0, destinations: 0 };
    expect(await apiOk('GET', `/integrations/${id}/impact`)).toEqual({
      connections: 3,
      users: 2,
      isAtLeast: false,
      ...nothingYet,
    });
    const whole = await apiOk('GET', `/projects/${project.id}/impact`);
    expect(whole.connections).toBeGreaterThanOrEqual(3);
    expect(whole).toMatchObject(nothingYet);
  });
});

describe('what is refused in passing', () => {
  it('is kept in small numbers, whoever sends how much', async () => {
    const store = createNoticedFaultsStore({ db: database.knex });
    const noticed = createNoticedFaults({ store });
    for (let index = 0; index < 2_000; index += 1) noticed.noteOrigin(project.id, `https://a${index}.test`);
    noticed.noteOrigin('not a project', 'https://a.test');
    noticed.noteOrigin(newId(), 'https://nobody.test');
    noticed.noteOrigin(project.id, 'null');
    noticed.noteHost('evil.test"><script>');
    await noticed.flush();
    const kept = await store.listFor(project.id);
    expect(kept).toHaveLength(20);
    expect(kept.every(({ kind, projectId }) => kind === 'origin' && projectId === project.id)).toBe(true);
  });
});
