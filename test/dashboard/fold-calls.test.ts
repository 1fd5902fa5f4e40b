import { mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';
import {
  buildEntries,
  type FoldedCall,
  foldCalls,
  foldPath,
} from '../../src/web/dashboard/src/pages/mandates/fold-calls.ts';

const LONG = `/${'a'.repeat(300)}…`;

it.each([
  // Ids of many makes become an asterisk.
  ['/crm/v3/objects/contacts/151', '/crm/v3/objects/contacts/*'],
  ['/v1/pages/59833787-2cf9-4fdf-8782-e53db20768a5', '/v1/pages/*'],
  ['/v1/pages/598337872cf94fdf8782e53db20768a5', '/v1/pages/*'],
  ['/v1/customers/cus_NffrFeUfNV2Hib', '/v1/customers/*'],
  ['/services/data/v59.0/sobjects/Account/0015e00000AbCdEAAV', '/services/data/v59.0/sobjects/Account/*'],
  ['/v0/appZ7aB2c3D4e5F6g/Leads/recA1b2C3d4E5f6G7', '/v0/*/Leads/*'],
  ['/rest/api/3/issue/PROJ-123/comment', '/rest/api/3/issue/*/comment'],
  ['/users/ada%40example.com/messages', '/users/*/messages'],
  ['/calendars/ada@example.com/events', '/calendars/*/events'],
  ['/conversations/C024BE91L', '/conversations/*'],
  ['/admin/api/2024-10/products/632910392.json', '/admin/api/2024-10/products/*'],
  ['/reports/2024-10-31', '/reports/*'],
  ['/repos/acme/site/issues/7/comments/12', '/repos/acme/site/issues/*/comments/*'],
  // What the log has cut was no name.
  ['/files/eyJhbGci…/content', '/files/*/content'],
  ['/things;…', '/*'],
  // Names, versions and what people write stay.
  ['', '/'],
  ['/', '/'],
  ['/2/files/list_folder', '/2/files/list_folder'],
  ['/3.0/lists', '/3.0/lists'],
  ['/v1beta2/accounts', '/v1beta2/accounts'],
  ['/oauth2/tokens', '/oauth2/tokens'],
  ['/v1.0/me/drive/root', '/v1.0/me/drive/root'],
  ['/reports/level10_totals', '/reports/level10_totals'],
  ['/api/chat.postMessage', '/api/chat.postMessage'],
  ['/wp/v2/posts/', '/wp/v2/posts/'],
  ['/users/%E0%A4/x', '/users/%E0%A4/x'],
  // A mandate cannot name these.
  ['/…', undefined],
  [LONG, undefined],
  ['/files/*', undefined],
  ['relative', undefined],
])('the path %s is folded to %s', (path, pattern) => {
  expect(foldPath(path)).toBe(pattern);
});

const call = (method: string, path: string, provider = 'hubspot') => ({ provider, method, path });
const isReading = ({ method, pattern }: FoldedCall) => method === 'GET' || pattern.endsWith('/search');

/** Whether the mandate lets the call pass, as the proxy judges it. */
function allows(
  entries: ReturnType<typeof buildEntries>,
  { provider, method, path }: ReturnType<typeof call>,
) {
  const mandate = compileMandate(mandateEntriesSchema.parse(entries));
  return mandate.decide({
    ...{ provider, method, rawPath: path, rawQuery: '', rawHeaders: [], hasBody: false },
    ...{ connectionId: '', host: undefined, facts: { reads: ['/crm/v3/objects/*/search'] } },
  }).isAllowed;
}

describe('calls of the log', () => {
  const calls = [
    call('GET', '/crm/v3/objects/contacts/1'),
    call('GET', '/crm/v3/objects/contacts/22'),
    call('PATCH', '/crm/v3/objects/contacts/22'),
    call('POST', '/crm/v3/objects/contacts/search'),
    call('GET', '/user', 'github'),
  ];
  const { folded, leftOut } = foldCalls([...calls, call('PROPFIND', '/x'), call('GET', '/…')]);
  const entries = buildEntries(folded, isReading);

  it('that differ in ids alone are one, counted, with one of their own paths', () => {
    expect(folded.map(({ method, pattern, calls: count }) => [method, pattern, count])).toEqual([
      ['GET', '/user', 1],
      ['GET', '/crm/v3/objects/contacts/*', 2],
      ['PATCH', '/crm/v3/objects/contacts/*', 1],
      ['POST', '/crm/v3/objects/contacts/search', 1],
    ]);
    expect(folded[1]?.example).toBe('/crm/v3/objects/contacts/1');
    expect(leftOut).toBe(2);
  });

  it('make a mandate of an entry for each provider, access and set of methods', () => {
    expect(entries).toEqual([
      entry('github', 'read', ['GET'], ['/user']),
      entry('hubspot', 'read', ['GET'], ['/crm/v3/objects/contacts/*']),
      entry('hubspot', 'read', ['POST'], ['/crm/v3/objects/contacts/search']),
      entry('hubspot', 'write', ['PATCH'], ['/crm/v3/objects/contacts/*']),
    ]);
  });

  it.each(calls)('pass under the mandate that is made of them: $method $path', (made) => {
    expect(allows(entries, made)).toBe(true);
  });

  it.each([
    call('GET', '/crm/v3/objects/companies/1'),
    call('GET', '/crm/v3/objects/contacts/1/associations'),
    call('DELETE', '/crm/v3/objects/contacts/1'),
    call('PATCH', '/crm/v3/objects/contacts/search/1'),
    call('GET', '/crm/v3/objects/contacts/1', 'github'),
  ])('let no other call pass: $method $provider $path', (other) => {
    expect(allows(entries, other)).toBe(false);
  });

  it('are split where an entry holds no more paths, and refused where a mandate holds no more entries', () => {
    const many = (count: number) =>
      foldCalls(Array.from({ length: count }, (_, index) => call('GET', `/list-${words(index)}`))).folded;
    expect(buildEntries(many(100), isReading)?.map(({ paths }) => paths?.length)).toEqual([64, 36]);
    expect(buildEntries(many(2_000), isReading)).toBeUndefined();
  });
});

function entry(provider: string, access: 'read' | 'write', methods: string[], paths: string[]) {
  return { type: 'gateway_access', provider, access, methods, paths, approval: 'none' };
}

/** Letters for a number, so that it is no id. */
function words(index: number): string {
  return [...String(index)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
}
