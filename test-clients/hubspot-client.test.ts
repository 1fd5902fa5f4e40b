import { Client } from '@hubspot/api-client';
import { connectAccount, proxyUrl, type Stage, startStage } from '../test/support/stage.ts';

const CONTACTS = 250;

let stage: Stage;
let hubspot: Client;

beforeAll(async () => {
  stage = await startStage({ crm: { contacts: CONTACTS } });
  await connectAccount(stage, { userId: 'mia' });
  hubspot = new Client({ accessToken: stage.project.userToken('mia'), basePath: proxyUrl(stage) });
});

afterAll(() => stage?.close());

async function refusalOf(call: Promise<unknown>): Promise<{ code: number; body: Record<string, unknown> }> {
  return call.then(
    () => Promise.reject(new Error('The call was expected to be refused')),
    (error) => ({ code: error.code, body: error.body }),
  );
}

describe('HubSpot’s own client, unmodified, with the user’s token and the proxy’s address', () => {
  const basicApi = () => hubspot.crm.contacts.basicApi;

  it('lists contacts, and the next page begins where the first ended', async () => {
    const first = await basicApi().getPage(3, undefined, ['email', 'company']);
    expect(first.results).toHaveLength(3);
    expect(first.results[0]?.properties).toMatchObject({ email: expect.stringContaining('@') });
    const next = await basicApi().getPage(3, first.paging?.next?.after);
    expect(next.results[0]?.id).toBe(String(Number(first.results[2]?.id) + 1));
  });

  it('reads all contacts page by page, each once', async () => {
    const all = await hubspot.crm.contacts.getAll(100);
    expect(new Set(all.map(({ id }) => id)).size).toBe(CONTACTS);
  });

  it('creates, updates, finds by search, and archives a contact', async () => {
    const properties = { email: 'grace@example.test', firstname: 'Grace', lastname: 'Hopper' };
    const created = await basicApi().create({ properties, associations: [] });
    const updated = await basicApi().update(created.id, { properties: { jobtitle: 'Rear Admiral' } });
    expect(updated.properties).toMatchObject({ jobtitle: 'Rear Admiral' });
    const filter = { propertyName: 'email', operator: 'EQ' as const, value: 'grace@example.test' };
    const search = { filterGroups: [{ filters: [filter] }], properties: ['jobtitle'], limit: 10 };
    const found = await hubspot.crm.contacts.searchApi.doSearch(search as never);
    expect(found).toMatchObject({ total: 1, results: [{ id: created.id }] });
    await basicApi().archive(created.id);
    expect((await refusalOf(basicApi().getById(created.id))).code).toBe(404);
  });

  it('reads a batch', async () => {
    const { results } = await basicApi().getPage(2);
    const inputs = results.map(({ id }) => ({ id }));
    const batch = await hubspot.crm.contacts.batchApi.read({
      inputs,
      properties: ['lastname'],
      propertiesWithHistory: [],
    });
    expect(batch.results.map(({ id }) => id).sort()).toEqual(inputs.map(({ id }) => id).sort());
  });

  it('gets the provider’s own error object, not one of the gateway', async () => {
    const { code, body } = await refusalOf(basicApi().getById('999999999'));
    expect(code).toBe(404);
    expect(body).toMatchObject({ status: 'error', category: 'OBJECT_NOT_FOUND' });
  });

  it('is refused by the gateway with problem details when its token is invalid', async () => {
    const stranger = new Client({ accessToken: 'not-a-token', basePath: proxyUrl(stage) });
    const { code, body } = await refusalOf(stranger.crm.contacts.basicApi.getPage(1));
    expect(code).toBe(401);
    expect(JSON.stringify(body)).toContain('token_invalid');
  });
});

describe('the way of a call', () => {
  it('leaves path, query and status as they are, and says nothing of its own', async () => {
    const query = 'limit=2&properties=email&properties=company&after=0';
    const response = await fetch(proxyUrl(stage, `/crm/v3/objects/contacts?${query}`), {
      headers: { authorization: `Bearer ${stage.project.userToken('mia')}` },
    });
    expect(response.status).toBe(200);
    expect(response.headers.has('gateway-error')).toBe(false);
    expect(response.headers.get('gateway-request-id')).toEqual(expect.any(String));
    await response.arrayBuffer();
    expect(stage.crm.stats.apiCalls.at(-1)).toEqual({
      method: 'GET',
      path: `/crm/v3/objects/contacts?${query}`,
      status: 200,
    });
  });

  it('keeps users apart: one who has connected nothing gets 404 from the gateway', async () => {
    const response = await fetch(proxyUrl(stage, '/crm/v3/objects/contacts'), {
      headers: { authorization: `Bearer ${stage.project.userToken('noah')}` },
    });
    expect(response.status).toBe(404);
    expect(response.headers.get('gateway-error')).toBe('connection_not_found');
  });
});
