import { createServer, type IncomingHttpHeaders, request as send } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { createKnownMetas } from '../../src/agents/known-metas.ts';
import { createMcp } from '../../src/agents/mcp.ts';
import {
  type QuickCall,
  readDividedCall,
  readQuickCall,
  readQuickHead,
  writeAnswer,
} from '../../src/agents/quick-call.ts';
import { createQuickDoor } from '../../src/agents/quick-door.ts';
import { createResult } from '../../src/agents/tool-results.ts';
import { readInput, readUsualInput } from '../../src/agents/tools.schema.ts';
import { parseJsonBody, parsePlainJson, readPlainText } from '../../src/http/json-body.ts';
import { closeServer, listen } from '../support/listen.ts';

const PROJECT = '01900000-0000-7000-8000-000000000001';
const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};
const COMMON = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const MODERN = {
  ...COMMON,
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'read',
};
const EARLIER = { ...COMMON, 'mcp-protocol-version': '2025-11-25' };
const PARAMS = { name: 'read', arguments: { provider: 'notes', path: '/' } };
const message = (id: unknown, params: object) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });

const known = createKnownMetas();
known.note(META);

function readHead(fields: Record<string, string>, bytes: number) {
  const headers = { host: 'a', ...fields, 'content-length': String(bytes) };
  const rawHeaders = Object.entries(headers).flat();
  return readQuickHead({ method: 'POST', url: `/projects/${PROJECT}/mcp`, headers, rawHeaders });
}

function readCall(fields: Record<string, string>, body: unknown): QuickCall | undefined {
  const head = readHead(fields, JSON.stringify(body).length);
  return head && readQuickCall(head, body, known.find);
}

function readDivided(fields: Record<string, string>, text: string): QuickCall | undefined {
  const head = readHead(fields, text.length);
  return head && readDividedCall(head, text, known);
}

function readPlain(json: string): unknown {
  const text = readPlainText(Buffer.from(json));
  return text === undefined ? undefined : parsePlainJson(text);
}

describe('the answer to a call of the usual form', () => {
  const anyId = fc.oneof(fc.maxSafeInteger(), fc.string({ maxLength: 20, unit: 'binary' }));
  const anyBody = fc.jsonValue({ stringUnit: 'binary' });

  it.each([
    ['2026-07-28', MODERN, { ...PARAMS, _meta: META }],
    ['2025-11-25', EARLIER, PARAMS],
  ])('is byte for byte what the SDK writes, in %s', async (_revision, fields, params) => {
    await fc.assert(
      fc.asyncProperty(anyId, anyBody, fc.boolean(), async (id, body, isError) => {
        const result = createResult({ source: 'provider', body }, isError);
        const answerMcp = createMcp({
          runTool: async () => result,
          log: { warn: () => undefined },
          noteMeta: () => undefined,
          cancel: () => undefined,
        });
        const sent = message(id, params);
        const reply = await answerMcp({
          url: 'http://gateway/',
          headers: new Headers(fields),
          body: sent,
          caller: { user: { projectId: PROJECT, subject: 'mia' }, token: 't', traceparent: undefined },
          requestId: 'r',
          signal: new AbortController().signal,
        });
        const call = readCall(fields, sent);
        const answer = call && writeAnswer(call, result);
        expect(answer?.json).toBe(await reply.text());
        expect(answer?.bytes).toBe(Buffer.byteLength(answer?.json ?? ''));
      }),
      { numRuns: 60 },
    );
  });
});

