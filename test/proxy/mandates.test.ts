import { readUserMandate } from '../../src/mandates/read-user-mandate.ts';
import { connectionTo, type Harness, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { okAnswer, type RawUpstream } from '../support/upstream.ts';

const ENTRY = { type: 'gateway_access', provider: 'demo', access: 'read', paths: ['/contacts/**'] };

let upstream: RawUpstream;
let gateway: Harness;

/** The proxy, where the user's token has this claim. */
async function start(claim: unknown): Promise<void> {
  const mandate = readUserMandate(claim);
  ({ upstream, gateway } = await startStage(okAnswer('{}'), {
    connection: {
      apiHosts: { names: ['content'], find: () => ({ ok: true, base: connectionTo(1).apiBase }) },
      accessFactsAt: () => ({ reads: ['/contacts/search'], writes: ['/contacts/purge'] }),
    },
    deps: { verifyUserToken: (projectId) => ({ projectId, subject: 'user-1', mandate }) },
  }));
}

afterEach(closeStage);

const codeOf = (text: string) => /"code":"(\w+)"/.exec(text)?.[1];

it('a call that an entry allows reaches the provider', async () => {
  await start([ENTRY]);
  expect((await gateway.call('GET', '/contacts/1')).status).toBe(200);
  const type = ['Content-Type: application/json', 'Content-Length: 2'];
  expect((await gateway.call('POST', '/contacts/search', type, '{}')).status).toBe(200);
  expect(upstream.requests).toHaveLength(2);
});

it('a call that none allows is refused before the provider hears of it, with method, path and reason', async () => {
  await start([ENTRY]);
  const answer = await gateway.call('DELETE', '/contacts/1');
  expect([answer.status, codeOf(answer.body)]).toEqual([403, 'mandate_denied']);
  const why = 'the mandate allows reading alone (entries of the token itself, ';
  expect(answer.body).toContain(`DELETE /contacts/1 at demo: ${why}`);
  expect(upstream.requests).toHaveLength(0);
});

it('the refusal names the further host that the call was for', async () => {
  await start([{ ...ENTRY, hosts: ['api'] }]);
  const { body } = await gateway.call('GET', '~content/contacts/1');
  expect(body).toContain('GET /contacts/1 at demo~content: the mandate does not name this host');
});

it('a claim that cannot be understood allows nothing', async () => {
  await start([{ ...ENTRY, access: 'reed' }]);
  const answer = await gateway.call('GET', '/contacts/1');
  expect([answer.status, codeOf(answer.body)]).toEqual([403, 'mandate_invalid']);
  expect(upstream.requests).toHaveLength(0);
});

it('an entry’s calls of an hour are counted for each user', async () => {
  await start([{ ...ENTRY, perHour: 2 }]);
  for (const status of [200, 200, 429])
    expect((await gateway.call('GET', '/contacts/1')).status).toBe(status);
  expect(upstream.requests).toHaveLength(2);
});

describe('spellings of writes on the wire', () => {
  const LINES: readonly (readonly [
    method: string,
    path: string,
    fields?: readonly string[],
    body?: string,
  ])[] = [
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'LOCK', 'MERGE'].map(
      (method) => [method, '/contacts/1'] as const,
    ),
    ...[
      '/contacts/purge',
      '/Contacts/purge',
      '/contacts//purge',
      '/contacts%2Fpurge',
      '/contacts/purge/',
    ].map((path) => ['GET', path] as const),
    ...[
      '/deals/1',
      '/',
      '',
      '//contacts/1',
      '/CONTACTS/1',
      '/contacts1',
      '/contacts%2F1',
      '/x/contacts/1',
    ].map((path) => ['GET', path] as const),
    ...['X-HTTP-Method-Override', 'x-http-method', 'X-Method-Override', 'X_HTTP_METHOD_OVERRIDE'].map(
      (name) => ['GET', '/contacts/1', [`${name}: DELETE`]] as const,
    ),
    ...['_method=DELETE', '_HttpMethod=PATCH', '%5fMETHOD=put', 'a=b&_method%5B%5D=DELETE'].map(
      (query) => ['GET', `/contacts/1?${query}`] as const,
    ),
    ...[
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json, text/plain',
    ].map(
      (type) =>
        [
          'POST',
          '/contacts/search',
          [`Content-Type: ${type}`, 'Content-Length: 14'],
          '_method=DELETE',
        ] as const,
    ),
    ['POST', '/contacts/search', ['Content-Length: 14'], '_method=DELETE'],
    ['POST', '/contacts/search', ['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\n\r\n'],
  ];

  it('bring no request to the provider', async () => {
    await start([ENTRY]);
    for (const line of LINES) {
      const answer = await gateway.call(...line);
      expect([line, answer.status, codeOf(answer.body)]).toEqual([line, 403, 'mandate_denied']);
    }
    expect(upstream.requests).toHaveLength(0);
  });

  it('bring none where their head has the token twice over', async () => {
    await start([ENTRY]);
    const twice = [`Authorization: Bearer ${USER_TOKEN}`, `Authorization: Bearer ${USER_TOKEN}`];
    expect((await gateway.call('GET', '/deals/1', twice)).status).toBeGreaterThanOrEqual(400);
    expect(upstream.requests).toHaveLength(0);
  });
});
