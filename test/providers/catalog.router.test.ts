import express from 'express';
import request from 'supertest';
import { createApiRouter } from '../../src/http/api-router.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createCatalogEndpoints } from '../../src/providers/catalog.router.ts';
import { createCatalogSummaryEndpoint } from '../../src/providers/catalog-summary.router.ts';
import { createBuiltInSummaries } from '../../src/providers/catalog-summary.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;
const shared = {
  catalog,
  projectsOf: async () => [],
  publicUrl: 'http://localhost:3000',
  origins: { publicUrl: 'http://localhost:3000' },
};
const app = express().use(
  '/v1',
  createApiRouter({
    endpoints: [
      ...createCatalogEndpoints({ ...shared, custom: { list: async () => [], find: async () => [] } }),
      createCatalogSummaryEndpoint({
        ...shared,
        readBuiltIn: createBuiltInSummaries(shared),
        listCustom: async () => [],
      }),
    ],
    authenticate: async ({ headers }) => {
      if (headers.authorization === undefined) throw new HttpError('token_missing');
      return { kind: 'operator', operatorId: '01990000-0000-7000-8000-000000000001' };
    },
    publicUrl: 'http://localhost:3000',
    log: { error: () => {} },
  }),
);

const get = (path: string) => request(app).get(`/v1${path}`).set('Authorization', 'Bearer x');
const idsOf = (body: { providers: { id: string }[] }) => body.providers.map(({ id }) => id);

/** The whole list, page by page. */
async function everything(query: string) {
  const seen: { id: string; name: string; category: string; auth: string }[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `/providers?${query}${cursor && `&cursor=${cursor}`}`;
    const { body } = await get(path).expect(200);
    seen.push(...body.providers);
    cursor = body.nextCursor;
  }
  return seen;
}

it('lists every provider by name, page by page, without gaps or repetition', async () => {
  const all = await everything('limit=47');
  expect(all.map(({ id }) => id).toSorted()).toEqual(catalog.list().map(({ id }) => id));
  const names = all.map(({ name }) => name);
  expect(names).toEqual(names.toSorted(new Intl.Collator('en').compare));
});

it('finds by category, by kind, by words and by ids', async () => {
  const payments = await everything('limit=200&category=payments');
  expect(payments.map(({ id }) => id)).toContain('stripe');
  expect(new Set(payments.map(({ category }) => category))).toEqual(new Set(['payments']));
  const keyed = await everything('limit=200&auth=api-key');
  expect(keyed.map(({ id }) => id)).toContain('sendgrid');
  expect(new Set(keyed.map(({ auth }) => auth))).toEqual(new Set(['api-key']));
  const ids = async (query: string) => idsOf((await get(`/providers?${query}`).expect(200)).body);
  expect(await ids('search=HUBSPOT')).toEqual(['hubspot']);
  expect(await ids('q=zoho%20crm')).toContain('zoho-crm');
  expect(await ids('search=nothing-like-it')).toEqual([]);
  expect(await ids('ids=slack,nobody,hubspot')).toEqual(['hubspot', 'slack']);
  expect(await ids('ids=')).toEqual([]);
});

it('shows one provider with what a set-up needs', async () => {
  const { body } = await get('/providers/hubspot').expect(200);
  expect(body).toMatchObject({
    id: 'hubspot',
    name: 'HubSpot',
    category: 'crm',
    auth: 'oauth2',
    scopes: { supportsOptional: true, descriptions: { oauth: expect.any(String) } },
    webhooks: { supported: true, docsUrl: expect.stringMatching(/^https:/) },
    supportsRevocation: true,
    logoUrl: 'http://localhost:3000/logos/hubspot.svg',
  });
  const salesforce = (await get('/providers/salesforce').expect(200)).body;
  expect(salesforce.variables).toMatchObject([
    { name: 'instance_url', from: 'token-response', options: null, secret: false },
  ]);
});

