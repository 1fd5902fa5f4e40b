import type { Express } from 'express';
import request from 'supertest';
import { createRecordActivity } from '../../src/activity/record.ts';
import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { dryRun } from '../../src/dry-run/dry-run-provider.ts';
import { HttpError } from '../../src/http/errors.ts';
import type { Principal } from '../../src/http/principal.ts';
import { newId } from '../../src/lib/ids.ts';
import { createChanges } from '../../src/platform/change-notices.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createAccess } from '../../src/projects/access.ts';
import { createProviders } from '../../src/providers/create-providers.ts';
import { customProvidersStore } from '../../src/providers/custom-providers.store.ts';
import { createTestApp, PUBLIC_URL } from '../http/support.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertIntegration, insertProject } from '../support/rows.ts';

const ACME = {
  id: 'acme',
  name: 'Acme CRM',
  category: 'crm',
  auth: 'oauth2',
  authorizationUrl: 'https://crm.acme.example/oauth/authorize',
  tokenUrl: 'https://crm.acme.example/oauth/token',
  revocationUrl: 'https://crm.acme.example/oauth/revoke',
  apiBaseUrl: 'https://crm.acme.example/api',
  defaultScopes: ['contacts'],
};

let database: TestDatabase;
let app: Express;
let own: string;
let other: string;

beforeAll(async () => {
  database = await createTestDatabase();
  const { knex: db } = database;
  own = await insertProject(db);
  other = await insertProject(db);
  const principals: Record<string, Principal> = {
    key: { kind: 'api_key', apiKeyId: newId(), projectId: own, scopes: ['*'] },
    'other-key': { kind: 'api_key', apiKeyId: newId(), projectId: other, scopes: ['*'] },
    user: { kind: 'end_user', projectId: own, endUserId: newId(), subject: 'mia' },
    owner: await operator({ [own]: 'owner', [other]: 'admin' }),
    viewer: await operator({ [own]: 'viewer' }),
  };
  const builtIn = providerFromFile({ ...ACME, id: 'zeta', name: 'Zeta' }, { allowPrivateNetworks: false });
  if (!builtIn.ok) throw new Error('the built-in provider of this test has a fault');
  const custom = createProviders({
    db,
    publicUrl: PUBLIC_URL,
    webhookUrl: undefined,
    allowPrivateNetworks: false,
    changes: createChanges(),
    catalog: createCatalog([builtIn.provider]),
    log: { warn() {} },
    now: Date.now,
  });
  const endpoints = custom.endpoints({
    access: createAccess({ db }),
    recordActivity: createRecordActivity({ announce: () => undefined }),
    dryRun: (provider) =>
      dryRun(provider, PUBLIC_URL, {
        outbound: createOutbound({ allowPrivateNetworks: false }),
        allowHttp: false,
      }),
    dryRunInCatalog: (provider) => dryRun(provider, 'https://gateway.example'),
  });
  ({ app } = createTestApp(endpoints, {
    authenticate: async ({ headers }) => {
      const principal = principals[(headers.authorization ?? '').replace('Bearer ', '')];
      if (principal === undefined) throw new HttpError('token_missing');
      return principal;
    },
  }));

  async function operator(roles: Record<string, string>): Promise<Principal> {
    const id = newId();
    await db('operators').insert({ id, email: `${id}@example.test`, password_hash: 'unused' });
    const rows = Object.entries(roles).map(([project_id, role]) => ({ project_id, operator_id: id, role }));
    await db('project_members').insert(rows);
    return { kind: 'operator', operatorId: id };
  }
});

beforeEach(async () => {
  await database.knex('integrations').delete();
  await database.knex('custom_providers').delete();
});
afterAll(() => database?.drop());

function call(
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  who: string | undefined,
  body?: object,
) {
  const made = request(app)[method](`/v1${path}`);
  if (who !== undefined) made.set('Authorization', `Bearer ${who}`);
  return body === undefined ? made : made.send(body);
}

const create = (who = 'key', more: object = {}) => call('post', '/providers', who, { ...ACME, ...more });
const faultsOf = ({ body }: request.Response): [string, string][] =>
  body.errors.map(({ path, message }: { path: string; message: string }) => [path, message]);

