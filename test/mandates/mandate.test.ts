import { CONNECTION, decide, form, isAllowed, type Line } from './deciding.ts';

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
