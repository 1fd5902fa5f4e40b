import fc from 'fast-check';
import { z } from 'zod';
import { isRecord } from '../../../src/lib/is-record.ts';
import { readJson } from '../engine/answers.ts';
import { ask, toFieldValue } from '../engine/ask.ts';
import { FUZZ_USER } from '../engine/stage.ts';
import type { Target } from '../engine/target.ts';
import { joinText, type Piece, renderText, type Text, textSchema } from '../engine/text.ts';
import { findPoisoned } from './http.ts';
import { jsonDocument, jsonValue, toObjectText } from './json-inputs.ts';

const schema = z.strictObject({
  message: textSchema,
  /** Header fields of the protocol. */
  fields: z.array(z.tuple([z.string(), z.string()])).max(6),
  /** Whether the token's mandate lets it read only. */
  isReading: z.boolean(),
});
export type McpInput = z.infer<typeof schema>;

const raw = (...texts: readonly string[]): fc.Arbitrary<Text> =>
  fc.constantFrom(...texts).map((text): Text => [text]);
const mostly = (right: string, ...others: readonly string[]): fc.Arbitrary<Text> =>
  fc.oneof(
    { weight: 8, arbitrary: raw(right) },
    { weight: 1, arbitrary: raw(...others) },
    { weight: 1, arbitrary: jsonValue },
  );

const META =
  '{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{},"form":{}}}}';

