import { form, isAllowed, type Line } from './deciding.ts';

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