describe('POST /v1/providers', () => {
  it('makes a provider of the project, called custom:<id>, with what it was described by', async () => {
    const { body, headers } = await create().expect(201);
    expect(body).toMatchObject({
      id: 'custom:acme',
      projectId: own,
      name: 'Acme CRM',
      pkce: true,
      redirectUrl: `${PUBLIC_URL}/oauth/callback/<integration id>`,
      definition: ACME,
    });
    expect(headers).toMatchObject({
      etag: expect.stringMatching(/^"1\./),
      location: `${PUBLIC_URL}/v1/providers/custom:acme`,
    });
    expect((await call('get', '/providers/custom:acme', 'key').expect(200)).body).toEqual(body);
  });

  it('judges every way to authenticate as it judges the usual one', async () => {
    const grant = (more: object) => ({ id: 'key', title: 'Key', auth: 'api-key', ...more });
    const apiKey = { in: 'header', name: 'Host', template: '{apiKey}' };
    expect(faultsOf(await create('key', { grants: [grant({ apiKey })] }).expect(400))).toEqual([
      ['body.grants.0.apiKey.Host', expect.stringContaining('the gateway sets')],
    ]);
    const { body } = await create('key', { grants: [grant({ apiKey: { ...apiKey, name: 'X-Key' } })] });
    expect(body.grants.map(({ id }: { id: string }) => id)).toEqual(['oauth2', 'key']);
  });

  it('asks an operator of several projects which one, and a viewer for another role', async () => {
    expect(faultsOf(await create('owner').expect(400))).toEqual([['body.projectId', expect.any(String)]]);
    expect((await create('viewer').expect(403)).body.code).toBe('insufficient_role');
    const { body } = await create('owner', { projectId: other }).expect(201);
    expect(body.projectId).toBe(other);
  });

  it('refuses end users, callers without credentials, and projects that the caller does not manage', async () => {
    await create('user').expect(403);
    await call('post', '/providers', undefined, ACME).expect(401);
    await create('key', { projectId: other }).expect(404);
  });

  it('takes the id with its prefix as well', async () => {
    const { body } = await create('key', { id: 'custom:acme' }).expect(201);
    expect(body).toMatchObject({ id: 'custom:acme', definition: { id: 'acme' } });
    expect((await create().expect(409)).body.code).toBe('provider_exists');
  });

  it('refuses a second one of the same id, but not in another project', async () => {
    await create().expect(201);
    expect((await create().expect(409)).body.code).toBe('provider_exists');
    await create('other-key').expect(201);
  });

  it.each<[string, object, string[]]>([
    ['an unknown field', { colour: 'red' }, ['body.colour']],
    ['an unknown field further in', { tokenRequest: { verb: 'PUT' } }, ['body.tokenRequest.verb']],
    ['another prefix in the id', { id: 'own:acme' }, ['body.id']],
    ['a missing address', { tokenUrl: null }, ['body.tokenUrl']],
    ['an address without TLS', { apiBaseUrl: 'http://crm.acme.example' }, ['body.apiBaseUrl']],
    ['an unknown variable', { apiBaseUrl: 'https://{shop}.acme.example' }, ['body.apiBaseUrl']],
    ['several at once', { name: '', auth: 'magic' }, ['body.auth', 'body.name']],
    [
      'a pattern that no linear-time engine runs',
      { variables: { shop: { pattern: '(?=a)b' } } },
      ['body.variables.shop.pattern'],
    ],
    [
      'such a pattern in an account field',
      { account: { id: { path: 'id', pattern: '(.)\\1' } } },
      ['body.account.id.pattern'],
    ],
    ['a header field of the connection', { apiHeaders: { Host: 'a.example' } }, ['body.apiHeaders.Host']],
    [
      'such a field of a revocation',
      { revocation: { headers: { 'Transfer-Encoding': 'chunked' } } },
      ['body.revocation.headers.Transfer-Encoding'],
    ],
    [
      'a host of the user’s choice that gets a secret of the operator’s',
      {
        apiBaseUrl: 'https://{host}/api',
        apiHeaders: { 'X-Developer': '{developer}' },
        variables: { host: {}, developer: { from: 'integration', secret: true } },
      },
      ['body.variables.host'],
    ],
    ['fields that browsers might obey', { responseHeaders: ['Acme-Field'] }, ['body.responseHeaders']],
    ['a line break in a header field', { apiHeaders: { 'X-A': 'a\r\nB: c' } }, ['body.apiHeaders.X-A']],
    [
      'a secret that would stand in plain',
      { variables: { pin: { secret: true, default: 'hunter2' } } },
      ['body.variables.pin.default'],
    ],
    [
      'patterns that are too large together',
      { variables: { shop: { pattern: '[a-z]{1,300}' }, site: { pattern: '[0-9]{1,300}' } } },
      ['body.variables.site.pattern'],
    ],
    [
      'too many variables',
      { variables: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, 'x'])) },
      ['body.variables'],
    ],
    [
      'too many placeholders in an address',
      { apiBaseUrl: `https://acme.example/${'{shop}'.repeat(21)}`, variables: { shop: 'x' } },
      ['body.apiBaseUrl'],
    ],
    ['a description that is too long', { quirks: ['x'.repeat(33_000)] }, ['body']],
  ])('names every fault of %s by its place and reason, and stores nothing', async (_, more, paths) => {
    const reply = await create('key', more).expect(400);
    expect(reply.headers['content-type']).toContain('application/problem+json');
    expect(
      faultsOf(reply)
        .map(([path]) => path)
        .toSorted(),
    ).toEqual(paths);
    for (const [, message] of faultsOf(reply)) expect(message).toMatch(/\w/);
    expect(await customProvidersStore.list(database.knex, [own])).toEqual([]);
  });
});

