import { HttpError } from '../../src/http/errors.ts';
import { readUserMandate } from '../../src/mandates/read-user-mandate.ts';
import type { ProxyDependencies } from '../../src/proxy/contract.ts';
import { connectionTo, type Harness, PREFIX } from '../support/proxy-harness.ts';
import { closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { until } from '../support/until.ts';
import { okAnswer, type RawUpstream } from '../support/upstream.ts';

const FACTS = { graphql: ['/graphql'], mcp: ['/mcp'], readingTools: ['search'] };
const READ = { type: 'gateway_access', provider: 'demo', access: 'read' };
const WRITE = { type: 'gateway_access', provider: 'demo', access: 'write' };

let upstream: RawUpstream;
let gateway: Harness;

async function start(claim: unknown): Promise<void> {
  const mandate = readUserMandate(claim);
  ({ upstream, gateway } = await startStage(okAnswer('{}'), {
    connection: { accessFactsAt: () => FACTS },
    deps: { verifyUserToken: (projectId) => ({ projectId, subject: 'user-1', mandate }) },
  }));
}

afterEach(closeStage);

const JSON_TYPE = 'Content-Type: application/json';
const post = (path: string, body: string, fields: readonly string[] = [JSON_TYPE]) =>
  gateway.call('POST', path, [...fields, `Content-Length: ${Buffer.byteLength(body)}`], body);
const chunked = (body: string) => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;

type Line = [title: string, path: string, body: string, ...fields: (readonly string[])[]];

/** Bodies that may change something, or that some server may read in another way. */
const LINES: Line[] = [
  ['a mutation', '/graphql', '{"query":"mutation { a }"}'],
  ['a member twice', '/graphql', '{"query":"{ a }","query":"mutation { a }"}'],
  ['a document in the address as well', '/graphql?query=mutation{a}', '{"query":"{ a }"}'],
  ['a form', '/graphql', 'query={a}', ['Content-Type: application/x-www-form-urlencoded']],
  ['several parts', '/graphql', '--x\r\n', ['Content-Type: multipart/form-data; boundary=x']],
  ['a bare document', '/graphql', '{ a }', ['Content-Type: application/graphql']],
  [
    'another character set',
    '/graphql',
    '{"query":"{ a }"}',
    ['Content-Type: application/json; charset=utf-16'],
  ],
  ['a type twice', '/graphql', '{"query":"{ a }"}', [JSON_TYPE, JSON_TYPE]],
  ['no type', '/graphql', '{"query":"{ a }"}', []],
  ['an encoding', '/graphql', '{"query":"{ a }"}', [JSON_TYPE, 'Content-Encoding: gzip']],
  ['too long a body', '/graphql', `{"query":"{ a }"${' '.repeat(64 * 1024)}}`],
  ['another path', '/graphql2', '{"query":"{ a }"}'],
  ['a call of a tool', '/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}'],
  [
    'a field that disagrees',
    '/mcp',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    [JSON_TYPE, 'Mcp-Method: tools/call'],
  ],
];

describe('a body that has to be read first', () => {
  it('reaches the provider byte for byte where it reads', async () => {
    await start([READ]);
    const bodies = ['{"query":"{ a }"}', ' {"query" : "query A {\\n a }", "operationName":"A" }\r\n'];
    for (const body of bodies) expect((await post('/graphql', body)).status).toBe(200);
    expect((await post('/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')).status).toBe(200);
    expect(upstream.requests.slice(0, 2).map(({ body }) => String(body))).toEqual(bodies);
  });

  it('is read where its length is not announced, and where the caller waits to be asked for it', async () => {
    await start([READ]);
    const body = '{"query":"{ a }"}';
    const fields = [JSON_TYPE, 'Transfer-Encoding: chunked'];
    expect((await gateway.call('POST', '/graphql', fields, chunked(body))).status).toBe(200);
    const answer = await gateway.call('POST', '/graphql', [...fields, 'Expect: 100-continue'], chunked(body));
    expect(answer.status).toBe(100);
    await until(() => upstream.requests.length === 2);
    expect(upstream.requests.map((request) => String(request.body))).toEqual([body, body]);
  });

  it.each<Line>(LINES)(
    'brings nothing to the provider where it may change something: %s',
    async (_title, path, body, ...fields) => {
      await start([READ]);
      const answer = await post(path, body, fields[0]);
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('mandate_denied')]);
      expect(upstream.requests).toHaveLength(0);
    },
  );

  it('may be one that a later entry allows, at any length, and goes out as it came', async () => {
    await start([READ, { ...WRITE, paths: ['/graphql'] }]);
    const long = `{"query":"mutation { a(b: \\"${'x'.repeat(200 * 1024)}\\") }"}`;
    expect((await post('/graphql', '{"query":"mutation { a }"}')).status).toBe(200);
    expect((await post('/graphql', long)).status).toBe(200);
    const fields = [JSON_TYPE, 'Transfer-Encoding: chunked'];
    expect((await gateway.call('POST', '/graphql', fields, chunked(long))).status).toBe(200);
    expect(upstream.requests.slice(1).map(({ body }) => String(body) === long)).toEqual([true, true]);
  });

  it.each([false, true])(
    'goes out as it came where all of it is here before it is read, with an approval: %p',
    async (isApproved) => {
      const asked: Buffer[] = [];
      const mandate = readUserMandate([
        READ,
        { ...WRITE, paths: ['/graphql'], ...(isApproved && { approval: 'each' }) },
      ]);
      ({ upstream, gateway } = await startStage(okAnswer('{}'), {
        connection: { accessFactsAt: () => FACTS },
        deps: {
          async verifyUserToken(projectId, _token, request) {
            await until(() => request.complete);
            return { projectId, subject: 'user-1', mandate };
          },
          approvals: {
            isOpen: () => false,
            async spend(_question, body) {
              asked.push(body);
            },
          },
        },
      }));
      const long = `{"query":"mutation { a(b: \\"${'x'.repeat(65 * 1024)}\\") }"}`;
      const fields = [JSON_TYPE, 'Transfer-Encoding: chunked'];
      expect((await gateway.call('POST', '/graphql', fields, chunked(long))).status).toBe(200);
      expect(upstream.requests.map(({ body }) => String(body) === long)).toEqual([true]);
      expect(asked.map((body) => String(body) === long)).toEqual(isApproved ? [true] : []);
    },
  );
});

