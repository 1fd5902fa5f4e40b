import { z } from 'zod';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { createOutbound } from '../../src/platform/outbound.ts';

type Found = { readonly path: string; readonly schema: z.core.$ZodType };

/** The schemas within a schema, each with its path; what wraps another one has the path of what it wraps. */
function* walk(schema: z.core.$ZodType, path = '', seen = new Set<z.core.$ZodType>()): Generator<Found> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield { path, schema };
  for (const [name, inner] of partsOf(schema)) yield* walk(inner, path + name, seen);
}

function partsOf(schema: z.core.$ZodType): [name: string, inner: z.core.$ZodType][] {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).map(([name, inner]) => [`.${name}`, inner]);
  }
  if (schema instanceof z.ZodRecord) return [['.*', schema.valueType]];
  if (schema instanceof z.ZodArray) return [['[]', schema.element]];
  if (schema instanceof z.ZodUnion) return schema.options.map((inner, index) => [`|${index}`, inner]);
  const { def } = schema._zod;
  if ('innerType' in def && def.innerType instanceof z.ZodType) return [['', def.innerType]];
  if ('in' in def && def.in instanceof z.ZodType) return [['', def.in]];
  if ('getter' in def && typeof def.getter === 'function') return [['', def.getter()]];
  return [];
}

const found = [...walk(providerFileSchema)];
const records = found.filter(({ schema }) => schema instanceof z.ZodRecord);

/** Records whose names are no header fields. A new record that stands in neither list fails: decide what it is. */
const OTHER_RECORDS = new Set([
  '.account.request.body',
  '.authorizationParams',
  '.awsSigV4.hosts',
  '.awsSigV4.serviceNames',
  '.callback.mustMatch',
  '.clientAssertion.header',
  '.hosts',
  '.jwt.claims',
  '.jwt.header',
  '.jwtPerCall.claims',
  '.jwtPerCall.header',
  '.jwtPerCall.parts',
  '.login.steps[].body',
  '.oauth1.realm.replace',
  '.polls',
  '.polls.*.changes|0.request.body',
  '.polls.*.changes|0.request.query',
  '.polls.*.changes|2.objects.names',
  '.polls.*.changes|2.subscriptions.match',
  '.polls.*.parameters',
  '.probe.body',
  '.scopeComparison.aliases',
  '.scopeComparison.covers',
  '.scopeDescriptions',
  '.tenants.request.body',
  '.tokenRequest.parameterNames',
  '.tokenResponse.errorMeanings',
  '.variables',
  '.webhooks.alternatives',
  '.webhooks.events.changes',
  '.webhooks.events.names',
  '.webhooks.events.objects',
  '.webhooks.handshake[].answer.json',
  '.webhooks.registration[]|1.parameters',
  '.webhooks.registration[]|1.request.body',
  '.webhooks.signature|2.key.body',
  '.webhooks.signature|3.claims',
]);
const isOfHeaders = ({ path }: Found) => /headers$/i.test(path);

it('every record of a provider file is one of header fields, or known to be none', () => {
  const unknown = records.filter((record) => !isOfHeaders(record)).map(({ path }) => path);
  expect([...new Set(unknown)].sort()).toEqual([...OTHER_RECORDS].sort());
});

const HEADERS = new Map(records.filter(isOfHeaders).map(({ path, schema }) => [path, schema]));

const MESSAGE_FIELDS = ['Host', 'Connection', 'Keep-Alive', 'Proxy-Connection', 'TE', 'Trailer', 'Upgrade'];
const FRAMING_FIELDS = ['Transfer-Encoding', 'Content-Length', 'Expect', 'Proxy-Authorization'];

const REFUSED: readonly Readonly<Record<string, string>>[] = [
  ...[...MESSAGE_FIELDS, ...FRAMING_FIELDS].flatMap((name) => [
    { [name]: 'x' },
    { [name.toLowerCase()]: 'x' },
  ]),
  { 'X-A': 'a\r\nSet-Cookie: b' },
  { 'X-A': 'ä' },
  { 'X-A\r\nX-B': 'a' },
  { 'X A': 'a' },
  { '': 'a' },
];

it('a file has the header fields of at least all these requests', () => {
  const known = ['account', 'probe', 'tenants', 'polls', 'login', 'webhooks', 'revocation', 'apiHeaders'];
  for (const group of [...known, 'tokenRequest']) {
    expect([group, [...HEADERS.keys()].some((path) => path.startsWith(`.${group}`))]).toEqual([group, true]);
  }
});

it.each([...HEADERS.keys()])(
  '%s takes no field that is the message’s own, and none that would end it',
  (path) => {
    const schema = HEADERS.get(path) ?? z.never();
    expect(z.safeParse(schema, { 'X-Good': 'a' }).success).toBe(true);
    for (const fields of REFUSED) {
      const { success, error } = z.safeParse(schema, fields);
      expect([fields, success]).toEqual([fields, false]);
      expect(error?.issues.length).toBeGreaterThan(0);
    }
  },
);

const FILE = {
  id: 'acme',
  name: 'Acme',
  category: 'crm',
  auth: 'api-key',
  apiBaseUrl: 'https://api.example.com',
};

it.each([
  { apiKey: { in: 'header', name: 'Host', template: '{apiKey}' } },
  { apiKey: { in: 'header', name: 'X-A', template: '{apiKey}\r\nX: y' } },
  { accessTokenHeader: { name: 'Connection', template: '{accessToken}' } },
  { accessTokenHeader: { name: 'X-A', template: '{accessToken}\n' } },
  { callerCredentials: [{ in: 'header', name: 'Transfer-Encoding' }] },
])('a single field is judged alike: %j', (more) => {
  const key = { in: 'header', name: 'X-Key', template: '{apiKey}' };
  expect(providerFileSchema.safeParse({ ...FILE, apiKey: key }).success).toBe(true);
  expect(providerFileSchema.safeParse({ ...FILE, apiKey: key, ...more }).success).toBe(false);
});

it.each([...MESSAGE_FIELDS, ...FRAMING_FIELDS])(
  'a request is not sent with a %s of other hands',
  async (name) => {
    const outbound = createOutbound({ allowPrivateNetworks: true });
    const request = outbound.request({ url: 'http://127.0.0.1:1/', headers: { [name]: 'x' } });
    await expect(request).rejects.toMatchObject({ kind: 'invalid_request' });
    await outbound.stop();
  },
);