describe('GET /v1/providers', () => {
  it('lists the project’s own after those of the catalog, page by page', async () => {
    await create().expect(201);
    await create('key', { id: 'beta', name: 'Beta' }).expect(201);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path: string = `/providers?limit=1${cursor && `&cursor=${cursor}`}`;
      const { body } = await call('get', path, 'user').expect(200);
      seen.push(...body.providers.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
    }
    expect(seen).toEqual(['zeta', 'custom:acme', 'custom:beta']);
  });

  it('shows an end user the provider, but not what it was described by', async () => {
    await create().expect(201);
    const { body } = await call('get', '/providers/custom:acme', 'user').expect(200);
    expect(body).toMatchObject({ id: 'custom:acme', definition: null });
  });

  it('shows nothing of it to another project', async () => {
    await create().expect(201);
    const { body } = await call('get', '/providers', 'other-key').expect(200);
    expect(body.providers.map(({ id }: { id: string }) => id)).toEqual(['zeta']);
    for (const method of ['get', 'patch', 'delete'] as const) {
      const refusal = await call(
        method,
        '/providers/custom:acme',
        'other-key',
        method === 'patch' ? {} : undefined,
      );
      expect([method, refusal.status, refusal.body.code]).toEqual([method, 404, 'provider_unknown']);
    }
  });

  it('lets an operator say which of two projects is meant', async () => {
    await create().expect(201);
    await create('other-key', { name: 'Other Acme' }).expect(201);
    expect(faultsOf(await call('get', '/providers/custom:acme', 'owner').expect(400))[0]?.[0]).toBe(
      'query.projectId',
    );
    const { body } = await call('get', `/providers/custom:acme?projectId=${other}`, 'owner').expect(200);
    expect(body.name).toBe('Other Acme');
    const list = await call('get', `/providers?projectId=${own}&q=acme`, 'owner').expect(200);
    expect(list.body.providers).toMatchObject([{ name: 'Acme CRM', projectId: own }]);
  });
});

