import { findPresentRecord } from '../../src/catalog/facts/present-record.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

function find(provider: string, method: string, path: string, host: string | null = null) {
  const entry = builtInCatalog.find(provider);
  if (entry === undefined) throw new Error(`no ${provider}`);
  return findPresentRecord(entry, { method, host, path });
}

it.each([
  ['hubspot', 'PATCH', '/crm/v3/objects/contacts/151'],
  ['salesforce', 'DELETE', '/services/data/v66.0/sobjects/Account/0015e00000AbCdEAAV'],
  ['github', 'PATCH', '/repos/acme/site/issues/7'],
  ['notion', 'PATCH', '/v1/pages/598337872cf94fdf8782e53db20768a5'],
  ['stripe', 'POST', '/v1/customers/cus_123'],
  ['zendesk', 'PUT', '/api/v2/tickets/35436.json'],
  ['jira', 'PUT', '/rest/api/3/issue/PROJ-1'],
  ['asana', 'PUT', '/api/1.0/tasks/1'],
  ['pipedrive', 'PATCH', '/v2/deals/1'],
  ['airtable', 'PATCH', '/v0/app1/Leads/rec1'],
  ['intercom', 'PUT', '/contacts/1'],
  ['google-calendar', 'PATCH', '/calendar/v3/calendars/primary/events/1'],
  ['mailchimp', 'PATCH', '/3.0/lists/1/members/2'],
  ['outlook', 'PATCH', '/v1.0/me/events/1'],
])('%s shows by a GET what %s %s changes', (provider, method, path) => {
  expect(find(provider, method, path)).toBeDefined();
});

it.each([
  ['a request that makes a record', 'hubspot', 'POST', '/crm/v3/objects/contacts', null],
  ['another method', 'github', 'PUT', '/repos/acme/site/issues/7', null],
  ['another path', 'hubspot', 'PATCH', '/crm/v3/objects/contacts/1/associations', null],
  ['a provider whose file tells none', 'slack', 'POST', '/chat.postMessage', null],
])('%s has no record to be shown', (_, provider, method, path, host) => {
  expect(find(provider, method, path, host)).toBeUndefined();
});

it('a path that is said of one host counts at that host alone', () => {
  const records = [{ paths: ['~files/things/*'], methods: ['PUT' as const] }];
  const call = { method: 'PUT', path: '/things/1' };
  expect(findPresentRecord({ records }, { ...call, host: 'files' })).toBeDefined();
  expect(findPresentRecord({ records }, { ...call, host: null })).toBeUndefined();
});
