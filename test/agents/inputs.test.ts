import { type AgentStage, NOTES, startAgentStage } from '../support/agent-stage.ts';

const LIMIT = 60;
const ANSWER_LENGTH_MAX = 2_000;

let stage: AgentStage;
beforeAll(async () => {
  stage = await startAgentStage({ gateway: { env: { RATE_LIMIT_PROXY_PER_MINUTE: String(LIMIT) } } });
});
afterAll(() => stage.close());

/** Each test has a user of its own: messages are counted by user. */
const newToken = () => stage.project.userToken(`user-${crypto.randomUUID()}`);

async function post(body: string, { token = newToken(), headers = {} as Record<string, string> } = {}) {
  const answer = await fetch(stage.address, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers };
}

const message = (method: unknown, params?: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const call = (name: unknown, input: unknown) => message('tools/call', { name, arguments: input });
const MODERN = { 'mcp-protocol-version': '2026-07-28' };
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, more: object = {}) => message(method, { ...more, _meta: META });

describe('a message that is none', () => {
  it.each<[string, string, string | number, Record<string, string>?]>([
    ['no JSON', '{', 'invalid_json'],
    ['nothing', '', -32600],
    ['null', 'null', -32600],
    ['a text', '"x"', -32600],
    ['an empty object', '{}', -32600],
    ['an empty batch', '[]', 'invalid_request'],
    ['a batch', `[${message('tools/list')},${message('tools/list')}]`, 'invalid_request'],
    ['a method that is a number', message(5), -32600],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', -32600],
    ['an id without end', `{"jsonrpc":"2.0","id":"${'x'.repeat(500_000)}","method":"x"}`, 'invalid_request'],
    ['a method that there is not', message('no/such'), -32601],
    ['a method of every object', message('constructor'), -32601],
    ['a method without end', message('x'.repeat(500_000)), -32601],
    ['a start that says nothing of the client', message('initialize', {}), -32602],
    ['parameters in a list', message('tools/call', [1]), -32600],
    ['a tool without a name', message('tools/call', {}), -32602],
    ['a tool of every object', call('__proto__', {}), -32602],
    ['a tool whose name has no end', call('x'.repeat(500_000), {}), -32602],
    ['arguments in a list', call('read', [1]), -32602],
    ['arguments that would change every object', `{"__proto__":${call('read', {})}}`, 'invalid_request'],
    [
      'members without end',
      `{${Array.from({ length: 20_000 }, (_, at) => `"a${at}":1`)}}`,
      'invalid_request',
    ],
    ['lists in lists', '['.repeat(200_000) + ']'.repeat(200_000), 'invalid_request'],
    ['another media type', message('tools/list'), 'unsupported_media_type', { 'content-type': 'text/plain' }],
    ['a coding that it has not', 'xx', 'invalid_request', { 'content-encoding': 'gzip' }],
    ['a client that takes no JSON', message('tools/list'), -32000, { accept: 'text/html' }],
    ['a revision that there is not', message('tools/list'), -32000, { 'mcp-protocol-version': '1999-01-01' }],
    ['2026-07-28 without its envelope', message('tools/list', {}), -32602, MODERN],
    [
      'another method than its header says',
      modern('tools/list'),
      -32020,
      { ...MODERN, 'mcp-method': 'ping' },
    ],
    [
      'a state that the gateway never gave',
      modern('tools/call', { name: 'connect', arguments: {}, requestState: {} }),
      -32602,
      { ...MODERN, 'mcp-method': 'tools/call', 'mcp-name': 'connect' },
    ],
  ])('%s is refused in a few words that say what is wrong', async (_what, body, code, headers) => {
    const answer = await post(body, { ...(headers && { headers }) });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text.length).toBeLessThan(ANSWER_LENGTH_MAX);
    const said = JSON.parse(answer.text);
    expect(typeof code === 'string' ? said.code : said.error.code).toBe(code);
  });

  it('and one that wants no answer gets none', async () => {
    for (const body of [
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","method":"notifications/x"}',
    ])
      expect(await post(body)).toMatchObject({ status: 202, text: '' });
  });

  it('and arguments that a tool has not come back as a result, for the model to read', async () => {
    const token = newToken();
    for (const input of [
      { provider: 5 },
      { provider: NOTES, path: '' },
      { provider: NOTES, path: '/', x: 1 },
    ]) {
      const { result } = JSON.parse((await post(call('read', input), { token })).text);
      expect(result).toMatchObject({ isError: true, structuredContent: { code: 'invalid_request' } });
    }
  });
});

describe('a number that was rounded as the message was read', () => {
  it.each([
    ['a whole number beyond 2^53', '{"ids":[1,9007199254740993]}', 'arguments.body.ids.1'],
    ['the largest of all', '{"size":1e999}', 'arguments.body.size'],
  ])('%s is refused before the provider gets another one', async (_what, body, path) => {
    const input = { provider: NOTES, method: 'POST', path: '/', body: 'BODY' };
    const { result } = JSON.parse((await post(call('write', input).replace('"BODY"', body))).text);
    expect(result.structuredContent).toMatchObject({ code: 'invalid_request' });
    expect(JSON.stringify(result)).toContain(`${path}: Would be rounded`);
  });
});

describe('the messages of one user', () => {
  it('are limited, and those of another are not: each says how many are left', async () => {
    const token = newToken();
    const first = await post(message('tools/list'), { token });
    expect(first.headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
    let refused = first;
    // A new minute may begin meanwhile.
    for (let sent = 0; sent < 2 * LIMIT && refused.status === 200; sent += 1)
      refused = await post(message('tools/list'), { token });
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await post(message('tools/list'), { token: newToken() })).status).toBe(200);
  });
});
