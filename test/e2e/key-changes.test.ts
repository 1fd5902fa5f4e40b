import {
  type ApiCall,
  callApi,
  callApiOk,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let one: Gateway;
let other: Gateway;
let project: Project;

beforeAll(async () => {
  database = await createTestDatabase();
  one = await startGateway({ databaseUrl: database.url, env: { TRUST_PROXY: '1' } });
  const { ENCRYPTION_KEYS = '' } = one.env;
  const env = { ENCRYPTION_KEYS, PUBLIC_URL: one.url, TRUST_PROXY: '1' };
  other = await startGateway({ databaseUrl: database.url, env });
  project = await provision(one);
});

afterAll(async () => {
  await other?.stop();
  await one?.stop();
  await database?.drop();
});

const asOwner = () => ({ bearer: project.personalAccessToken });
const keysPath = () => `/v1/projects/${project.id}/api-keys`;
const users = () => `/v1/projects/${project.id}/users`;
type Key = { readonly id: string; readonly key: string };

const makeKey = (body: object): Promise<Key> =>
  callApiOk(one.url, 'POST', keysPath(), { ...asOwner(), body: { name: 'k', ...body } });
const change = ({ id }: Key, body: object) =>
  callApiOk(one.url, 'PATCH', `${keysPath()}/${id}`, { ...asOwner(), body });
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

async function codeOf(gateway: Gateway, path: string, bearer: string, call: ApiCall = {}, method = 'GET') {
  const { status, headers } = await callApi(gateway.url, method, path, { bearer, ...call });
  return status < 400 ? status : headers.get('gateway-error');
}

describe('what one replica changes of a key', () => {
  it('counts at the next request at the other, for scopes and addresses, narrower and wider', async () => {
    const key = await makeKey({});
    expect(await codeOf(other, users(), key.key)).toBe(200);
    await change(key, { scopes: ['connect'] });
    expect(await codeOf(other, users(), key.key)).toBe('scope_missing');
    await change(key, { scopes: ['connections:write'] });
    expect(await codeOf(other, users(), key.key)).toBe(200);
    await change(key, { allowedAddresses: ['192.0.2.0/24'] });
    for (const gateway of [other, one]) {
      expect(await codeOf(gateway, users(), key.key)).toBe('address_not_allowed');
      expect(await codeOf(gateway, users(), key.key, from('192.0.2.7'))).toBe(200);
    }
    await change(key, { allowedAddresses: null });
    expect(await codeOf(other, users(), key.key)).toBe(200);
  });

  it('ends a tail that the other has open', async () => {
    const key = await makeKey({ scopes: ['activity:read'] });
    const tail = await fetch(`${other.url}/v1/projects/${project.id}/tail`, {
      headers: { authorization: `Bearer ${key.key}` },
    });
    expect(tail.status).toBe(200);
    await change(key, { scopes: ['polls'] });
    expect(await tail.text()).toContain('event: end');
  });

  it('is the same for a personal access token, which its owner binds with the password', async () => {
    const body = { name: 't', password: OPERATOR.password };
    const made = await callApiOk(one.url, 'POST', '/v1/personal-access-tokens', { ...asOwner(), body });
    expect(await codeOf(other, '/v1/projects', made.token)).toBe(200);
    const bound = { password: OPERATOR.password, allowedAddresses: ['2001:db8::/32'] };
    await callApiOk(one.url, 'PATCH', `/v1/personal-access-tokens/${made.id}`, { ...asOwner(), body: bound });
    expect(await codeOf(other, '/v1/projects', made.token)).toBe('address_not_allowed');
    expect(await codeOf(other, '/v1/projects', made.token, from('2001:db8::9'))).toBe(200);
  });
});

describe('a key that is bound to addresses', () => {
  it('goes by the address that the trusted proxy tells, and not by what the caller writes before it', async () => {
    const { id, key } = await makeKey({ allowedAddresses: ['192.0.2.0/24'] });
    expect(await codeOf(one, users(), key, from('192.0.2.9'))).toBe(200);
    expect(await codeOf(one, users(), key, from('::ffff:192.0.2.9'))).toBe(200);
    for (const written of ['192.0.2.9, 198.51.100.1', '198.51.100.1', '192.0.2.9, unknown', '192.0.2.9.']) {
      expect([written, await codeOf(one, users(), key, from(written))]).toEqual([
        written,
        'address_not_allowed',
      ]);
    }
    const shown = await callApi(one.url, 'GET', users(), { bearer: key, ...from('198.51.100.1') });
    expect(shown.body).toMatchObject({
      ...{ status: 403, detail: 'The credentials are bound to addresses, and 198.51.100.1 is none of them.' },
    });
    const { activity } = await callApiOk(one.url, 'GET', `/v1/activity?subjectId=${id}`, asOwner());
    const refused = activity.filter(({ action }: { action: string }) => action === 'api_key.address_refused');
    expect(refused.map((entry: { sourceAddress: string | null }) => entry.sourceAddress)).toEqual(
      expect.arrayContaining(['198.51.100.1', null]),
    );
    expect(refused).toHaveLength(3);
    const { apiKeys } = await callApiOk(one.url, 'GET', keysPath(), asOwner());
    expect(apiKeys[0]).toMatchObject({ id, allowedAddresses: ['192.0.2.0/24'] });
  });
});

describe('a key that lacks the scope', () => {
  it('gets no reply that was kept for it or for another key', async () => {
    const key = await makeKey({ scopes: ['users:tokens'] });
    const readers = await makeKey({ scopes: ['connections:read'] });
    const path = `/v1/projects/${project.id}/revocations`;
    const call = { headers: { 'idempotency-key': 'same' }, body: { jti: 'kept' } };
    const post = (bearer: string) => callApi(other.url, 'POST', path, { bearer, ...call });
    expect((await post(readers.key)).body.code).toBe('scope_missing');
    const first = await post(key.key);
    expect(first.status).toBe(201);
    expect((await post(key.key)).headers.get('idempotency-replayed')).toBe('true');
    const refused = await post(readers.key);
    expect([refused.body.code, refused.text.includes(first.body.id)]).toEqual(['scope_missing', false]);
    await change(key, { scopes: ['connections:read'] });
    const narrowed = await post(key.key);
    expect([narrowed.body.code, narrowed.text.includes(first.body.id)]).toEqual(['scope_missing', false]);
    await change(key, { scopes: ['users:tokens'], allowedAddresses: ['192.0.2.1'] });
    expect((await post(key.key)).body.code).toBe('address_not_allowed');
    // A refusal is not kept: with the scope the reply is there again.
    await change(key, { allowedAddresses: null });
    expect((await post(key.key)).body.id).toBe(first.body.id);
    await change(readers, { scopes: ['users:tokens'] });
    expect((await post(readers.key)).status).toBe(201);
  });

  it('is refused by every method, spelling of the path and validator', async () => {
    const { key } = await makeKey({ scopes: ['polls'] });
    const own = `/v1/projects/${project.id}`;
    const { headers } = await callApi(one.url, 'GET', own, asOwner());
    const etag = headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    const validators = [{ 'if-none-match': etag }, { 'if-none-match': '*' }, { 'if-match': etag }];
    for (const fields of validators) {
      expect(await codeOf(one, own, key, { headers: fields })).toBe('scope_missing');
    }
    const override = { 'x-http-method-override': 'GET', 'x-method-override': 'GET' };
    const body = { name: 'Taken' };
    expect(await codeOf(one, own, key, { headers: override, body }, 'PATCH')).toBe('scope_missing');
    const head = await callApi(one.url, 'HEAD', own, { bearer: key });
    expect([head.status, head.headers.get('etag'), head.text]).toEqual([403, null, '']);
    const spelled = [
      `${own}/`,
      `${own}?x=1`,
      own.replace('projects', '%70rojects'),
      own.toUpperCase().replace('/V1', '/v1'),
    ];
    for (const path of [...spelled, `/v1//projects/${project.id}`, `/v1/./projects/${project.id}`]) {
      const answer = await callApi(one.url, 'GET', path, { bearer: key });
      expect([path, answer.status >= 400, answer.text.includes('End-to-end')]).toEqual([path, true, false]);
    }
    const options = await callApi(one.url, 'OPTIONS', own, { bearer: key });
    expect([options.status, options.text.includes('End-to-end')]).toEqual([204, false]);
  });

  it('finds by searching what its scopes let it read', async () => {
    await callApiOk(one.url, 'POST', '/v1/integrations', {
      bearer: project.apiKey,
      body: { serviceProvider: 'hubspot', clientId: 'c', clientSecret: 's', scopes: ['oauth'] },
    });
    const kinds = async (scopes: string[], text: string) => {
      const { key } = await makeKey({ scopes });
      const { results } = await callApiOk(one.url, 'GET', `/v1/search?q=${text}`, { bearer: key });
      return [...new Set(results.map(({ kind }: { kind: string }) => kind))].toSorted();
    };
    expect(await kinds(['*'], 'hubspot')).toEqual(['integration', 'provider']);
    expect(await kinds(['integrations:write'], 'hubspot')).toEqual(['integration', 'provider']);
    expect(await kinds(['polls'], 'hubspot')).toEqual(['provider']);
    expect(await kinds(['integrations:read'], 'End-to')).toEqual([]);
    expect(await kinds(['projects:read'], 'End-to')).toEqual(['project']);
  });

  it('has no provider asked by a diagnosis that it may read', async () => {
    const { integrations } = await callApiOk(one.url, 'GET', '/v1/integrations', asOwner());
    const path = `/v1/integrations/${integrations[0].id}/diagnosis`;
    const { key } = await makeKey({ scopes: ['integrations:read'] });
    expect(await codeOf(one, path, key)).toBe(200);
    expect(await codeOf(one, `${path}?refresh=true`, key)).toBe('scope_missing');
  });

  it('mints tokens for users of the application alone, where it may mint', async () => {
    const { key } = await makeKey({ scopes: ['users:tokens'] });
    const mint = (userId: string) =>
      callApi(one.url, 'POST', '/v1/user-tokens', { bearer: key, body: { userId } });
    const { token } = (await mint('someone')).body;
    expect((await mint('operator:1')).status).toBe(400);
    // The token is its user's: what keys and operators may do is out of its reach.
    expect(await codeOf(one, '/v1/connections', token)).toBe(200);
    for (const path of [users(), keysPath(), `/v1/projects/${project.id}`, '/v1/activity', '/v1/events'])
      expect([path, await codeOf(one, path, token)]).toEqual([path, 'forbidden_principal']);
    expect(await codeOf(other, '/v1/connections', token)).toBe(200);
  });
});