it('a form that names another method is refused where the entry names methods', async () => {
  await start([{ ...WRITE, methods: ['POST'] }]);
  const form = ['Content-Type: application/x-www-form-urlencoded'];
  expect((await post('/a', 'payment_method=card&a=1', form)).status).toBe(200);
  expect((await post('/a', '{"_method":"DELETE"}')).status).toBe(200);
  for (const [body, fields] of [
    ['_method=DELETE', form],
    ['a=1&%5Fmethod=DELETE', form],
    [
      '--x\r\nContent-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n--x--',
      ['Content-Type: multipart/form-data; boundary=x'],
    ],
    ['_method=DELETE', []],
    [`a=${'x'.repeat(64 * 1024)}`, form],
  ] as const)
    expect((await post('/a', body, fields)).status).toBe(403);
  expect(upstream.requests).toHaveLength(2);
});

it('a caller who stops in the middle of such a body is answered 408', async () => {
  const mandate = readUserMandate([READ]);
  ({ upstream, gateway } = await startStage(okAnswer('{}'), {
    connection: { accessFactsAt: () => FACTS },
    limits: { idleTimeoutMs: 200 },
    deps: { verifyUserToken: (projectId) => ({ projectId, subject: 'user-1', mandate }) },
  }));
  const { received } = await openCaller(
    gateway,
    [`POST ${PREFIX}/graphql HTTP/1.1`, JSON_TYPE, 'Content-Length: 100'],
    '{"query"',
  );
  await until(() => Buffer.concat(received).includes('408'));
  expect(upstream.requests).toHaveLength(0);
});

const OTHER = { ...WRITE, methods: ['PUT'] };
const frozen = { code: 'mandate_frozen', detail: 'An operator has frozen it.' } as const;
const refuse = (code: 'token_revoked' | 'connection_not_found') => () => {
  throw new HttpError(code);
};

type Change = (entries: readonly object[]) => Partial<ProxyDependencies>;
const user = (mandate: ReturnType<typeof readUserMandate>): Partial<ProxyDependencies> => ({
  verifyUserToken: (projectId) => ({ projectId, subject: 'user-1', mandate }),
});

const CHANGES: [what: string, answer: string, change: Change][] = [
  ['nothing has changed', 'HTTP/1.1 200', () => ({})],
  ['its entry stands among others', 'HTTP/1.1 200', (entries) => user(readUserMandate([OTHER, ...entries]))],
  ['its token is revoked', 'token_revoked', () => ({ verifyUserToken: refuse('token_revoked') })],
  ['its project is frozen', 'project_frozen', () => ({ isFrozen: () => true })],
  ['its mandate is frozen', 'mandate_frozen', () => user({ ids: [], parts: [], refusal: frozen })],
  ['its entry is taken out', 'mandate_denied', () => user(readUserMandate([OTHER]))],
  ['its connection is gone', 'connection_not_found', () => ({ resolve: refuse('connection_not_found') })],
];

describe.each([false, true])('a body that its caller keeps back, with an approval: %p', (isApproved) => {
  it.each(CHANGES)('ends as it would now: %s', async (_what, answer, change) => {
    const entries = [{ ...WRITE, methods: ['POST'], ...(isApproved && { approval: 'each' }) }];
    const before: Partial<ProxyDependencies> = { isFrozen: () => false, ...user(readUserMandate(entries)) };
    let now = before;
    let verified = 0;
    ({ upstream, gateway } = await startStage(okAnswer('{}'), {
      deps: {
        verifyUserToken(...call) {
          verified += 1;
          return now.verifyUserToken?.(...call) ?? refuse('token_revoked')();
        },
        isFrozen: (projectId) => now.isFrozen?.(projectId) ?? false,
        resolve: (choice) => now.resolve?.(choice) ?? connectionTo(upstream.port),
        approvals: { isOpen: () => false, spend: async () => undefined },
      },
    }));
    const fields = ['Content-Type: application/x-www-form-urlencoded', 'Content-Length: 3'];
    const head = [`POST ${PREFIX}/a HTTP/1.1`, ...fields, 'Connection: close'];
    const { socket, received } = await openCaller(gateway, head, 'a=');
    await until(() => verified === 1);
    now = { ...before, ...change(entries) };
    socket.write('1');
    await until(() => Buffer.concat(received).includes(answer));
    expect(upstream.requests).toHaveLength(answer === 'HTTP/1.1 200' ? 1 : 0);
  });
});
