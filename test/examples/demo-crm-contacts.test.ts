import { type DemoCrm, startDemoCrm } from '../../examples/demo-crm/server.ts';
import { CLIENT, createDemoCrmClient, obtainTokens } from './demo-crm-client.ts';

const CONTACTS = 250;

let crm: DemoCrm;
let accessToken: string;

beforeAll(async () => {
  crm = await startDemoCrm({ clients: [CLIENT], contacts: CONTACTS });
  const { tokens } = await obtainTokens(crm);
  accessToken = String(tokens.access_token);
});

afterAll(() => crm.close());

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
  return fetch(`${crm.url}${path}`, { headers, ...init });
}

describe('search operators', () => {
  const email = 'quentin.o-neil@search.test';

  beforeAll(async () => {
    const properties = { email, firstname: 'Quentin', lastname: "O'Neil", annualrevenue: '900', city: '' };
    await call('/crm/v3/objects/contacts', { method: 'POST', body: JSON.stringify({ properties }) });
  });

  async function finds(...filters: Record<string, unknown>[]): Promise<boolean> {
    const onlyOurs = { propertyName: 'email', operator: 'EQ', value: email };
    const body = JSON.stringify({ filterGroups: [{ filters: [onlyOurs, ...filters] }] });
    const answer = await call('/crm/v3/objects/contacts/search', { method: 'POST', body });
    const { total } = await answer.json();
    return total === 1;
  }

  it.each([
    ['EQ', { propertyName: 'firstname', operator: 'EQ', value: 'quentin' }, true],
    ['EQ', { propertyName: 'firstname', operator: 'EQ', value: 'quen' }, false],
    ['NEQ', { propertyName: 'firstname', operator: 'NEQ', value: 'Ada' }, true],
    ['NEQ', { propertyName: 'firstname', operator: 'NEQ', value: 'Quentin' }, false],
    ['GT, by number', { propertyName: 'annualrevenue', operator: 'GT', value: '1000' }, false],
    ['LT, by number', { propertyName: 'annualrevenue', operator: 'LT', value: '1000' }, true],
    [
      'GTE, by moment in milliseconds',
      { propertyName: 'createdate', operator: 'GTE', value: '1577836800000' },
      true,
    ],
    [
      'LT, by moment in RFC 3339',
      { propertyName: 'createdate', operator: 'LT', value: '2020-01-01T00:00:00Z' },
      false,
    ],
    ['BETWEEN', { propertyName: 'annualrevenue', operator: 'BETWEEN', value: '900', highValue: '901' }, true],
    ['IN', { propertyName: 'firstname', operator: 'IN', values: ['Ada', 'Quentin'] }, true],
    ['NOT_IN', { propertyName: 'firstname', operator: 'NOT_IN', values: ['Ada', 'Quentin'] }, false],
    ['HAS_PROPERTY of an empty value', { propertyName: 'city', operator: 'HAS_PROPERTY' }, false],
    ['NOT_HAS_PROPERTY', { propertyName: 'phone', operator: 'NOT_HAS_PROPERTY' }, true],
    ['CONTAINS_TOKEN', { propertyName: 'lastname', operator: 'CONTAINS_TOKEN', value: 'neil' }, true],
    [
      'CONTAINS_TOKEN of part of a word',
      { propertyName: 'lastname', operator: 'CONTAINS_TOKEN', value: 'nei' },
      false,
    ],
    [
      'CONTAINS_TOKEN with a wildcard',
      { propertyName: 'email', operator: 'CONTAINS_TOKEN', value: '*@search.test' },
      true,
    ],
    [
      'NOT_CONTAINS_TOKEN',
      { propertyName: 'lastname', operator: 'NOT_CONTAINS_TOKEN', value: 'neil' },
      false,
    ],
  ])('%s matches as it should', async (_title, filter, expected) => {
    expect(await finds(filter)).toBe(expected);
  });

  it('finds words anywhere in name, address, phone and company by query', async () => {
    const body = JSON.stringify({ query: "o'neil QUENTIN", properties: ['email'] });
    const answer = await call('/crm/v3/objects/contacts/search', { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ total: 1, results: [{ properties: { email } }] });
  });

  it('pages through what changed since a moment, in the order of the changes, each contact once', async () => {
    const since = Date.now();
    const { results } = await (await call('/crm/v3/objects/contacts?limit=7')).json();
    const ids: string[] = results.map(({ id }: { id: string }) => id).reverse();
    for (const id of ids) {
      const body = JSON.stringify({ properties: { city: `City of ${id}` } });
      await call(`/crm/v3/objects/contacts/${id}`, { method: 'PATCH', body });
    }
    const found: string[] = [];
    let after: string | undefined;
    do {
      const body = JSON.stringify({
        filterGroups: [{ filters: [{ propertyName: 'lastmodifieddate', operator: 'GTE', value: since }] }],
        sorts: [{ propertyName: 'lastmodifieddate', direction: 'ASCENDING' }],
        properties: ['city'],
        limit: 3,
        ...(after === undefined ? {} : { after }),
      });
      const page = await (await call('/crm/v3/objects/contacts/search', { method: 'POST', body })).json();
      expect(page.total).toBe(7);
      found.push(...page.results.map(({ properties }: { properties: { city: string } }) => properties.city));
      after = page.paging?.next.after;
    } while (after !== undefined);
    // Two changes may share a millisecond, and then go by id.
    expect(found.toSorted()).toEqual(ids.map((id) => `City of ${id}`).toSorted());
  });

  it('refuses to page beyond ten thousand results, and an operator that does not exist', async () => {
    for (const body of [
      { after: 9_950, limit: 100 },
      { filterGroups: [{ filters: [{ propertyName: 'email', operator: 'LIKE', value: 'x' }] }] },
    ]) {
      const answer = await call('/crm/v3/objects/contacts/search', {
        method: 'POST',
        body: JSON.stringify(body),
      });
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ status: 'error', category: 'VALIDATION_ERROR' });
    }
  });
});

