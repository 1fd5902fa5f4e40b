import { createNangoApi } from '../../scripts/nango/nango-api.ts';
import { createRequester, waitMs } from '../../scripts/nango/request.ts';
import { NANGO_KEY, startFakeNango } from './fake-nango.ts';

const nango = await startFakeNango();
afterAll(nango.close);

it.each([
  ['fewer than a page', 1, 2],
  ['exactly two pages', 4, 2],
  ['two pages and a bit', 5, 2],
])('all connections are read, %s', async (_, count, pageSize) => {
  nango.integrations = { keys: { provider: 'sendgrid' } };
  nango.connections = Array.from({ length: count }, (_, index) => ({
    id: `c${index}`,
    key: 'keys',
    credentials: { type: 'API_KEY', apiKey: 'k' },
  }));
  const api = createNangoApi(createRequester(nango.url, NANGO_KEY), pageSize);
  const read: string[] = [];
  for await (const { connection_id } of api.connections()) read.push(connection_id);
  expect(read).toEqual(nango.connections.map(({ id }) => id));
});

it.each([
  ['the seconds that the answer says', '3', 1, 3000],
  ['until the date that it says', 'Sat, 01 Jan 2000 00:00:09 GMT', 1, 9000],
  ['never longer than two minutes', '9999', 1, 120_000],
  ['longer with each try where nothing is said', null, 3, 2000],
  ['the usual time where what is said is no time', 'soon', 1, 500],
])('waits %s', (_, retryAfter, attempt, expected) => {
  expect(waitMs(retryAfter, attempt, Date.parse('2000-01-01T00:00:00Z'))).toBe(expected);
});

it('a refusal names the address without its query, and nothing of the key', async () => {
  const api = createNangoApi(createRequester(nango.url, 'wrong-key'));
  const refusal = api.integration('acme');
  await expect(refusal).rejects.toMatchObject({
    message: `GET ${nango.url}/integrations/acme was answered 401`,
    status: 401,
  });
});
