import type { AccessFacts, MandatedCall } from '../../src/mandates/call.ts';
import { mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';

const CONNECTION = '0192f0c8-0000-7000-8000-000000000002';
const FACTS: AccessFacts = {
  reads: ['/crm/v3/objects/*/search', '/properties/*:runReport', '/rpc/users.list'],
  writes: ['/legacy/delete', '/api/*.delete', '/bin/**', '/rpc/**'],
  batch: ['/composite', '/crm/v3/objects/*/batch/*'],
};

type Line = Partial<Omit<MandatedCall, 'rawHeaders' | 'rawPath' | 'method'>> & {
  readonly headers?: readonly string[];
};

function decide(entries: readonly object[], line: string, given: Line = {}) {
  const [method = '', target = ''] = line.split(' ');
  const [rawPath = '', query] = target.split('?');
  const { headers = [], ...rest } = given;
  const parsed = mandateEntriesSchema.parse(
    entries.map((entry) => ({ type: 'gateway_access', provider: 'hubspot', access: 'write', ...entry })),
  );
  return compileMandate(parsed).decide({
    provider: 'hubspot',
    connectionId: CONNECTION,
    host: undefined,
    method,
    rawPath,
    rawQuery: query === undefined ? '' : `?${query}`,
    rawHeaders: headers,
    hasBody: false,
    facts: FACTS,
    ...rest,
  });
}

/** A form, with what stands behind its media type and further fields. */
function form(text: string, more: readonly string[] = [], parameters = ''): Line {
  const headers = ['Content-Type', `application/x-www-form-urlencoded${parameters}`, ...more];
  return { hasBody: true, headers, body: Buffer.from(text) };
}

const isAllowed = (...given: Parameters<typeof decide>) => decide(...given).isAllowed;

describe('an entry', () => {
  it.each<[entry: object, line: string, given?: Line]>([
    [{}, 'DELETE /anything'],
    [{}, 'GET '],
    [{ paths: ['/**'] }, 'GET '],
    [{ paths: ['/**'] }, 'PATCH /crm/v3/objects/contacts/1'],
    [{ methods: ['PATCH'] }, 'PATCH /a'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'PATCH /crm/v3/objects/contacts/1'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm/v3/objects/contacts'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm/v3/objects/%63ontacts/1'],
    [{ paths: ['/users/*/posts'] }, 'GET /users/17/posts?limit=2'],
    [{ paths: ['/~me'] }, 'GET /%7Eme'],
    [{ connectionId: CONNECTION }, 'GET /a'],
    [{ hosts: ['api'] }, 'GET /a'],
    [{ hosts: ['content'] }, 'GET /a', { host: 'content' }],
    [{ paths: ['/composite'] }, 'POST /composite'],
  ])('%j allows %s', (...[entry, line, given]) => {
    expect(decide([entry], line, given)).toEqual({ isAllowed: true, entry: 0, approval: 'none' });
  });

  it.each<[entry: object, line: string, given?: Line]>([
    [{ provider: 'github' }, 'GET /a'],
    [{ methods: ['PATCH'] }, 'PUT /a'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm/v3/objects/contactsx'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm/v3/objects/Contacts/1'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm/v3//objects/contacts/1'],
    [{ paths: ['/crm/v3/objects/contacts/**'] }, 'GET /crm%2Fv3/objects/contacts/1'],
    [{ paths: ['/users/*/posts'] }, 'GET /users//posts'],
    [{ paths: ['/users/*/posts'] }, 'GET /users/1/2/posts'],
    [{ paths: ['/users/*/posts'] }, 'GET /users/1/posts/'],
    [{ paths: ['/a'] }, 'GET /a/'],
    [{ connectionId: '0192f0c8-0000-7000-8000-000000000009' }, 'GET /a'],
    [{ hosts: ['api'] }, 'GET /a', { host: 'content' }],
    [{ hosts: ['content'] }, 'GET /a'],
  ])('%j does not allow %s', (...[entry, line, given]) => {
    expect(isAllowed([entry], line, given)).toBe(false);
  });

  it('only allows: the first one that does counts, whatever others lack', () => {
    const entries = [{ methods: ['GET'] }, { paths: ['/b'] }, { paths: ['/a'] }];
    expect(decide(entries, 'POST /a')).toEqual({ isAllowed: true, entry: 2, approval: 'none' });
    expect(isAllowed(entries, 'POST /c')).toBe(false);
  });

  it.each<[approvals: string[], entry: number, approval: string]>([
    [['each'], 0, 'each'],
    [['each', 'none'], 1, 'none'],
    [['each', 'once', 'each', 'once'], 1, 'once'],
    [['once', 'each', 'none'], 2, 'none'],
    [['once', 'once'], 0, 'once'],
  ])('of %j the one that asks a person for the least counts', (approvals, entry, approval) => {
    const entries = approvals.map((asked) => ({ approval: asked }));
    expect(decide(entries, 'POST /a')).toEqual({ isAllowed: true, entry, approval });
  });

  it('with an approval allows no more than it would without', () => {
    expect(isAllowed([{ approval: 'each', access: 'read' }], 'POST /a')).toBe(false);
  });
});

describe('reading alone', () => {
  const READ = [{ access: 'read' }];
  const JSON_TYPE = ['Content-Type', 'application/json'];

  it.each<[line: string, given?: Line]>([
    ['GET /crm/v3/objects/contacts'],
    ['HEAD /a'],
    ['POST /crm/v3/objects/contacts/search'],
    ['POST /crm/v3/objects/contacts/search', { hasBody: true, headers: JSON_TYPE }],
    ['POST /properties/17:runReport'],
    ['GET /rpc/users.list'],
    ['HEAD /rpc/users.list'],
    ['POST /rpc/users.list'],
    ['POST /rpc/users.list', form('limit=2&types=public_channel%2Cim')],
    ['POST /rpc/users.list', form('')],
  ])('allows %s', (...[line, given]) => {
    expect(isAllowed(READ, line, given)).toBe(true);
  });

  it.each<[line: string, given?: Line]>([
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'MKCOL'].map((method): [string] => [`${method} /a`]),
    ['POST /crm/v3/objects/contacts/search/'],
    ['POST /CRM/v3/objects/contacts/search'],
    ['PUT /crm/v3/objects/contacts/search'],
    ['POST /crm/v3/objects/contacts/search', { hasBody: true }],
    [
      'POST /crm/v3/objects/contacts/search',
      { hasBody: true, headers: ['Content-Type', 'application/x-www-form-urlencoded'] },
    ],
    [
      'POST /crm/v3/objects/contacts/search',
      { hasBody: true, headers: ['content-type', 'multipart/form-data; boundary=b'] },
    ],
    [
      'POST /crm/v3/objects/contacts/search',
      { hasBody: true, headers: [...JSON_TYPE, 'content-type', 'application/x-www-form-urlencoded'] },
    ],
    ['GET /legacy/delete'],
    ['GET /Legacy//delete/'],
    ['GET /legacy/delete.json'],
    ['GET /legacy;x=1/delete'],
    ['GET /legacy%2Fdelete'],
    ['GET /%6Cegacy/dele%74e'],
    ['GET /bin'],
    ['GET /bin/empty/all'],
    ['HEAD /bin/empty'],
    ['GET /composite'],
    ['GET /composite/'],
    ['GET /api/chat.delete'],
    ['GET /API/chat.Delete/'],
    ['GET /rpc/chat.postMessage'],
    ['GET /rpc/users.list/'],
    ['GET /rpc/Users.List'],
    ['POST /properties/:runReport'],
    ['POST /properties/17:runReports'],
    ['POST /properties/17/18:runReport'],
    ['POST /properties/17:runReport/x'],
    ...['_method=DELETE', 'a=1&_Method=x', 'a=1;%5fmethod=PUT', '_method[]=PUT', 'x+=1&_httpMethod=a'].map(
      (text): [string, Line] => ['POST /rpc/users.list', form(text)],
    ),
    ['POST /rpc/users.list', { ...form('a=1'), body: undefined }],
    ['POST /rpc/users.list', { ...form('a=1'), body: 'too_long' }],
    ['POST /rpc/users.list', form('a=1', ['Content-Encoding', 'gzip'])],
    ['POST /rpc/users.list', form('a=1', ['Content-Type', 'text/plain'])],
    ['POST /rpc/users.list', form('a=1', [], '; charset=utf-16')],
    ['POST /rpc/users.list', form('a=1', [], ', text/plain')],
  ])('refuses %s %j', (...[line, given]) => {
    expect(isAllowed(READ, line, given)).toBe(false);
  });

  it('is judged by methods alone where the provider file says nothing', () => {
    expect(isAllowed(READ, 'GET /legacy/delete', { facts: undefined })).toBe(true);
    expect(isAllowed(READ, 'POST /crm/v3/objects/contacts/search', { facts: undefined })).toBe(false);
  });
});

describe('a batch', () => {
  it('is allowed by an entry alone that names its path in full', () => {
    const paths = ['/crm/v3/objects/contacts/batch/update'];
    expect(isAllowed([{ paths }], `POST ${paths[0]}`)).toBe(true);
    expect(isAllowed([{}], `POST ${paths[0]}`)).toBe(false);
    expect(isAllowed([{ paths: ['/crm/**'] }], `POST ${paths[0]}`)).toBe(false);
    expect(isAllowed([{ paths: ['/crm/v3/objects/*/batch/update'] }], `POST ${paths[0]}`)).toBe(false);
  });
});

it.each([
  ['MOVE', 'Destination'],
  ['PUT', 'x-amz-copy-source'],
  ['PUT', 'X-Ms-Rename-Source'],
  ['PUT', 'x_goog_copy_source'],
])('a %s whose field %s names another path needs an entry for all paths', (method, name) => {
  const given = { headers: ['Accept', '*/*', name, '/bucket/others/key'] };
  const paths = ['/bucket/own/**'];
  expect(isAllowed([{ paths }], `${method} /bucket/own/key`, given)).toBe(false);
  expect(isAllowed([{ paths }, {}], `${method} /bucket/own/key`, given)).toBe(true);
  expect(isAllowed([{ paths }], 'GET /bucket/own/key', given)).toBe(true);
  expect(isAllowed([{ paths }], `${method} /bucket/own/key`, { headers: ['Event-Source', 'x'] })).toBe(true);
});

describe('what names another method', () => {
  it('is what the provider file says as well, in any spelling', () => {
    const facts = { overrides: ['method', 'batch'] };
    for (const query of ['method=delete', 'a=1&Method=post', '%6Dethod=delete', 'batch=[]'])
      expect(isAllowed([{}], `GET /me?${query}`, { facts })).toBe(false);
    expect(isAllowed([{}], 'GET /me?methods=delete&a=method', { facts })).toBe(true);
    expect(isAllowed([{}], 'GET /me?method=delete')).toBe(true);
    const inForm = { ...form('a=1&%6dethod=delete'), facts: { ...facts, reads: ['/me'] } };
    expect(isAllowed([{ access: 'read' }], 'POST /me', inForm)).toBe(false);
    expect(isAllowed([{ methods: ['POST'] }], 'POST /me', inForm)).toBe(false);
    expect(isAllowed([{ methods: ['POST'] }], 'POST /me', { ...form('a=method'), facts })).toBe(true);
  });

  describe('of a provider whose own parameters do so', () => {
    const facts = { overrides: ['method', 'batch'] };
    const post = (type: string, text: string): Line => ({
      hasBody: true,
      headers: ['Content-Type', type],
      body: Buffer.from(text),
      facts,
    });
    const part = (disposition: string) =>
      post(
        'multipart/form-data; boundary=x',
        `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\ndelete\r\n--x--\r\n`,
      );
    const ENTRIES = [{ methods: ['POST'] }, { paths: ['/me/*'] }];

    it.each<[given: Line]>([
      [part('name="method"')],
      [part('name=Method')],
      [part('NAME = "method"; filename="a"')],
      [part('name="batch[0]"')],
      [part('name="me\\thod"')],
      [part('name="%6dethod"')],
      [part('name="=?utf-8?Q?method?="')],
      [part("name*=utf-8''method")],
      [part('name*0="me"; name*1="thod"')],
      [post('application/json', '{"method":"delete"}')],
      [post('application/json; charset=utf-8', '{"a":1,"\\u006dethod":"delete"}')],
      [post('application/vnd.api+json', '{"Batch":[]}')],
      [post('application/json', '{"method":"delete",}')],
      [{ ...post('application/json', '{}'), body: 'too_long' }],
    ])('is refused in the body %j, where an entry has methods or paths', (given) => {
      for (const entry of ENTRIES) expect(isAllowed([entry], 'POST /me/feed', given)).toBe(false);
      expect(isAllowed([{}], 'POST /me/feed', given)).toBe(true);
    });

    it.each<[given: Line]>([
      [part('name="message"; filename="method"')],
      [part('name="methods"')],
      [post('application/json', '{"payment":{"method":"card"}}')],
      [post('application/json', '["method"]')],
      [post('image/png', 'name="method"')],
    ])('is not seen in the body %j', (given) => {
      for (const entry of ENTRIES) expect(isAllowed([entry], 'POST /me/feed', given)).toBe(true);
    });
  });

  it.each([
    'X-HTTP-Method-Override',
    'X-HTTP-Method',
    'X-Method-Override',
    'X-HTTP-MethodOverride',
    'X-METHODOVERRIDE',
    'x_http_method_override',
    'HTTP-Method-Override',
    'X-Original-Method',
    'Method',
    'X.HTTP.Method.Override',
    'X~Method-Override',
  ])('in the header field %s is refused under any mandate', (name) => {
    expect(isAllowed([{}], 'GET /a', { headers: ['Accept', '*/*', name, 'DELETE'] })).toBe(false);
  });

  it.each([
    '_method=DELETE',
    '_HttpMethod=PATCH',
    'a=1&_METHOD=put',
    '%5Fmethod=DELETE',
    '_%6Dethod=x',
    '_method[]=DELETE',
    'a=1;_method=DELETE',
    'X-HTTP-Method-Override=DELETE',
    'X-HTTP-MethodOverride=DELETE',
    // As PHP reads names.
    '.method=DELETE',
    '+%2Emethod=DELETE',
    '.method[a]=DELETE',
    'http.method+override=DELETE',
    'http[method_override=DELETE',
    '_method%00x=DELETE',
  ])('in the query ?%s is refused under any mandate', (query) => {
    expect(isAllowed([{}], `POST /a?${query}`)).toBe(false);
  });

  it.each(['', ' ', ';', 'json', '/json', 'text/', 'application/x-www-form-urlencoded'])(
    'may stand in a body of the type %j, which servers may take for a form',
    (type) => {
      const post = (text: string) => ({
        hasBody: true,
        headers: ['Content-Type', type],
        body: Buffer.from(text),
      });
      for (const text of ['_method=DELETE', 'a=1&.method=DELETE', 'a=1&%5fmethod%00=PUT'])
        expect(isAllowed([{ methods: ['POST'] }], 'POST /a', post(text))).toBe(false);
      expect(isAllowed([{ methods: ['POST'] }], 'POST /a', post('a=1&method=card'))).toBe(true);
      const search = 'POST /crm/v3/objects/contacts/search';
      expect(isAllowed([{ access: 'read' }], search, post('_method=DELETE'))).toBe(false);
    },
  );

  it.each([
    ['.method', false],
    ['http.method.override', false],
    ['_method', false],
    ['payment.method', true],
    ['method', true],
  ])('in a part of a form that is named %s is allowed: %p', (name, isFree) => {
    const body = `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nDELETE\r\n--x--\r\n`;
    const headers = ['Content-Type', 'multipart/form-data; boundary=x'];
    const given = { hasBody: true, headers, body: Buffer.from(body) };
    expect(isAllowed([{ methods: ['POST'] }], 'POST /a', given)).toBe(isFree);
  });

  it('is no field or parameter that merely speaks of methods', () => {
    const headers = [
      'Payment-Method',
      'card',
      'Access-Control-Request-Method',
      'GET',
      'X-Methodology',
      'x',
      'Mcp-Method',
      'ping',
    ];
    expect(isAllowed([{}], 'GET /a?method=chat.postMessage&payment_method=card', { headers })).toBe(true);
  });
});
