import type { MandatedCall } from '../../src/mandates/call.ts';
import { readTarget } from '../../src/proxy/target.ts';
import { ATTACKED, type MANDATES, readMandate } from './attacked-mandates.ts';

/**
 * Calls outside of a mandate, by a seed. Each of them changes something, or goes where the mandate does not lead, in the
 * reading of some server: none may reach the provider.
 */
export type Attack = {
  readonly family: string;
  readonly mandate: keyof typeof MANDATES;
  readonly method: string;
  /** Behind the provider, with its query. */
  readonly path: string;
  /** `Name: value`. */
  readonly fields: readonly string[];
  readonly body: string | undefined;
};

type Random = {
  next(): number;
  pick<Item>(items: readonly [Item, ...Item[]]): Item;
  chance(share: number): boolean;
};

/** mulberry32: the same numbers for the same seed. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
    chance: (share) => next() < share,
  };
}

/** The same path for some server. */
function respell(random: Random, path: string): string {
  const share = random.pick([0, 0.05, 0.3]);
  const spelled = [...path].map((character) => {
    if (!random.chance(share)) return character;
    if (character === '/') return random.pick(['//', '%2f', '%2F', ';x=1/', '/']);
    return random.pick([hex(character), hex(character).toUpperCase(), character.toUpperCase()]);
  });
  return `/${spelled.slice(1).join('')}${random.pick(['', '', '', '/', ';a', '.json', '.XML', '%3bx', '?a=1', '?'])}`;
}

const hex = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;

/** Another case of a name. */
const recase = (random: Random, text: string) =>
  [...text].map((character) => (random.chance(0.3) ? character.toUpperCase() : character)).join('');

const JSON_TYPE = 'Content-Type: application/json';
const MULTIPART_TYPE = 'Content-Type: multipart/form-data; boundary=x';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const WRITING = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'LOCK', 'MERGE', 'PROPPATCH'] as const;

const base = { fields: [], body: undefined } as const;

type Family = (random: Random) => Omit<Attack, 'family'>;

