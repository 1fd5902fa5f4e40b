import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { createDeliveredCodesStore, type DeliveredCodes } from '../../src/connect/delivered-codes.store.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let codes: DeliveredCodes;

beforeAll(async () => {
  database = await createTestDatabase();
  codes = createDeliveredCodesStore({ db: database.knex });
});
afterAll(() => database?.drop());

/** A provider whose token endpoint is at this template. */
function at(tokenUrl: string, id?: string): Provider {
  const variables = tokenUrl.includes('{host}') ? { host: { from: 'integration' } } : {};
  const provider = acmeProvider({ tokenUrl, variables });
  return id === undefined ? provider : { ...provider, id };
}

const FIXED = at('https://login.honest.example/token');
const TYPED_IN = at('https://{host}/token');
const CUSTOM = at('https://evil.example/token', 'custom:some');

describe('a code that was sent to a token endpoint that a project chose', () => {
  it.each([
    ['as the host of a built-in provider', TYPED_IN, { host: 'evil.example' }],
    ['for a provider of a project’s own', CUSTOM, {}],
  ])('(%s) goes there again, and to no other', async (how, provider, variables) => {
    const code = `code ${how}`;
    expect(await codes.claim(code, provider, variables)).toBe(true);
    expect(await codes.claim(code, provider, variables)).toBe(true);
    expect(await codes.claim(code, FIXED, {})).toBe(false);
    expect(await codes.claim(code, TYPED_IN, { host: 'forum.example' })).toBe(false);
    expect(await codes.claim(`other ${code}`, FIXED, {})).toBe(true);
  });

  it('is forgotten after a day, and is never stored itself', async () => {
    await codes.claim('a code of old', CUSTOM, {});
    await codes.purgeOfAnyProject();
    expect(await codes.claim('a code of old', FIXED, {})).toBe(false);
    const rows = await database.knex('delivered_codes').select('*');
    expect(JSON.stringify(rows)).not.toContain('of old');
    await database
      .knex('delivered_codes')
      .update({ delivered_at: database.knex.raw(`now() - interval '25 hours'`) });
    await codes.purgeOfAnyProject();
    expect(await codes.claim('a code of old', FIXED, {})).toBe(true);
  });
});

it('a code for an address that the catalog alone decides is not remembered', async () => {
  await codes.claim('a plain code', FIXED, {});
  expect(await codes.claim('a plain code', CUSTOM, {})).toBe(true);
});
