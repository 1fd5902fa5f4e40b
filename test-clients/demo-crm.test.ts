import { Client } from '@hubspot/api-client';
import { type DemoCrm, startDemoCrm } from '../examples/demo-crm/server.ts';
import { CLIENT, obtainTokens } from '../test/examples/demo-crm-client.ts';

const CONTACTS = 250;

let crm: DemoCrm;
let hubspot: Client;

beforeAll(async () => {
  crm = await startDemoCrm({ clients: [CLIENT], contacts: CONTACTS });
  const { tokens } = await obtainTokens(crm);
  hubspot = new Client({ accessToken: String(tokens.access_token), basePath: crm.url });
});

afterAll(() => crm.close());

/** The error that a call of the official client was refused with. */
async function refusalOf(
  promise: Promise<unknown>,
): Promise<{ code: number; body: Record<string, unknown> }> {
  return promise.then(
    () => Promise.reject(new Error('The call was expected to be refused')),
    (error) => ({ code: error.code, body: error.body }),
  );
}

describe('@hubspot/api-client, talking to the demo CRM', () => {
  // Functions, since the client exists only once the server has started.
  const basicApi = () => hubspot.crm.contacts.basicApi;
  const searchApi = () => hubspot.crm.contacts.searchApi;
  const batchApi = () => hubspot.crm.contacts.batchApi;

  it('lists a page with the properties asked for, and where the next one begins', async () => {
    const page = await basicApi().getPage(3, undefined, ['email', 'jobtitle', 'company']);
    expect(page.results).toHaveLength(3);
    expect(page.results[0]?.properties.company).toEqual(expect.stringMatching(/^\p{L}+ \p{L}+$/u));
    expect(page.results[0]?.createdAt).toBeInstanceOf(Date);
    const next = await basicApi().getPage(3, page.paging?.next?.after);
    expect(next.results[0]?.id).toBe(String(Number(page.results[2]?.id) + 1));
    expect(page.paging?.next?.link).toContain(`after=${page.paging?.next?.after}`);
  });

  it('reads all contacts, each once', async () => {
    const all = await hubspot.crm.contacts.getAll(100);
    expect(new Set(all.map(({ id }) => id)).size).toBe(CONTACTS);
  });

  it('creates, reads by e-mail address, updates and archives a contact', async () => {
    const properties = { email: 'Grace@Example.test', firstname: 'Grace', lastname: 'Hopper' };
    const created = await basicApi().create({ properties, associations: [] });
    expect(created.properties).toMatchObject({ email: 'grace@example.test', firstname: 'Grace' });
    await basicApi().update(created.id, { properties: { jobtitle: 'Rear Admiral' } });
    const read = await basicApi().getById(
      'grace@example.test',
      ['jobtitle'],
      undefined,
      undefined,
      false,
      'email',
    );
    expect(read).toMatchObject({ id: created.id, properties: { jobtitle: 'Rear Admiral' } });
    expect(read.updatedAt.getTime()).toBeGreaterThanOrEqual(created.updatedAt.getTime());
    await basicApi().archive(created.id);
    expect(await refusalOf(basicApi().getById(created.id))).toMatchObject({
      code: 404,
      body: { category: 'OBJECT_NOT_FOUND' },
    });
    const archived = await basicApi().getById(created.id, undefined, undefined, undefined, true);
    expect(archived.archivedAt).toBeInstanceOf(Date);
  });

  it('is refused a second contact with the same e-mail address', async () => {
    const taken = (await basicApi().getPage(1)).results[0];
    const email = String(taken?.properties.email);
    const refusal = await refusalOf(basicApi().create({ properties: { email }, associations: [] }));
    expect(refusal).toMatchObject({
      code: 409,
      body: {
        status: 'error',
        category: 'CONFLICT',
        message: `Contact already exists. Existing ID: ${taken?.id}`,
      },
    });
  });

  it('is told which property does not exist and which value is not valid', async () => {
    const properties = { email: 'not an address', shoesize: '42', createdate: '2020-01-01' };
    const refusal = await refusalOf(basicApi().create({ properties, associations: [] }));
    expect(refusal).toMatchObject({ code: 400, body: { category: 'VALIDATION_ERROR' } });
    expect(JSON.stringify(refusal.body)).toMatch(/INVALID_EMAIL.*PROPERTY_DOESNT_EXIST.*READ_ONLY_VALUE/);
  });

  it('searches by filters, sorts, and pages with a total', async () => {
    const request = {
      filterGroups: [{ filters: [{ propertyName: 'lifecyclestage', operator: 'EQ', value: 'customer' }] }],
      sorts: ['-lastmodifieddate'],
      properties: ['lifecyclestage', 'lastmodifieddate'],
      limit: 5,
    };
    const first = await searchApi().doSearch(JSON.parse(JSON.stringify(request)));
    expect(first.total).toBeGreaterThan(5);
    expect(first.results.every(({ properties }) => properties.lifecyclestage === 'customer')).toBe(true);
    const second = await searchApi().doSearch(
      JSON.parse(JSON.stringify({ ...request, after: first.paging?.next?.after })),
    );
    const dates = [...first.results, ...second.results].map(
      ({ properties }) => properties.lastmodifieddate ?? '',
    );
    expect(dates).toEqual(dates.toSorted().reverse());
    expect(new Set(dates).size).toBe(10);
  });

  it('reads a batch, and is told which of it does not exist', async () => {
    const ids = (await basicApi().getPage(2)).results.map(({ id }) => ({ id }));
    const request = { inputs: [...ids, { id: '1' }], properties: ['email'], propertiesWithHistory: [] };
    const answer = await batchApi().read(request);
    expect(answer.results.map(({ id }) => ({ id }))).toEqual(ids);
    expect(answer).toMatchObject({ status: 'COMPLETE', numErrors: 1, errors: [{ context: { ids: ['1'] } }] });
  });

  it('creates, updates and archives a batch', async () => {
    const inputs = ['one', 'two'].map((firstname) => ({
      properties: { firstname, email: `${firstname}@batch.test` },
      associations: [],
    }));
    const { results } = await batchApi().create({ inputs });
    const changes = results.map(({ id }) => ({ id, properties: { city: 'Oslo' } }));
    expect((await batchApi().update({ inputs: changes })).results[1]?.properties.city).toBe('Oslo');
    await batchApi().archive({ inputs: results.map(({ id }) => ({ id })) });
    expect(await refusalOf(basicApi().getById(String(results[0]?.id)))).toMatchObject({ code: 404 });
  });

  it('lists the properties that contacts have', async () => {
    const { results } = await hubspot.crm.properties.coreApi.getAll('contacts');
    expect(results.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['email', 'lifecyclestage', 'createdate']),
    );
  });

  it('refreshes tokens and asks about them under the paths that are built into it', async () => {
    const { tokens } = await obtainTokens(crm, 'carol@contoso.test');
    const { clientId, clientSecret } = CLIENT;
    const refreshed = await hubspot.oauth.tokensApi.create(
      'refresh_token',
      undefined,
      undefined,
      clientId,
      clientSecret,
      String(tokens.refresh_token),
    );
    const info = await hubspot.oauth.accessTokensApi.get(refreshed.accessToken);
    expect(info).toMatchObject({ hubId: 48_233_904, hubDomain: 'contoso.test', user: 'carol@contoso.test' });
  });
});