it('tells in its notes what users do where a provider revokes nothing', async () => {
  const { body } = await get('/providers/jira').expect(200);
  expect(body.supportsRevocation).toBe(false);
  expect(body.notes.at(-1)).toMatch(/no address that revokes tokens.*; users remove the app/);
});

it.each([
  ['hubspot', 'described', { 'private-app': 'described', mcp: 'methods' }],
  ['figma', 'described', {}],
  ['calendly', 'methods', {}],
])('says that reading at %s is judged as %s, and at its further grants', async (id, access, grants) => {
  const { body } = await get(`/providers/${id}`).expect(200);
  const byGrant = Object.fromEntries(
    body.grants.map((grant: { id: string; access: string }) => [grant.id, grant.access]),
  );
  expect(body.access).toBe(access);
  expect(byGrant).toMatchObject({ oauth2: access, ...grants });
});

it('names a first call to try where the provider has one without variables', async () => {
  const { body } = await get('/providers/github').expect(200);
  expect(body.accountCall).toEqual({ method: 'GET', path: '/user' });
  const { providers } = (await get('/providers?limit=200').expect(200)).body;
  for (const { accountCall } of providers) expect(accountCall?.path ?? '/').toMatch(/^\/[^{}]*$/);
});

it('fills its own addresses into the set-up steps', async () => {
  const { body } = await get('/providers/hubspot').expect(200);
  expect(body.redirectUrl).toBe('http://localhost:3000/oauth/callback');
  expect(body.setupSteps.join('\n')).toContain('add http://localhost:3000/oauth/callback as a redirect URL');
  expect(body.setupSteps.join('\n')).toContain('http://localhost:3000/webhooks/<integration id>');
  const { providers } = (await get('/providers?limit=200').expect(200)).body;
  for (const { auth, redirectUrl, setupSteps } of providers) {
    expect(setupSteps.join('\n')).not.toMatch(/\{(redirectUrl|webhookUrl)\}/);
    expect(redirectUrl === null).toBe(auth !== 'oauth2');
  }
});

it('answers an unknown provider with provider_unknown', async () => {
  for (const id of ['nobody', 'HubSpot', '__proto__', '%2e%2e', 'x'.repeat(200)]) {
    const { body } = await get(`/providers/${id}`).expect(404);
    expect(body.code).toBe('provider_unknown');
  }
});

it.each([
  ['hubspt', 'hubspot'],
  ['HubSpot', 'hubspot'],
  ['gogle-drive', 'google-drive'],
])('names the provider that %s was probably meant to be', async (id, meant) => {
  const { body } = await get(`/providers/${id}`).expect(404);
  expect(body.detail).toContain(`Did you mean \`${meant}\`?`);
});

it('filters by a long list of ids as fast as by a short one', async () => {
  const { body } = await get(`/providers?ids=${','.repeat(7000)}hubspot`).expect(200);
  expect(body.providers.map(({ id }: { id: string }) => id)).toEqual(['hubspot']);
});

it('refuses input that it does not know', async () => {
  for (const query of ['limit=0', 'limit=201', 'limit=x', 'category=no', 'colour=red', 'cursor=nonsense']) {
    const { body } = await get(`/providers?${query}`);
    expect([query, body.code, body.errors?.length]).toEqual([query, 'invalid_request', 1]);
  }
});

it('needs credentials', async () => {
  await request(app).get('/v1/providers').expect(401);
  await request(app).get('/v1/providers/hubspot').expect(401);
});

it('gives every provider in brief in one reply, with the titles of what has to be filled in', async () => {
  const { body } = await get('/catalog').expect(200);
  expect(idsOf(body).toSorted()).toEqual(catalog.list().map(({ id }) => id));
  const shopify = body.providers.find(({ id }: { id: string }) => id === 'shopify');
  expect(shopify).toMatchObject({ name: 'Shopify', category: 'commerce', auth: 'oauth2', projectId: null });
  expect(shopify.userVariables).toHaveLength(1);
  expect(shopify).not.toHaveProperty('setupSteps');
});
