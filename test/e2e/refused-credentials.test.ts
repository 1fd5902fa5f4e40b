import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createEncryptionKey } from '../support/gateway-environment.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  REFUSED_CREDENTIALS,
  REFUSED_KINDS,
  type RefusedKind,
  type RefusingProvider,
  refusingProviderFiles,
  startRefusingProvider,
} from '../support/refusing-provider.ts';
import { until } from '../support/until.ts';

let provider: RefusingProvider;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let database: TestDatabase;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  provider = await startRefusingProvider();
  catalog = await createCatalogDir(refusingProviderFiles(provider.url));
  database = await createTestDatabase();
  const env = { ENCRYPTION_KEYS: createEncryptionKey() };
  gateway = await startGateway({ catalogDir: catalog.path, databaseUrl: database.url, env });
  project = await provision(gateway);
  for (const kind of [...REFUSED_KINDS, 'unprovable']) await integrate(kind);
});
afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
  await catalog?.remove();
  await provider?.close();
});
beforeEach(() => provider.dead.clear());

const integrations = new Map<string, string>();

async function integrate(kind: string): Promise<void> {
  const isOAuth = ['tokened', 'enveloped', 'token-based'].includes(kind);
  const body = { serviceProvider: kind, ...(isOAuth && { clientId: 'client', clientSecret: 'secret' }) };
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
  integrations.set(kind, id);
}

let users = 0;

async function connect(kind: RefusedKind): Promise<{ id: string; user: string }> {
  users += 1;
  const user = `user-${users}`;
  const { id } = await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    body: { integrationId: integrations.get(kind), userId: user, credentials: REFUSED_CREDENTIALS[kind] },
  });
  return { id, user };
}