const FAMILIES: Readonly<Record<string, Family>> = {
  methods: (random) => ({
    ...base,
    mandate: random.pick(['readContacts', 'readAll']),
    method: random.pick(WRITING),
    path: respell(random, random.pick(['/contacts/1', '/contacts', '/contacts/1/notes'])),
  }),

  otherPaths: (random) => ({
    ...base,
    mandate: random.pick(['readContacts', 'patchContacts']),
    method: random.pick(['GET', 'HEAD', 'PATCH', 'POST']),
    path: respell(
      random,
      random.pick(['/deals/1', '/', '/contact', '/x/contacts/1', '/contacts1/2', '/a/b/c']),
    ),
  }),

  otherProvider: (random) => ({
    ...base,
    mandate: 'other',
    method: random.pick(['GET', 'DELETE']),
    path: respell(random, '/contacts/1'),
  }),

  listedWrites: (random) => ({
    ...base,
    mandate: 'readAll',
    method: random.pick(['GET', 'HEAD']),
    path: respell(random, random.pick(['/contacts/purge', '/bin/1/x', '/bin/empty'])),
  }),

  batches: (random) => ({
    ...base,
    mandate: random.pick(['writeAll', 'postAll', 'readAll']),
    method: 'POST',
    path: respell(random, random.pick(['/composite', '/contacts/batch/create'])),
    fields: [JSON_TYPE],
    body: '{"requests":[{"method":"DELETE","url":"/contacts/1"}]}',
  }),

  dots: (random) => ({
    ...base,
    mandate: 'readContacts',
    method: 'GET',
    path: `/contacts/${random.pick(['..', '%2e%2e', '.%2E', '..;x', '%2e.', '.', '..%2f', '..%5c', '\\..', '%00', '%0d%0a'])}/${random.pick(['deals', 'contacts/1', '..', ''])}`,
  }),

  overlong: (random) => ({
    ...base,
    mandate: 'readContacts',
    method: random.pick(['GET', 'DELETE']),
    path: `/${random.pick(['deals', 'contacts'])}/${'a/'.repeat(4_100 + Math.floor(random.next() * 50))}`,
  }),

  overrides(random) {
    const name = random.pick([
      'X-HTTP-Method-Override',
      'X-HTTP-Method',
      'X-Method-Override',
      'x_http_method_override',
      'HTTP-Method',
      'X-Original-Method',
      'Method',
    ]);
    const parameter = random.pick([
      '_method',
      '_HttpMethod',
      '__method',
      '$method',
      'x-http-method-override',
    ]);
    const spelled = [...parameter].map((one) => (random.chance(0.2) ? hex(one) : one)).join('');
    const query = `${random.pick(['', 'a=1&', 'a=1;'])}${recase(random, spelled)}${random.pick(['', '[]', '%5B0%5D', '+'])}=${random.pick(WRITING)}`;
    const isField = random.chance(0.5);
    return {
      ...base,
      mandate: random.pick(['readAll', 'readContacts', 'writeAll', 'postAll']),
      method: random.pick(['GET', 'POST', 'HEAD']),
      path: isField ? '/contacts/1' : `/contacts/1?${query}`,
      fields: isField ? [`${recase(random, name)}: ${random.pick(WRITING)}`] : [],
    };
  },

  forms(random) {
    const type = random.pick([
      FORM_TYPE,
      MULTIPART_TYPE,
      'Content-Type: application/json, text/plain',
      undefined,
      'content-type:  Multipart/mixed; boundary=x',
    ]);
    const isReading = random.chance(0.5);
    const name = recase(random, random.pick(['_method', '_HttpMethod', 'x-http-method-override']));
    const part = `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nDELETE\r\n--x--\r\n`;
    return {
      mandate: isReading ? 'readAll' : 'postAll',
      method: 'POST',
      path: '/contacts/search',
      fields: type === undefined ? [] : random.chance(0.1) ? [type, JSON_TYPE] : [type],
      body: random.pick([`${name}=DELETE`, `a=1&${name}=DELETE`, part, `a=${hex('_')}&%5fmethod=PUT`]),
    };
  },

  /** By a parameter of the provider's own, in a form of either kind or in JSON. */
  ownParameters(random) {
    const name = recase(random, 'operation');
    const encoded = [...name].map((one) => (random.chance(0.3) ? hex(one) : one)).join('');
    const escaped = `\\u006f${name.slice(1)}`;
    const part = (disposition: string) =>
      `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\ndelete\r\n--x--\r\n`;
    const [field, body] = random.pick<readonly [string, string]>([
      [FORM_TYPE, `a=1&${encoded}=delete`],
      [MULTIPART_TYPE, part(`name="${name}"`)],
      [MULTIPART_TYPE, part(`filename="a"; name=${name}`)],
      [MULTIPART_TYPE, part(`name="${name}[0]"`)],
      [MULTIPART_TYPE, part(`name*=utf-8''${encoded}`)],
      [MULTIPART_TYPE, part(`name="${random.pick([`\\${name}`, encodeURIComponent(`${name} `)])}"`)],
      [JSON_TYPE, `{"${name}":"delete"}`],
      [JSON_TYPE, `{"a":{"b":1},"${escaped}":"delete"}`],
      [JSON_TYPE, `{'${name}':'delete'}`],
    ]);
    return {
      mandate: random.pick(['postAll', 'readAll', 'postContacts']),
      ...{ method: 'POST', path: '/contacts/1', fields: [field], body },
    };
  },

  graphql(random) {
    const mutation = random.pick([
      'mutation{deleteAll{id}}',
      'mutation M{x:deleteAll{id}}',
      'query A{a} mutation B{b}',
      'fragment f on M{deleteAll{id}} mutation{...f}',
      '#query\n,,mutation{a}',
      '{a} subscription{b}',
      'mutation @a(b:"query"){c}',
      '{a:mutation}mutation{b}',
    ]);
    const text = JSON.stringify(mutation);
    const escaped = `"${[...mutation].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
    const body = random.pick([
      `{"query":${text}}`,
      `{"query":${escaped}}`,
      `{"query":${text},"operationName":"A"}`,
      `{"query":"{a}","query":${text}}`,
      `{"query":${text},"query":"{a}"}`,
      `{"query":"{a}","\\u0071uery":${text}}`,
      `{"query":"{a}","Query":${text}}`,
      `[{"query":"{a}"},{"query":${text}}]`,
      `{"query":"{a}","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}`,
      '{"id":"deleteAll"}',
      `\uFEFF{"query":${text}}`,
      `{"query":"{a}","x":{"query":${text}}}`,
      `{"query":${text}}${' '.repeat(70_000)}`,
      `${text}`,
    ]);
    const fields = random.pick([
      [JSON_TYPE],
      [JSON_TYPE],
      ['Content-Type: application/json; charset=utf-16'],
      ['Content-Type: application/graphql'],
      [JSON_TYPE, 'Content-Encoding: gzip'],
      [JSON_TYPE, FORM_TYPE],
      [],
    ]);
    return { mandate: 'readAll', method: 'POST', path: respell(random, '/graphql'), fields, body };
  },

  graphqlAddresses(random) {
    const query = encodeURIComponent('mutation{a}');
    return {
      mandate: 'readAll',
      ...(random.chance(0.5)
        ? { method: 'GET', fields: [], body: undefined }
        : { method: 'POST', fields: [JSON_TYPE], body: '{"query":"{a}"}' }),
      path: `${random.pick(['/graphql', '/GraphQL', '//graphql', '/graphql/', '/graphq%6c', '/graphql;x', '/graphql.json'])}?${random.pick([`query=${query}`, `query=%7Ba%7D&query=${query}`, `%71uery=${query}`, `query=%7Ba%7D;query=${query}`, `Query=${query}`, `query[]=${query}`, 'documentId=1', 'query=%7Ba%7D&extensions=%7B%22persistedQuery%22%3A1%7D'])}`,
    };
  },

  mcp(random) {
    const call = (name: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"}}`;
    const list = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
    const agreeing = random.pick([
      call('delete'),
      call('Search'),
      `[${list},${call('delete')}]`,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","Name":"delete"}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","name":"delete"}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"delete"}}',
      '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","params":{"name":"delete"}}',
      '{"jsonrpc":"2.0","id":1,"method":"resources/delete"}',
      '{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}',
    ]);
    const isDisagreeing = random.chance(0.3);
    return {
      mandate: 'readAll',
      method: 'POST',
      path: '/mcp',
      fields: [
        JSON_TYPE,
        ...(isDisagreeing
          ? [random.pick(['Mcp-Method: tools/call', 'Mcp-Name: delete', 'mcp-name: =?base64?ZGVsZXRl?='])]
          : []),
      ],
      body: isDisagreeing ? list : agreeing,
    };
  },
};