const path = raw(
  '"/a"',
  '"/token-test"',
  '"//elsewhere.test/"',
  '"http://127.0.0.1:{{trap}}/"',
  '"/../x"',
  '"/%2e%2e/"',
  '""',
  '"/a?b=c"',
  '"/a b"',
  '"/\\r\\nX: y"',
  '"\\\\\\\\x"',
  '"/\\u0000"',
  '"@127.0.0.1:{{trap}}/"',
  '"/é"',
);
const callArguments: fc.Arbitrary<Text> = fc
  .tuple(
    mostly('"notes"', '"unknown"', '"notes~x"', '"NOTES"', '"custom:x"', '"../notes"'),
    fc.oneof({ weight: 6, arbitrary: path }, { weight: 1, arbitrary: jsonValue }),
    fc.array(
      fc.oneof(
        raw('"GET"', '"HEAD"', '"POST"', '"DELETE"', '"PATCH"', '"TRACE"', '"get"', '""').map(
          (value) => ['method', value] as const,
        ),
        raw('"a=1"', '"_method=DELETE"', '"?a"', '"a=%00"', '"a=1#b"', '"a=1\\r\\nX: y"').map(
          (value) => ['query', value] as const,
        ),
        jsonValue.map((value) => ['body', value] as const),
        raw('["$.a"]', '["$..*"]', '["$[?(@.a)]"]', '["$.a[0].b[*]"]', '[]', '["x"]', '["$[\\"a\\"]"]').map(
          (value) => ['fields', value] as const,
        ),
        raw('200', '50000', '0', '1e9', '"200"').map((value) => ['maxTokens', value] as const),
        raw('"x"', '"AAAA"', '{}').map((value) => ['cursor', value] as const),
        raw('"text/plain"', '"application/json; charset=utf-16"', '"a\\r\\nb"').map(
          (value) => ['contentType', value] as const,
        ),
        raw('"00000000-0000-7000-8000-000000000000"', '"x"').map((value) => ['connection', value] as const),
        jsonValue.map((value) => ['__proto__', value] as const),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([provider, given, more]) => toObjectText([['provider', provider], ['path', given], ...more]));

const toolCall: fc.Arbitrary<Text> = fc
  .tuple(
    raw(
      '"read"',
      '"write"',
      '"read"',
      '"list_connections"',
      '"find_operations"',
      '"connect"',
      '"constructor"',
      '"Read"',
      'null',
    ),
    fc.oneof(
      { weight: 8, arbitrary: callArguments },
      {
        weight: 2,
        arbitrary: raw(
          '{}',
          '{"query":"create a note"}',
          '{"query":"(a+)+$","provider":"notes"}',
          '{"provider":"notes","completionCode":"x"}',
          '{"provider":"notes"}',
        ),
      },
      { weight: 1, arbitrary: jsonValue },
    ),
    fc.boolean(),
  )
  .map(([name, given, isModern]) =>
    toObjectText([['name', name], ['arguments', given], ...(isModern ? [['_meta', [META]] as const] : [])]),
  );

const parameters: fc.Arbitrary<Text> = fc.oneof(
  { weight: 8, arbitrary: toolCall },
  {
    weight: 3,
    arbitrary: raw(
      ...[
        '{}',
        `{"_meta":${META}}`,
        '{"uri":"ui://connect"}',
        '{"uri":"file:///etc/passwd"}',
        '{"uri":"http://127.0.0.1:{{trap}}/"}',
        '{"cursor":"x"}',
        '[]',
      ],
      ...[
        '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}',
        '{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"x","version":"1"}}',
      ],
    ),
  },
  { weight: 1, arbitrary: jsonValue },
);

const one: fc.Arbitrary<Text> = fc
  .tuple(
    mostly('"2.0"', '"1.0"', '2', 'null'),
    mostly('1', '"a"', 'null', '1.5', '{}', '[]', '-1', '""', '1e999', '"\\ud800"'),
    fc.oneof(
      { weight: 8, arbitrary: raw('"tools/call"') },
      {
        weight: 6,
        arbitrary: raw(
          '"initialize"',
          '"ping"',
          '"tools/list"',
          '"resources/list"',
          '"resources/read"',
          '"resources/templates/list"',
          '"prompts/list"',
          '"notifications/initialized"',
          '"notifications/cancelled"',
          '"completion/complete"',
          '"logging/setLevel"',
          '"server/discover"',
          '"subscriptions/listen"',
          '"tasks/get"',
          '"constructor"',
          '"__proto__"',
          '""',
        ),
      },
      { weight: 1, arbitrary: jsonValue },
    ),
    parameters,
    fc.constantFrom<readonly (readonly [string, Text])[]>(
      [],
      [],
      [],
      [['method', ['"ping"']]],
      [['id', ['2']]],
      [['result', ['{}']]],
      [['error', ['{"code":1,"message":"x"}']]],
      [['__proto__', ['{}']]],
    ),
  )
  .map(([jsonrpc, id, method, params, more]) =>
    toObjectText([['jsonrpc', jsonrpc], ['id', id], ['method', method], ['params', params], ...more]),
  );

const message: fc.Arbitrary<Text> = fc.oneof(
  { weight: 12, arbitrary: one },
  {
    weight: 2,
    arbitrary: fc
      .array(one, { maxLength: 3 })
      .map((parts) =>
        joinText(['['], ...parts.flatMap((part, index) => (index === 0 ? [part] : [[','], part])), [']']),
      ),
  },
  { weight: 2, arbitrary: jsonDocument },
);

const field = fc.constantFrom<[string, string]>(
  ...([
    ['MCP-Protocol-Version', '2026-07-28'],
    ['MCP-Protocol-Version', '2025-11-25'],
    ['MCP-Protocol-Version', '1999-01-01'],
    ['Mcp-Method', 'tools/call'],
    ['Mcp-Method', 'ping'],
    ['Mcp-Name', 'read'],
    ['Mcp-Name', '=?base64?cmVhZA==?='],
    ['Mcp-Session-Id', 'x'],
    ['Last-Event-ID', 'x'],
    ['Accept', 'text/event-stream'],
    ['Accept', '*/*'],
    ['Content-Encoding', 'gzip'],
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/json; charset=utf-7'],
    ['Origin', 'http://evil.test'],
  ] satisfies [string, string][]),
);

const MODERN: [string, string][] = [
  ['MCP-Protocol-Version', '2026-07-28'],
  ['Mcp-Method', 'tools/call'],
  ['Mcp-Name', 'read'],
];

/** Messages of agents to the door, of both revisions. Whatever they hold, a token that may read changes nothing. */
export const mcpTarget: Target<McpInput> = {
  name: 'mcp',
  schema,
  inputs: fc.record({
    message: message.map((text): Piece[] => [...text]),
    fields: fc.oneof(
      { weight: 4, arbitrary: fc.constant<[string, string][]>([]) },
      { weight: 3, arbitrary: fc.constant(MODERN) },
      { weight: 2, arbitrary: fc.array(field, { maxLength: 3 }) },
    ),
    isReading: fc.boolean(),
  }),
  statedFaults: new Set(),
  shortCount: 250,
  async send(stage, { message: text, fields, isReading }) {
    const number = String(stage.nextNumber());
    const body = Buffer.from(renderText(text, { ...stage.values, n: number }), 'latin1');
    const { host, project } = stage.values;
    stage.recorder.takeRequests();
    const own = new Set(fields.map(([name]) => name.toLowerCase()));
    const usual: [string, string][] = [
      ['Accept', 'application/json, text/event-stream'],
      ['Content-Type', 'application/json'],
    ];
    const answer = await ask(stage.client, host, {
      method: 'POST',
      path: `/projects/${project}/mcp`,
      fields: [
        ['Authorization', `Bearer ${isReading ? stage.readingToken : stage.values.token}`],
        ...usual.filter(([name]) => !own.has(name.toLowerCase())),
        ...fields.map(([name, value]) => [name, toFieldValue(value)] as const),
      ],
      body,
    });
    const reached = stage.recorder.takeRequests();
    const json = readJson(answer);
    const faults = [
      ...stage.recorder.takeFaults(),
      ...(reached.length > 1 ? [`one message made ${reached.length} calls`] : []),
      ...reached
        .filter(({ method }) => isReading && !['GET', 'HEAD'].includes(method))
        .map(({ method, target }) => `a token that may read made the call ${method} ${target}`),
      ...reached
        .filter(({ fields: sent }) => sent.flat().join('\n').includes(stage.values.token))
        .map(() => `the provider got the token of ${FUZZ_USER}`),
      ...(answer.status >= 200 && answer.status < 300 && Array.isArray(json) ? ['a batch was answered'] : []),
      ...(isRecord(json) && isRecord(json.error) && json.error.code === -32603
        ? [`an internal error: ${JSON.stringify(json).slice(0, 300)}`]
        : []),
      ...(await findPoisoned(stage, number)),
    ];
    return { answers: [answer], faults };
  },
};
