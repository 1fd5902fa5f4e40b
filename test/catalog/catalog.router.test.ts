import { join } from 'node:path';
import express from 'express';
import request from 'supertest';
import { createCatalogEndpoints } from '../../src/catalog/catalog.router.ts';
import { loadCatalog } from '../../src/catalog/catalog.ts';
import { createApiRouter } from '../../src/http/api-router.ts';
import { HttpError } from '../../src/http/errors.ts';

const catalog = loadCatalog({
  builtInDirectory: join(import.meta.dirname, '../../src/catalog/providers'),
  allowPrivateNetworks: false,
});
const app = express().use(
  '/v1',
  createApiRouter({
    endpoints: createCatalogEndpoints({
      catalog,
      custom: { list: async () => [], find: async () => [] },
      projectsOf: async () => [],
      publicUrl: 'http://localhost:3000',
    }),
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

it('lists every provider by name', async () => {
  const { body } = await get('/providers?limit=200').expect(200);
  expect(idsOf(body).toSorted()).toEqual(catalog.list().map(({ id }) => id));
  const names = body.providers.map(({ name }: { name: string }) => name.toLowerCase());
  expect(names).toEqual(names.toSorted());
  expect(body.nextCursor).toBeNull();
});

it('pages through the list without gaps or repetition', async () => {
  const seen: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const path: string = `/providers?limit=5${cursor && `&cursor=${cursor}`}`;
    const { body } = await get(path).expect(200);
    expect(body.providers.length).toBeLessThanOrEqual(5);
    seen.push(...idsOf(body));
    cursor = body.nextCursor;
  }
  expect(seen.toSorted()).toEqual(catalog.list().map(({ id }) => id));
});

it('finds by category, by kind and by words', async () => {
  const ids = async (query: string) => idsOf((await get(`/providers?${query}`).expect(200)).body);
  expect(await ids('category=payments')).toEqual(['stripe']);
  expect(await ids('auth=api-key')).toEqual(expect.arrayContaining(['sendgrid', 'stripe']));
  expect(await ids('search=HUB')).toEqual(['github', 'hubspot']);
  expect(await ids('q=crm%20zoho')).toEqual(['zoho-crm']);
  expect(await ids('search=nothing-like-it')).toEqual([]);
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
    logoUrl: null,
  });
  const salesforce = (await get('/providers/salesforce').expect(200)).body;
  expect(salesforce.variables).toMatchObject([
    { name: 'instance_url', from: 'token-response', options: null, secret: false },
  ]);
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