const call = async (kind: string, user: string, path = '/things') => {
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/${kind}${path}`, {
    headers: { authorization: `Bearer ${project.userToken(user)}` },
  });
  return { status: answer.status, text: await answer.text() };
};

const connectionOf = (id: string) =>
  callApiOk(gateway.url, 'GET', `/v1/connections/${id}`, { bearer: project.apiKey });

const rowOf = (id: string) => database.knex('connections').where({ id }).first();

/** A minute passes for the store. */
const passMinute = (id: string) =>
  database
    .knex('connections')
    .where({ id })
    .update({ call_proof_at: new Date(0) });

/** Calls until the provider has been asked once more about the credential. */
async function callUntilProbed(kind: string, id: string, user: string, path?: string): Promise<void> {
  const before = provider.probesOf(kind);
  await passMinute(id);
  await until(async () => {
    await call(kind, user, path);
    return provider.probesOf(kind) > before;
  });
}

async function eventsOf(id: string): Promise<string[]> {
  const { events } = await callApiOk(gateway.url, 'GET', `/v1/events?connectionId=${id}`, {
    bearer: project.apiKey,
  });
  return events.map(({ type }: { type: string }) => type);
}

describe.each(REFUSED_KINDS)('a credential that cannot be renewed (%s)', (kind) => {
  it('ends after the provider has refused it in two proofs, with an event and the provider’s words', async () => {
    const { id, user } = await connect(kind);
    provider.dead.add(kind);
    const refused = await call(kind, user);
    expect(refused.text).toMatch(/token_revoked|InvalidAccessKeyId|the key was deleted/);
    await callUntilProbed(kind, id, user);
    await until(async () => (await connectionOf(id)).statusReason !== null);
    expect((await connectionOf(id)).statusReason).toMatch(/^calls refused: http_/);
    // The first call's own proof may have been the second one: then the connection has ended already.
    await until(async () => {
      await passMinute(id);
      await call(kind, user);
      return (await connectionOf(id)).status === 'reauthorization_required';
    });
    await until(async () => (await eventsOf(id)).includes('connection.reauthorization_required'));
    await until(async () => (await call(kind, user)).status === 424);
  });

  it('goes on where the probe answers well, whatever one path says', async () => {
    const { id, user } = await connect(kind);
    provider.failWith(401);
    await callUntilProbed(kind, id, user, '/fails');
    await callUntilProbed(kind, id, user, '/fails');
    await callUntilProbed(kind, id, user, '/fails');
    expect(await connectionOf(id)).toMatchObject({ status: 'active', statusReason: null });
  });

  it.each([403, 404, 429, 500, 503])('is not asked about after a %d', async (status) => {
    const { id, user } = await connect(kind);
    const before = provider.probesOf(kind);
    provider.failWith(status);
    for (let count = 0; count < 5; count += 1) await call(kind, user, '/fails');
    expect([provider.probesOf(kind), (await rowOf(id)).call_proof_at]).toEqual([before, null]);
  });

  it('ends at once by a test that is refused', async () => {
    const { id } = await connect(kind);
    provider.dead.add(kind);
    const tested = await callApiOk(gateway.url, 'POST', `/v1/connections/${id}/test`, {
      bearer: project.apiKey,
    });
    expect(tested).toMatchObject({ ok: false, findings: [{ code: 'credential_not_accepted' }] });
    expect((await connectionOf(id)).status).toBe('reauthorization_required');
    await until(async () => (await eventsOf(id)).includes('connection.reauthorization_required'));
  });
});

it('a flood of refusals asks the provider once a minute', async () => {
  const { id, user } = await connect('keyed');
  const before = provider.probesOf('keyed');
  provider.failWith(401);
  await Promise.all(Array.from({ length: 100 }, () => call('keyed', user, '/fails')));
  await until(() => provider.probesOf('keyed') > before);
  for (let round = 0; round < 5; round += 1)
    await Promise.all(Array.from({ length: 20 }, () => call('keyed', user, '/fails')));
  await until(async () => (await rowOf(id)).call_refusals === 0);
  expect(provider.probesOf('keyed')).toBe(before + 1);
});

it('one refusal is forgotten when the next proof is good', async () => {
  const { id, user } = await connect('keyed');
  provider.dead.add('keyed');
  await callUntilProbed('keyed', id, user);
  await until(async () => (await connectionOf(id)).statusReason !== null);
  provider.dead.clear();
  await until(async () => {
    await call('keyed', user);
    return (await connectionOf(id)).statusReason === null;
  });
  expect((await rowOf(id)).call_refusals).toBe(0);
});

it('a connection that is authorized again begins without what was said of its former credential', async () => {
  const { id, user } = await connect('keyed');
  provider.dead.add('keyed');
  await callApi(gateway.url, 'POST', `/v1/connections/${id}/test`, { bearer: project.apiKey });
  provider.dead.clear();
  const body = { integrationId: integrations.get('keyed'), userId: user, credentials: { apiKey: 'new' } };
  await callApi(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
  const listed = await callApiOk(
    gateway.url,
    'GET',
    `/v1/projects/${project.id}/connections?userId=${user}&status=active`,
    { bearer: project.apiKey },
  );
  expect(listed.connections).toMatchObject([{ statusReason: null }]);
  expect((await rowOf(listed.connections[0].id)).call_refusals).toBe(0);
});

describe('a credential that nothing can prove', () => {
  it('is never ended, but said to be refused after three minutes of refusals, until a call succeeds', async () => {
    const { id, user } = await connect('unprovable');
    provider.dead.add('unprovable');
    for (const count of [1, 2, 3]) {
      await passMinute(id);
      await until(async () => {
        await call('unprovable', user);
        return (await rowOf(id)).call_refusals >= count;
      });
    }
    await until(async () => (await connectionOf(id)).statusReason !== null);
    expect(await connectionOf(id)).toMatchObject({
      status: 'active',
      statusReason: 'calls refused: by the provider, and no request proves the credential',
    });
    const health = await callApiOk(gateway.url, 'GET', `/v1/connections/${id}/health`, {
      bearer: project.apiKey,
    });
    expect(health.findings).toMatchObject([{ code: 'calls_refused', severity: 'warning' }]);
    provider.dead.clear();
    await until(async () => {
      await call('unprovable', user);
      return (await connectionOf(id)).statusReason === null;
    });
    expect((await connectionOf(id)).status).toBe('active');
  });
});