describe('PATCH /v1/providers/custom:<id>', () => {
  const patch = (body: object, tag?: string) => {
    const made = call('patch', '/providers/custom:acme', 'key', body);
    return tag === undefined ? made : made.set('If-Match', tag);
  };

  it('exchanges fields, takes away what is null, and keeps the rest', async () => {
    await create().expect(201);
    const { body, headers } = await patch({ name: 'New', revocationUrl: null }, '"1"').expect(200);
    const { revocationUrl: _, ...rest } = ACME;
    expect(body).toMatchObject({
      name: 'New',
      supportsRevocation: false,
      definition: { ...rest, name: 'New' },
    });
    expect(body.definition.revocationUrl).toBeUndefined();
    expect(headers.etag).toMatch(/^"2\./);
  });

  it('refuses a change that is based on another version', async () => {
    await create().expect(201);
    await patch({ name: 'New' }, '"1"').expect(200);
    expect((await patch({ name: 'Newer' }, '"1"').expect(412)).body.code).toBe('precondition_failed');
  });

  it('refuses another id, and what would make the description faulty', async () => {
    await create().expect(201);
    expect(faultsOf(await patch({ id: 'beta' }).expect(400))).toEqual([['body.id', 'cannot be changed']]);
    expect(faultsOf(await patch({ tokenUrl: null }).expect(400))[0]?.[0]).toBe('body.tokenUrl');
    expect((await call('get', '/providers/custom:acme', 'key')).body.definition).toEqual(ACME);
  });

  it('refuses another kind of authorization while there are integrations', async () => {
    await create().expect(201);
    const change = { auth: 'basic', authorizationUrl: null, tokenUrl: null, revocationUrl: null };
    await insertIntegration(database.knex, createTestVault(), own, 'custom:acme');
    expect((await patch(change).expect(409)).body.code).toBe('integrations_exist');
    await database.knex('integrations').delete();
    expect((await patch(change).expect(200)).body.auth).toBe('basic');
  });

  it('refuses to make a variable secret, or public, while there are integrations that may have its value', async () => {
    await create('key', { variables: { team: {}, pin: { secret: true } } }).expect(201);
    await insertIntegration(database.knex, createTestVault(), own, 'custom:acme');
    for (const variables of [{ team: { secret: true } }, { pin: {} }, { pin: 'The pin' }]) {
      expect((await patch({ variables }).expect(409)).body.code).toBe('integrations_exist');
    }
    const variables = { team: { title: 'Team' }, pin: { secret: true }, more: { secret: true } };
    await patch({ variables }).expect(200);
    await database.knex('integrations').delete();
    await patch({ variables: { pin: {} } }).expect(200);
  });

  it('refuses to take a grant away, or to change its kind, while integrations use it, and says which', async () => {
    const key = {
      id: 'key',
      title: 'Key',
      auth: 'api-key',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    };
    const login = { id: 'login', title: 'Login', auth: 'basic' };
    await create('key', { grants: [key, login] }).expect(201);
    const used = await insertIntegration(database.knex, createTestVault(), own, 'custom:acme');
    await database.knex('integrations').where({ id: used }).update({ grant: 'key' });
    for (const grants of [null, [login], [{ ...login, id: 'key', title: 'Key' }]]) {
      const { body } = await patch({ grants }).expect(409);
      expect(body).toMatchObject({
        code: 'integrations_exist',
        detail: expect.stringContaining('1 integration would '),
        errors: [{ path: 'body.grants', message: expect.stringContaining('1 integration would ') }],
      });
    }
    const pin = { variables: { pin: { from: 'integration' } } };
    await patch({ grants: [{ ...key, title: 'Access key', ...pin }] }).expect(200);
    const secret = { variables: { pin: { from: 'integration', secret: true } } };
    const { body } = await patch({ grants: [{ ...key, ...secret }] }).expect(409);
    expect(body.errors).toEqual([{ path: 'body.variables.pin', message: expect.stringContaining('secret') }]);
    // Nobody uses the entry's own kind.
    const basic = { auth: 'basic', authorizationUrl: null, tokenUrl: null, revocationUrl: null };
    await patch({ ...basic, defaultScopes: null }).expect(200);
  });

  it('is for who manages the project', async () => {
    await create().expect(201);
    await call('patch', '/providers/custom:acme', 'viewer', { name: 'New' }).expect(403);
    await call('patch', '/providers/custom:acme', 'user', { name: 'New' }).expect(403);
    await call('patch', '/providers/custom:acme', undefined, { name: 'New' }).expect(401);
    expect((await call('patch', '/providers/zeta', 'key', { name: 'New' }).expect(404)).body.code).toBe(
      'provider_unknown',
    );
  });
});

describe('DELETE /v1/providers/custom:<id>', () => {
  it('is refused while integrations use it, and works after them', async () => {
    await create().expect(201);
    await insertIntegration(database.knex, createTestVault(), own, 'custom:acme');
    const refusal = await call('delete', '/providers/custom:acme', 'key').expect(409);
    expect(refusal.body.code).toBe('integrations_exist');
    await database.knex('integrations').delete();
    await call('delete', '/providers/custom:acme', 'key').expect(204);
    await call('get', '/providers/custom:acme', 'key').expect(404);
  });

  it('never leaves an integration without its provider, also past the API', async () => {
    const integrating = insertIntegration(database.knex, createTestVault(), own, 'custom:acme');
    await expect(integrating).rejects.toMatchObject({ constraint: 'integrations_custom_provider_fkey' });
  });

  it('is for who manages the project', async () => {
    await create().expect(201);
    await call('delete', '/providers/custom:acme', 'viewer').expect(403);
    await call('delete', '/providers/custom:acme', 'user').expect(403);
    await call('delete', '/providers/custom:acme', undefined).expect(401);
  });
});

it('writes what was made, changed and deleted into the activity log', async () => {
  await create().expect(201);
  await call('patch', '/providers/custom:acme', 'key', { name: 'New' }).expect(200);
  await call('delete', '/providers/custom:acme', 'key').expect(204);
  const rows = await database.knex('activity').orderBy('id', 'desc').limit(3);
  expect(rows.map(({ action, details }) => [action, details])).toEqual([
    ['custom_provider.deleted', { provider: 'custom:acme' }],
    ['custom_provider.updated', { provider: 'custom:acme', fields: ['name'] }],
    ['custom_provider.created', { provider: 'custom:acme' }],
  ]);
});

it('goes with its project', async () => {
  const { knex: db } = database;
  const project = await insertProject(db);
  const description = { ...ACME };
  await customProvidersStore.insert(db, {
    projectId: project,
    provider: 'custom:acme',
    description,
    createdBy: newId(),
  });
  await insertIntegration(db, createTestVault(), project, 'custom:acme');
  await db('projects').where({ id: project }).delete();
  expect(await customProvidersStore.list(db, [project])).toEqual([]);
});