describe('a message', () => {
  it('of 2026-07-28 is quick once the SDK has found in order what the client says of itself', () => {
    const unknown = { ...META, 'io.modelcontextprotocol/clientInfo': { name: 'y', version: '1' } };
    expect(readCall(MODERN, message(1, { ...PARAMS, _meta: unknown }))).toBeUndefined();
    expect(readCall(MODERN, message(1, { ...PARAMS, _meta: META }))).toMatchObject({
      declared: { abilities: { opensUrls: true }, client: 'x' },
    });
  });

  it.each<[string, Record<string, string>, unknown]>([
    ['another method', EARLIER, { ...message(1, PARAMS), method: 'tools/list' }],
    ['another tool', EARLIER, message(1, { name: 'connect', arguments: {} })],
    ['no id', EARLIER, { jsonrpc: '2.0', method: 'tools/call', params: PARAMS }],
    ['an id that is none', EARLIER, message({}, PARAMS)],
    ['an id without end', EARLIER, message('x'.repeat(300), PARAMS)],
    ['arguments in a list', EARLIER, message(1, { ...PARAMS, arguments: [] })],
    ['an answer to a question', EARLIER, message(1, { ...PARAMS, inputResponses: {} })],
    ['a member that there is not', EARLIER, { ...message(1, PARAMS), x: 1 }],
    ['`_meta` in 2025-11-25', EARLIER, message(1, { ...PARAMS, _meta: { progressToken: 1 } })],
    ['no `_meta` in 2026-07-28', MODERN, message(1, PARAMS)],
    ['another name in its head', { ...MODERN, 'mcp-name': 'write' }, message(1, { ...PARAMS, _meta: META })],
    [
      'another method in its head',
      { ...MODERN, 'mcp-method': 'ping' },
      message(1, { ...PARAMS, _meta: META }),
    ],
    ['a page’s origin', { ...EARLIER, origin: 'https://a.example' }, message(1, PARAMS)],
    ['another media type', { ...EARLIER, 'content-type': 'text/plain' }, message(1, PARAMS)],
    ['a coding', { ...EARLIER, 'content-encoding': 'gzip' }, message(1, PARAMS)],
    ['no word of event streams', { ...EARLIER, accept: 'application/json' }, message(1, PARAMS)],
    [
      'a revision that there is not',
      { ...EARLIER, 'mcp-protocol-version': '2027-01-01' },
      message(1, PARAMS),
    ],
  ])('with %s is the SDK’s', (_what, fields, body) => {
    expect(readCall(EARLIER, message(1, PARAMS))).toBeDefined();
    expect(readCall(fields, body)).toBeUndefined();
  });
});

describe('a message whose `_meta` is not parsed again', () => {
  const meta = `,"_meta":${JSON.stringify(META)}`;
  const params = JSON.stringify(PARAMS).slice(0, -1);
  const begin = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":';
  const inAnyOrder = '{"method":"tools/call","params":';
  const ends = ['}}', '},"jsonrpc":"2.0","id":1}', '},"jsonrpc":"2.0","id":"a-1"}'] as const;

  it.each([
    ['last in the message', begin + params + meta + ends[0]],
    ['before version and id', inAnyOrder + params + meta + ends[1]],
    ['before an id that is text', inAnyOrder + params + meta + ends[2]],
  ])('is the call that the whole gives, with `params` %s', (_where, text) => {
    const call = readDivided(MODERN, text);
    expect(call).toBeDefined();
    expect(call).toEqual(readCall(MODERN, JSON.parse(text)));
    expect(readDivided(EARLIER, text)).toBeUndefined();
  });

  it('is read only where the whole gives the same call', () => {
    const open = `${begin}{"name":"read","arguments":{"provider":"notes","path":"/`;
    const piece = fc.constantFrom(
      ...[begin, inAnyOrder, params, meta, ...ends, '"', ',', '{', '}', '[', ']', '\\\\', ':', '"a":', '"}'],
      ...['{"a":"', '{"a":[', ',"x":{', ',"params":{"name":"read"', '"name":"read"', ',"_meta":{}', ' ', '1'],
    );
    const around = fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join(''));
    const first = fc.constantFrom(begin + params, inAnyOrder + params, open, '');
    const text = fc
      .tuple(first, around, around, fc.constantFrom(...ends))
      .map(([start, before, behind, end]) => start + before + meta + behind + end);
    let read = 0;
    fc.assert(
      fc.property(text, (found) => {
        const call = readDivided(MODERN, found);
        if (call === undefined) return;
        read += 1;
        expect(call).toEqual(readCall(MODERN, JSON.parse(found)));
      }),
      { numRuns: 20_000 },
    );
    expect(read).toBeGreaterThan(100);
  });
});

