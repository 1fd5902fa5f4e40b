import fc from 'fast-check';
import { z } from 'zod';
import { readField } from '../engine/answers.ts';
import { ask, toFieldValue } from '../engine/ask.ts';
import { FUZZ_ORIGIN, type FuzzStage } from '../engine/stage.ts';
import { listValues, type StrictRequest } from '../engine/strict-http.ts';
import type { Target } from '../engine/target.ts';
import { type Piece, renderText, type Text, textSchema } from '../engine/text.ts';

const COOKIES = [
  'own',
  'none',
  'of another session',
  'both',
  'both, the other first',
  'cut off',
  'made up',
] as const;
const PATHS = ['shared', 'of the integration', 'of another integration', 'odd'] as const;

const schema = z.strictObject({
  /** What stands in the query, or in a posted form, as it is sent. */
  query: textSchema,
  cookie: z.enum(COOKIES),
  path: z.enum(PATHS),
  method: z.enum(['GET', 'POST', 'HEAD', 'PUT']),
  /** Whether the same comes a second time. */
  isRepeated: z.boolean(),
});
export type CallbackInput = z.infer<typeof schema>;

const ODD = [
  '',
  'x',
  '{{otherState}}',
  '%00',
  '%',
  '%ff',
  '<script>',
  'a b',
  '__proto__',
  '%0d%0aSet-Cookie:a=b',
  '{{state}}%20',
  '{{state}}=',
];
const pair = (name: string, ...values: readonly string[]): fc.Arbitrary<Text> =>
  fc.constantFrom(...values).map((value): Text => [`${name}=${value}`]);
const long = (name: string): fc.Arbitrary<Text> =>
  fc.integer({ min: 1, max: 9_500 }).map((times): Text => [`${name}=`, { run: 'a', times }]);
const parameter: fc.Arbitrary<Text> = fc.oneof(
  { weight: 4, arbitrary: pair('state', '{{state}}', '{{state}}', ...ODD) },
  { weight: 4, arbitrary: pair('code', 'good-code', ...ODD) },
  { weight: 3, arbitrary: pair('error', 'access_denied', 'server_error', 'x<b>', '', '{{token}}') },
  {
    weight: 1,
    arbitrary: pair('error_description', '<img src=x onerror=alert(1)>', '{{state}}', '%e2%80%ae'),
  },
  { weight: 1, arbitrary: pair('error_uri', 'javascript:alert(1)', 'https://evil.test/') },
  { weight: 2, arbitrary: pair('iss', '', 'https://evil.test', '{{issuer}}') },
  { weight: 1, arbitrary: pair('state[]', '{{state}}') },
  { weight: 1, arbitrary: pair('code%5B%5D', 'x') },
  { weight: 1, arbitrary: pair('%73tate', '{{state}}') },
  { weight: 1, arbitrary: pair('__proto__[state]', '{{state}}') },
  { weight: 1, arbitrary: pair('oauth_token', 'x') },
  { weight: 1, arbitrary: fc.oneof(long('code'), long('state'), long('error_description')) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 80 }).map((times): Text => [{ run: 'a=b&', times }]) },
);
const query: fc.Arbitrary<Text> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<Text>(
      ['state={{state}}&code=good-code'],
      ['code=good-code&state={{state}}&scope=read'],
      ['state={{state}}&error=access_denied'],
    ),
  },
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(parameter, { maxLength: 5 }), fc.constantFrom('&', '&', '&', ';', '&&', '?'))
      .map(([parts, between]) =>
        parts.flatMap((part, index): Piece[] => (index === 0 ? [...part] : [between, ...part])),
      ),
  },
);

/** Authorization responses, by browsers that began the session, or others. A code is exchanged for its own browser, and once. */
export const callbackTarget: Target<CallbackInput> = {
  name: 'callback',
  schema,
  inputs: fc.record({
    query: query.map((text): Piece[] => [...text]),
    cookie: fc.oneof(
      { weight: 3, arbitrary: fc.constant('own' as const) },
      { weight: 2, arbitrary: fc.constantFrom(...COOKIES) },
    ),
    path: fc.oneof(
      { weight: 6, arbitrary: fc.constant('shared' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...PATHS) },
    ),
    method: fc.oneof(
      { weight: 8, arbitrary: fc.constant('GET' as const) },
      { weight: 2, arbitrary: fc.constantFrom('POST', 'HEAD', 'PUT') },
    ),
    isRepeated: fc.boolean(),
  }),
  // A provider that does not tell what the gateway needs is a fault of the provider's.
  statedFaults: new Set(['provider_error', 'store_unavailable']),
  shortCount: 40,
  requests: 5,
  async send(stage, input) {
    const [own, other] = [await begin(stage), await begin(stage)];
    const values = { ...stage.values, state: own.state, otherState: other.state, issuer: stage.recorder.url };
    const text = renderText(input.query, values).replaceAll(/[^\x21-\x7e]/g, '');
    const { host } = stage.values;
    const isPosted = input.method === 'POST';
    const request = {
      method: input.method,
      path: `${choosePath(stage, input.path)}${isPosted ? '' : `?${text}`}`,
      fields: [
        ...chooseCookie(input.cookie, own.cookie, other.cookie).map(
          (value) => ['Cookie', toFieldValue(value)] as const,
        ),
        ...(isPosted ? [['Content-Type', 'application/x-www-form-urlencoded'] as const] : []),
      ],
      body: isPosted ? Buffer.from(text) : undefined,
    };
    stage.recorder.takeRequests();
    const answers = [await ask(stage.client, host, request)];
    if (input.isRepeated) answers.push(await ask(stage.client, host, request));
    const exchanged = stage.recorder.takeRequests().filter(({ target }) => target === '/token');
    const faults = [
      ...stage.recorder.takeFaults(),
      ...judgeExchanges(input, text, exchanged, own.state),
      ...answers.flatMap((answer) => findForeignWay(stage, readField(answer, 'location'))),
    ];
    return { answers, faults };
  },
};

