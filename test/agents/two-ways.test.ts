import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';

let stage: AgentStage;
beforeAll(async () => {
  stage = await startAgentStage();
});
afterAll(() => stage.close());

const ACCEPT = 'application/json, text/event-stream';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Sent = { readonly name: string; readonly input: unknown; readonly user: string; readonly id: unknown };

/** A media type with a parameter is none of the usual form: such a message goes through Express and the SDK. */
async function send({ name, input, user, id }: Sent, isModern: boolean, type: string) {
  const params = { name, ...(input !== undefined && { arguments: input }) };
  const revision = isModern ? '2026-07-28' : '2025-11-25';
  const answer = await fetch(stage.address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${user === '' ? 'none' : stage.project.userToken(user)}`,
      accept: ACCEPT,
      'content-type': type,
      'mcp-protocol-version': revision,
      ...(isModern && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { ...params, ...(isModern && { _meta: META }) },
    }),
  });
  const field = (wanted: string) => answer.headers.get(wanted);
  return {
    status: answer.status,
    text: (await answer.text()).replace(UNIQUE, 'id'),
    fields: ['content-type', 'cache-control', 'vary', 'ratelimit-policy', 'www-authenticate'].map(field),
    hasId: field('gateway-request-id') !== null,
    bytes: Number(field('content-length')) > 0,
  };
}

/** What is another one each time: the last part of a connect page's address, and a request's id. */
const UNIQUE = /(?<=\/connect\/|"requestId":")[\w-]+/g;

const read = (input: object, more: Partial<Sent> = {}): Sent => ({
  ...{ name: 'read', input: { provider: NOTES, path: '/n', ...input }, user: 'mia', id: 1 },
  ...more,
});
const JSON_BODY = { body: '{"a":[1,2.50,"ü",{"b":null}],"c":"\\u2028\\ud800 \\"x\\""}' };

const CALLS: readonly [string, Sent, Parameters<AgentStage['answerWith']>[0]][] = [
  ['a plain read', read({}), JSON_BODY],
  ['a query', read({ query: 'a=1&b=ü' }), JSON_BODY],
  ['an id that is text', read({}, { id: 'ü"\u2028' }), JSON_BODY],
  ['some fields', read({ fields: ['$.a[0]'] }), JSON_BODY],
  ['fields of what is no JSON', read({ fields: ['$.a'] }), { body: 'plain' }],
  ['a short bound', read({ maxTokens: 200 }), { body: JSON.stringify('ab"'.repeat(900)) }],
  ['a search by POST', read({ method: 'POST', body: { q: 1 } }), JSON_BODY],
  ['a HEAD', read({ method: 'HEAD' }), JSON_BODY],
  ['a refusal of the provider', read({}), { status: 404, body: '{"error":"no"}' }],
  ['a failure of the provider', read({}), { status: 500, body: 'oops', type: 'text/plain' }],
  ['no body', read({}), { status: 204, body: '' }],
  ['text with a mark', read({}), { body: '\ufeffmarked ü', type: 'text/plain; charset=utf-8' }],
  ['a picture', read({}), { body: Buffer.from([137, 80, 78, 71, 0, 255]), type: 'image/png' }],
  ['bytes that are no text', read({}), { body: Buffer.from([0xff, 0xfe, 0]), type: 'application/json' }],
  ['a long body', read({}), { body: JSON.stringify({ a: 'x"'.repeat(40_000) }) }],
  ['a member of every object', read({}), { body: '{"__proto__":{"a":1},"constructor":1}' }],
  ['an unknown provider', read({ provider: 'nowhere' }), JSON_BODY],
  ['a provider that is none', read({ provider: '../x' }), JSON_BODY],
  ['no path', read({ path: '' }), JSON_BODY],
  ['a path without end', read({ path: `/${'x'.repeat(8_001)}` }), JSON_BODY],
  ['a query without end', read({ query: 'x'.repeat(8_001) }), JSON_BODY],
  ['a method that reads nothing', read({ method: 'DELETE' }), JSON_BODY],
  ['a name that there is not', read({ paht: '/n' }), JSON_BODY],
  ['a number for a path', read({ path: 1 }), JSON_BODY],
  ['no arguments', read({}, { input: undefined }), JSON_BODY],
  ['a cursor of another answer', read({ cursor: '10.aaaaaaaaaaaaaaaa' }), JSON_BODY],
  ['a user without a connection', read({}, { user: 'eve' }), JSON_BODY],
  ['a token that is none', read({}, { user: '' }), JSON_BODY],
  [
    'a write',
    read({}, { name: 'write', input: { provider: NOTES, path: '/n', method: 'POST', body: 'a' } }),
    JSON_BODY,
  ],
  ['a write without a method', read({}, { name: 'write' }), JSON_BODY],
];

describe.each([
  ['2026-07-28', true],
  ['2025-11-25', false],
])('in %s', (_revision, isModern) => {
  // The SDK judges the first message of a client itself.
  beforeAll(async () => void (await send(read({}), isModern, 'application/json')));

  it.each(CALLS)(
    '%s is answered the same with and without Express and the SDK',
    async (_what, call, given) => {
      stage.answerWith(given);
      const quick = await send(call, isModern, 'application/json');
      const slow = await send(call, isModern, 'application/json; charset=utf-8');
      expect(quick).toEqual(slow);
      expect(quick).toMatchObject({ status: call.user === '' ? 401 : 200, hasId: true, bytes: true });
    },
  );
});