describe('what is read without the usual checks', () => {
  it('gives of arguments what their schema gives, or leaves them to it', () => {
    const text = fc.oneof(fc.constantFrom('', '/', 'notes', 'GET', 'x'.repeat(8_001)), fc.string());
    const anything = fc.oneof(text, fc.jsonValue());
    const members = { provider: anything, path: anything, query: anything, method: anything, x: anything };
    let direct = 0;
    fc.assert(
      fc.property(fc.oneof(fc.record(members, { requiredKeys: [] }), fc.jsonValue()), (input) => {
        const found = readUsualInput(input);
        if (found === undefined) return;
        direct += 1;
        expect(found).toEqual(readInput.parse(input));
      }),
      { numRuns: 3_000, examples: [[{ provider: 'notes', path: '/' }]] },
    );
    expect(direct).toBeGreaterThan(0);
    expect(readUsualInput(PARAMS.arguments)).toEqual(readInput.parse(PARAMS.arguments));
  });

  it('gives of a body what its checks give, or leaves it to them', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (json) => {
        const found = readPlain(json);
        if (found !== undefined) expect(found).toEqual(parseJsonBody(Buffer.from(json), 'application/json'));
      }),
      { numRuns: 1_000 },
    );
    expect(readPlain('{"a":[1]}')).toEqual({ a: [1] });
  });

  it.each([
    ['no JSON', '{'],
    ['a name of every object', '{"a":{"__proto__":{}}}'],
    ['the same by an escape', '{"\\u005f_proto__":{}}'],
    ['text that no store keeps', '{"a":"\\u0000"}'],
    ['half a surrogate pair', '{"a":"\\ud800"}'],
    ['great depth', `${'['.repeat(66)}${']'.repeat(66)}`],
    ['many values', `[${'1,'.repeat(10_001)}1]`],
    ['letters beyond ASCII', '{"a":"ü"}'],
  ])('is no body with %s', (_what, json) => {
    expect(readPlain(json)).toBeUndefined();
  });
});

describe('the quick door', () => {
  const seen: string[] = [];
  const door = createQuickDoor({
    runTool: async ({ input }) => createResult({ input }),
    answerMcp: async () => new Response(null, { status: 500 }),
    verifyUserToken: (projectId) => ({ projectId, subject: 'mia' }),
    challengeOf: () => '',
    knownMetas: known,
    requestLog: { log: { request: () => undefined } },
    publicUrl: 'http://gateway',
    log: { error: () => undefined },
    networkOf: () => '',
    watchProxies: () => seen.push('proxy'),
  });
  const server = createServer((request, response) =>
    door(request, response, async () => response.end(`next ${await text(request)}`)),
  );
  let port: number;
  beforeAll(async () => {
    port = await listen(server);
  });
  afterAll(() => closeServer(server));

  async function post(body: string, headers: IncomingHttpHeaders, isInPieces = false): Promise<string> {
    const length = { 'content-length': Buffer.byteLength(body), authorization: 'Bearer t' };
    const path = `/projects/${PROJECT}/mcp`;
    const request = send({ port, path, method: 'POST', headers: { ...headers, ...length } });
    const answer = new Promise<string>((resolve, reject) =>
      request.once('error', reject).once('response', (response) => resolve(text(response))),
    );
    if (isInPieces) {
      request.flushHeaders();
      await new Promise<void>((resolve) => request.write(body.slice(0, 5), () => resolve()));
      request.end(body.slice(5));
    } else request.end(body);
    return answer;
  }
  const usual = JSON.stringify(message(1, PARAMS));

  it('hands on one with a field that is there twice', async () => {
    const accept = 'application/json, text/event-stream';
    const twice: IncomingHttpHeaders = { ...EARLIER, 'mcp-name': ['read', 'read'] };
    expect(await post(usual, { ...EARLIER, accept })).toContain('"input"');
    expect(await post(usual, twice)).toBe(`next ${usual}`);
  });

  it('answers a call of the usual form', async () => {
    expect(await post(usual, EARLIER)).toContain('"input"');
    expect(await post(usual, { ...EARLIER, 'x-forwarded-for': '10.0.0.1' })).toContain('"input"');
    expect(seen).toEqual(['proxy']);
  });

  it('hands every other request on with its whole body', async () => {
    for (const body of [
      '{',
      '[]',
      JSON.stringify({ ...message(1, PARAMS), method: 'ping' }),
      'x'.repeat(30_000),
    ])
      expect(await post(body, EARLIER)).toBe(`next ${body}`);
    const padded = `${usual}${' '.repeat(40_000)}`;
    expect(await post(padded, EARLIER)).toBe(`next ${padded}`);
  });

  it('hands on one whose body comes later, or answers it', async () => {
    const answer = await post(usual, EARLIER, true);
    expect(answer === `next ${usual}` || answer.includes('"input"')).toBe(true);
  });
});