/** A session as the application's page begins it, up to the provider. */
async function begin(stage: FuzzStage): Promise<{ state: string; cookie: string }> {
  const { host, token } = stage.values;
  const made = await ask(stage.client, host, {
    method: 'POST',
    path: '/v1/connect-sessions',
    fields: [
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
      ['Origin', FUZZ_ORIGIN],
    ],
    body: Buffer.from('{"provider":"notes"}'),
  });
  const url = new URL(z.object({ url: z.string() }).parse(JSON.parse(made.body.toString())).url);
  const opened = await ask(stage.client, host, { method: 'GET', path: url.pathname });
  const location = readField(opened, 'location');
  if (location === undefined) throw new Error(`no way to the provider: ${opened.status} ${opened.body}`);
  return {
    state: new URL(location).searchParams.get('state') ?? '',
    cookie: (readField(opened, 'set-cookie') ?? '').split(';')[0] ?? '',
  };
}

function choosePath({ integrationId }: FuzzStage, path: CallbackInput['path']): string {
  if (path === 'shared') return '/oauth/callback';
  if (path === 'of the integration') return `/oauth/callback/${integrationId}`;
  return path === 'odd' ? '/oauth/callback/%00' : '/oauth/callback/00000000-0000-7000-8000-000000000000';
}

function chooseCookie(kind: CallbackInput['cookie'], own: string, other: string): string[] {
  const value = other.slice(other.indexOf('=') + 1);
  if (kind === 'own') return [own];
  if (kind === 'of another session') return [other, `${own.split('=')[0]}=${value}`];
  if (kind === 'both') return [`${own}; ${other}`];
  if (kind === 'both, the other first') return [`${other}; ${own}`];
  if (kind === 'cut off') return [own.slice(0, -1)];
  return kind === 'made up' ? [`${own.split('=')[0]}=${'A'.repeat(43)}`] : [];
}

/** A code goes to the provider for the browser and the state of its session alone, at the shared address, and once. */
function judgeExchanges(
  { cookie, path, method }: CallbackInput,
  text: string,
  exchanged: readonly StrictRequest[],
  state: string,
): string[] {
  if (exchanged.length === 0) return [];
  const given = [...new URLSearchParams(text.includes('?') ? text : text)];
  const all = (wanted: string) => given.filter(([name]) => name === wanted).map(([, value]) => value);
  const sent = new URLSearchParams(exchanged[0]?.body.toString());
  const isTwice = new Set(given.map(([name]) => name)).size < given.length;
  return [
    ...(exchanged.length > 1 ? ['a code was exchanged twice'] : []),
    ...(method === 'GET' ? [] : [`a ${method} exchanged a code`]),
    ...(path === 'shared' ? [] : [`a code was exchanged at the address "${path}"`]),
    ...(cookie === 'own' || cookie.startsWith('both')
      ? []
      : [`a code was exchanged with the cookie "${cookie}"`]),
    ...(isTwice ? ['a code was exchanged although a parameter came twice'] : []),
    ...(all('state').length === 1 && all('state')[0] === state
      ? []
      : ['a code was exchanged with another state']),
    ...(all('code').length === 1 && all('code')[0] === sent.get('code')
      ? []
      : ['another code was exchanged']),
    ...((all('error')[0] ?? '') === '' ? [] : ['a code was exchanged beside an error']),
    ...(exchanged.some(({ fields }) => listValues(fields, 'cookie').length > 0)
      ? ['the provider got a cookie']
      : []),
  ];
}

/** Browsers are sent to the gateway's own pages, the provider, and where the project lets them. */
function findForeignWay({ gateway, recorder }: FuzzStage, location: string | undefined): string[] {
  if (location === undefined) return [];
  const { origin } = new URL(location, gateway.url);
  return [gateway.url, recorder.url, FUZZ_ORIGIN].includes(origin)
    ? []
    : [`a browser is sent to ${location.slice(0, 200)}`];
}