/** The given number of attacks, families in turn. */
export function* createAttacks(seed: number, count: number): Generator<Attack> {
  const random = createRandom(seed);
  const families = Object.entries(FAMILIES);
  for (let index = 0; index < count; index += 1) {
    const [family, make] = families[index % families.length] ?? [];
    if (family !== undefined && make !== undefined) yield { family, ...make(random) };
  }
}

/** Whether the rule alone would let it pass, by the parser of targets that the proxy has. */
export function isLetPass(attack: Attack): boolean {
  const target = readTarget(`/projects/p/proxy/demo${attack.path}`);
  if (target.kind !== 'proxy') return false;
  const bytes = attack.body === undefined ? undefined : Buffer.from(attack.body);
  const call: MandatedCall = {
    ...{ provider: target.provider, host: target.host, rawPath: target.rawPath, rawQuery: target.rawQuery },
    connectionId: 'c',
    method: attack.method,
    rawHeaders: attack.fields.flatMap((field) => [
      field.slice(0, field.indexOf(':')),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
    hasBody: bytes !== undefined,
    body: bytes !== undefined && bytes.length > 64 * 1024 ? 'too_long' : bytes,
    facts: ATTACKED,
  };
  return readMandate(attack.mandate).parts.every(({ mandate }) => mandate.decide(call).isAllowed);
}
