import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { z } from 'zod';
import { isRecord } from '../../../src/lib/is-record.ts';
import { isJson, type Json, resolve } from '../../support/openapi.ts';
import { type Answer, readJson } from '../engine/answers.ts';
import { type Ask, ask } from '../engine/ask.ts';
import { valuesOfSchema } from '../engine/schema-inputs.ts';
import { FUZZ_USER, type FuzzStage } from '../engine/stage.ts';
import type { Target } from '../engine/target.ts';
import { type Piece, renderText, type Text, textSchema } from '../engine/text.ts';
import { jsonValue, toObjectText } from './json-inputs.ts';

const schema = z.strictObject({
  /** Members of the description in their order, as JSON text; one may come twice. */
  members: z.array(z.tuple([z.string(), textSchema])).max(40),
  /** What a user types for each variable. */
  typed: z.string(),
});
export type ProviderInput = z.infer<typeof schema>;

const document: Json = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8'),
);
const described = resolve(document, { $ref: '#/components/schemas/CreateProvider' });
const properties = Object.entries(isJson(described.properties) ? described.properties : {});

/** The address that nothing may reach, in the spellings of people and parsers, and templates that could lead to it. */
const ADDRESSES = [
  ...[
    '127.0.0.1',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '017700000001',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
  ],
  ...[
    'localhost.',
    '127.0.0.1.',
    'u@127.0.0.1',
    '①②⑦.0.0.1',
    '127。0。0。1',
    '%3127.0.0.1',
    '{host}',
    '{sub}.0.0.1',
    '127.0.0.{sub}',
    '{host}.',
    '{a}{b}',
  ],
].map((host) => `https://${host}:{{trap}}`);
const TEXTS = [
  ...ADDRESSES,
  ...[
    'https://api.example.test',
    'https://{host}',
    'https://{host}/v1',
    'https://{sub}.example.test/{host}',
    'https://example.test/{accessToken}',
    'http://api.example.test',
    '//api.example.test',
  ],
  ...[
    'https://[',
    'https://x y',
    'https://a:b@c.test',
    'https://example.test/?a={host}#b',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '{host}',
    '{',
    '{}',
    '{{',
    '}',
    '{__proto__}',
    '{constructor}',
    '{accessToken}',
  ],
  ...[
    'Bearer {accessToken}',
    '{apiKey}',
    '{host}\r\nX: y',
    'X-A',
    'Authorization',
    'Host',
    'Content-Length',
    'Transfer-Encoding',
    'a.b.c',
    '$.a[*]',
    'data[].id',
    '__proto__',
    'read',
    '1',
    '',
    'a b',
    'é',
    '\u0000',
    '(a+)+$',
    '[a-z]{1,9}',
    '^.*$',
  ],
];
const texts = fc.constantFrom(...TEXTS);
const quote = (value: unknown): Piece[] => [JSON.stringify(value) ?? 'null'];

const HTTPS = 'https://127.0.0.1:{{trap}}';
const BASES: readonly Readonly<Record<string, unknown>>[] = [
  {
    auth: 'oauth2',
    authorizationUrl: `${HTTPS}/authorize`,
    tokenUrl: `${HTTPS}/token`,
    apiBaseUrl: `${HTTPS}/api`,
  },
  { auth: 'api-key', apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' }, apiBaseUrl: HTTPS },
  {
    auth: 'api-key',
    apiKey: { in: 'query', name: 'key' },
    apiBaseUrl: 'https://{host}:{{trap}}',
    variables: { host: { from: 'user' } },
  },
  {
    auth: 'api-key',
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    apiBaseUrl: 'https://{host}',
    variables: { host: { from: 'user', pattern: '[0-9a-z.:-]+' } },
  },
  { auth: 'basic', apiBaseUrl: HTTPS },
  { auth: 'oauth2-client-credentials', tokenUrl: `${HTTPS}/token`, apiBaseUrl: HTTPS },
];

const member: fc.Arbitrary<[string, Piece[]]> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc
      .constantFrom(...properties)
      .chain(([name, one]) =>
        valuesOfSchema(document, one, texts).map((value): [string, Piece[]] => [name, quote(value)]),
      ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(
      fc.constantFrom('apiBaseUrl', 'tokenUrl', 'authorizationUrl', 'revocationUrl', 'docsUrl', 'refreshUrl'),
      texts.map(quote),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('__proto__', 'constructor', 'x', 'variables', 'apiHeaders', 'webhooks'),
      jsonValue.map((text): Piece[] => [...text]),
    ),
  },
);