describe('the API as a whole', () => {
  it('has the same contacts for the same hub on every start, and others for another hub', async () => {
    const again = await startDemoCrm({ clients: [CLIENT], contacts: CONTACTS });
    try {
      const emailsOf = async (server: DemoCrm, user: string) => {
        const { client, tokens } = await obtainTokens(server, user);
        const { results } = await (await client.getContacts(tokens.access_token, 'limit=20')).json();
        return results.map((contact: { properties: { email: string } }) => contact.properties.email);
      };
      const here = await emailsOf(crm, 'ada@northwind.test');
      expect(await emailsOf(again, 'ben@northwind.test')).toEqual(here);
      expect(await emailsOf(again, 'carol@contoso.test')).not.toEqual(here);
    } finally {
      await again.close();
    }
  });

  it('refuses calls without an access token and with an unknown one', async () => {
    const without = await fetch(`${crm.url}/crm/v3/objects/contacts`);
    expect(without.status).toBe(401);
    expect(without.headers.get('www-authenticate')).toContain('Bearer');
    expect(await without.json()).toMatchObject({
      status: 'error',
      category: 'INVALID_AUTHENTICATION',
      message: expect.any(String),
      correlationId: expect.any(String),
    });
    expect((await createDemoCrmClient(crm).getContacts('unknown')).status).toBe(401);
  });

  it('refuses what the granted scopes do not cover, naming the missing one', async () => {
    const { tokens } = await obtainTokens(crm, 'ada@northwind.test', {
      scope: 'oauth crm.objects.contacts.read',
    });
    const answer = await fetch(`${crm.url}/crm/v3/objects/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ properties: { firstname: 'Ada' } }),
    });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({
      category: 'MISSING_SCOPES',
      errors: [{ context: { requiredGranularScopes: ['crm.objects.contacts.write'] } }],
    });
  });

  it('refuses a page size out of bounds, a body that is no JSON, and an endpoint that does not exist', async () => {
    const refused = [
      await call('/crm/v3/objects/contacts?limit=101'),
      await call('/crm/v3/objects/contacts', { method: 'POST', body: '{' }),
      await call('/crm/v3/objects/robots'),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 404]);
    const bodies = await Promise.all(refused.map((answer) => answer.json()));
    expect(bodies.map(({ category }) => category)).toEqual([
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'OBJECT_NOT_FOUND',
    ]);
  });

  it('says how many calls are left and answers 429 when none is, until the next interval', async () => {
    let nowMs = Date.now();
    const rateLimits = { perTenSeconds: 2, perDay: 100 };
    const limited = await startDemoCrm({
      clients: [CLIENT],
      contacts: 5,
      rateLimits,
      now: () => new Date(nowMs),
    });
    try {
      const { client, tokens } = await obtainTokens(limited);
      const first = await client.getContacts(tokens.access_token);
      expect(first.headers.get('x-hubspot-ratelimit-max')).toBe('2');
      expect(first.headers.get('x-hubspot-ratelimit-remaining')).toBe('1');
      expect(first.headers.get('x-hubspot-ratelimit-interval-milliseconds')).toBe('10000');
      expect(first.headers.get('x-hubspot-ratelimit-daily-remaining')).toBe('99');
      await client.getContacts(tokens.access_token);
      const refused = await client.getContacts(tokens.access_token);
      expect(refused.status).toBe(429);
      expect(await refused.json()).toMatchObject({
        category: 'RATE_LIMITS',
        policyName: 'TEN_SECONDLY_ROLLING',
      });
      nowMs += 10_000;
      expect((await client.getContacts(tokens.access_token)).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