/** Descriptions of a project's own provider, nearly right ones too, on a gateway that may call public addresses only. */
export const providerTarget: Target<ProviderInput> = {
  name: 'provider',
  schema,
  inputs: fc
    .record({
      base: fc.constantFrom(...BASES),
      more: fc.array(member, { maxLength: 4 }),
      typed: fc.constantFrom(
        '127.0.0.1',
        '127.0.0.1:{{trap}}',
        'localhost',
        '[::1]',
        'x/../',
        'a@127.0.0.1',
        'api.example.test\r\nX: y',
        '127.0.0.1:{{trap}}/x?y#',
        '\u0000',
        '0',
      ),
    })
    .map(
      ({ base, more, typed }): ProviderInput => ({
        members: [
          ...Object.entries({ id: 'own-{{n}}', name: 'Own', category: 'other', ...base }).map(
            ([name, value]): [string, Piece[]] => [name, quote(value)],
          ),
          ...more,
        ],
        typed,
      }),
    ),
  statedFaults: new Set([
    'upstream_unreachable',
    'upstream_invalid_response',
    'integration_misconfigured',
    'refresh_unavailable',
    'provider_error',
  ]),
  shortCount: 100,
  requests: 5,
  async send(stage, { members, typed }) {
    const values = { ...stage.values, n: String(stage.nextNumber()) };
    const text: Text = toObjectText(members);
    const body = Buffer.from(renderText(text, values));
    const dryRun = await post(stage, '/v1/providers?dryRun=true', body);
    const made = await post(stage, '/v1/providers', body);
    const answers = [dryRun, made];
    const id = readText(made, 'id');
    if (made.status === 201 && id !== undefined)
      answers.push(...(await exerciseProvider(stage, id, renderText([typed], values))));
    return { answers, faults: judgeDryRun(dryRun) };
  },
};

function send(
  stage: FuzzStage,
  request: Omit<Ask, 'fields'>,
  bearer = stage.guarded.apiKey,
): Promise<Answer> {
  const fields = [
    ['Authorization', `Bearer ${bearer}`],
    ...(request.body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
  ] as const;
  return ask(stage.guardedClient, stage.values.guardedHost, { ...request, fields });
}

const post = (stage: FuzzStage, path: string, body: Buffer) => send(stage, { method: 'POST', path, body });

const readText = (answer: Answer, name: string): string | undefined => {
  const json = readJson(answer);
  const value = isRecord(json) ? json[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** An integration of it, a connection, a call and a connect session: whatever would send a request. Then all of it goes. */
async function exerciseProvider(stage: FuzzStage, id: string, typed: string): Promise<Answer[]> {
  const names = ['host', 'sub', 'a', 'b'];
  const variables = Object.fromEntries(names.map((name) => [name, typed]));
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const integration = {
    ...{ serviceProvider: id, clientId: 'client', clientSecret: 'secret-of-the-client', scopes: [] },
  };
  const made = await post(stage, '/v1/integrations', json(integration));
  const integrationId = readText(made, 'id');
  const answers = [made];
  if (integrationId !== undefined) {
    const credentials = { accessToken: 'token', apiKey: 'key', username: 'name', password: 'word' };
    for (const given of [
      { accessToken: 'token' },
      { apiKey: 'key' },
      { username: credentials.username, password: credentials.password },
    ])
      answers.push(
        await post(
          stage,
          '/v1/connections',
          json({ integrationId, userId: FUZZ_USER, credentials: given, variables }),
        ),
      );
    const token = stage.guarded.project.userToken(FUZZ_USER);
    const path = `/projects/${stage.guarded.project.id}/proxy/${encodeURI(id)}/x`;
    answers.push(await send(stage, { method: 'GET', path }, token));
    answers.push(
      await send(stage, { method: 'DELETE', path: `/v1/integrations/${integrationId}?force=true` }),
    );
  }
  answers.push(await send(stage, { method: 'DELETE', path: `/v1/providers/${encodeURIComponent(id)}` }));
  return answers;
}

/** No request that it shows goes to the trap's host by a value that a user types, nor carries a line end in a field. */
function judgeDryRun(answer: Answer): string[] {
  const json = readJson(answer);
  if (answer.status !== 200 || !isRecord(json) || !isRecord(json.requests)) return [];
  const headers = Object.values(json.requests)
    .flat()
    .flatMap((request) =>
      isRecord(request) && isRecord(request.headers) ? Object.entries(request.headers) : [],
    );
  return headers
    .filter(([name, value]) => /[\r\n\0]/.test(`${name}${String(value)}`))
    .map(([name]) => `a request has a line end in the field ${JSON.stringify(name)}`);
}
