import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findAccessKind, readAccessFacts } from '../../src/catalog/facts/access-facts.ts';
import { listSources } from '../../src/catalog/facts/evidence.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { MOST_WANTED } from './most-wanted.ts';

const FOLDER = join(import.meta.dirname, '../../src/catalog/providers');

function entryOf(id: string) {
  const entry = builtInCatalog.find(id);
  if (entry === undefined) throw new Error(`no ${id}`);
  return entry;
}

/** `provider~host METHOD /path?query`, with a JSON body where the method has one. */
function decide(line: string, entry: object): boolean {
  const [target = '', method = '', url = ''] = line.split(' ');
  const [provider = '', host] = target.split('~');
  const [rawPath = '', query] = url.split('?');
  const parsed = mandateEntriesSchema.parse([{ type: 'gateway_access', provider, access: 'read', ...entry }]);
  return compileMandate(parsed).decide({
    provider,
    connectionId: '0192f0c8-0000-7000-8000-000000000002',
    host,
    method,
    rawPath,
    rawQuery: query === undefined ? '' : `?${query}`,
    rawHeaders: method === 'GET' ? [] : ['Content-Type', 'application/json'],
    hasBody: method !== 'GET',
    body: Buffer.from('{}'),
    facts: readAccessFacts(entryOf(provider))?.(host),
  }).isAllowed;
}

const SPREADSHEET = '1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms';

describe('a token that may only read', () => {
  it.each([
    // docs.slack.dev/reference/methods
    'slack GET /conversations.history?channel=C1',
    'slack GET /users.list',
    'slack GET /admin.teams.owners.list?team_id=T1',
    'slack~files GET /files-pri/T1-F1/download/notes.txt',
    // core.telegram.org/bots/api
    'telegram GET /getMe',
    'telegram~file GET /photos/file_0.jpg',
    // @notionhq/client, api-endpoints
    'notion POST /v1/search',
    'notion POST /v1/data_sources/17/query',
    'notion GET /v1/pages/17',
    // HubSpot’s OpenAPI documents
    'hubspot POST /crm/v3/objects/contacts/search',
    'hubspot POST /crm/objects/2026-03/companies/batch/read',
    'hubspot~eu POST /crm/v3/lists/search',
    // Salesforce: a query is a GET
    'salesforce GET /services/data/v66.0/query?q=SELECT+Id+FROM+Account',
    // Google’s discovery documents
    'google-calendar POST /calendar/v3/freeBusy',
    `google-sheets POST /v4/spreadsheets/${SPREADSHEET}:getByDataFilter`,
    `google~sheets POST /v4/spreadsheets/${SPREADSHEET}/values:batchGetByDataFilter`,
    'google-analytics~reports POST /v1beta/properties/17:runReport',
    'google-search-console POST /webmasters/v3/sites/https%3A%2F%2Facme.example%2F/searchAnalytics/query',
    'google-ads POST /v21/customers/17/googleAds:searchStream',
    'google-drive~activity POST /v2/activity:query',
    // Microsoft Graph’s metadata: actions that return and change nothing
    'outlook POST /v1.0/me/calendar/getSchedule',
    'microsoft-teams POST /v1.0/search/query',
    'microsoft-entra-id POST /v1.0/users/17/getMemberGroups',
    'azure-devops POST /acme/_apis/wit/wiql?api-version=7.1',
    // Jira’s OpenAPI document
    'jira POST /rest/api/3/search/jql',
    'jira POST /rest/api/2/search',
    'zendesk POST /api/v2/views/preview.json',
    'intercom POST /contacts/search',
    'plaid POST /transactions/sync',
    'square POST /v2/orders/search',
    'dropbox POST /2/files/list_folder',
    'dropbox~content POST /2/files/download',
    'box POST /2.0/metadata_queries/execute_read',
    'klaviyo POST /api/metric-aggregates',
    'paypal POST /v2/invoicing/search-invoices',
    'sendgrid POST /v3/marketing/contacts/search',
    'datadog POST /v2/logs/events/search',
    'pagerduty POST /analytics/raw/incidents',
    'amazon-selling-partner POST /products/fees/v0/items/B00/feesEstimate',
    'quickbooks POST /v3/company/17/query',
    'netsuite POST /services/rest/query/v1/suiteql',
    'ashby POST /candidate.list',
    'attio POST /v2/objects/people/records/query',
    'anthropic POST /v1/messages/count_tokens',
    'pinecone POST /query',
    'facebook GET /v25.0/me?fields=id',
    'woocommerce GET /wp-json/wc/v3/orders',
  ])('may %s', (line) => {
    expect(decide(line, {})).toBe(true);
  });

  it.each([
    'slack GET /chat.postMessage?channel=C1&text=Hello',
    'slack GET /auth.revoke',
    'slack GET /apps.uninstall',
    'slack GET /views.open',
    'slack GET /Chat.Delete',
    'slack GET /a.method.of.tomorrow',
    'slack POST /chat.postMessage',
    'slack~files POST /conversations.history',
    'telegram GET /sendMessage?chat_id=1&text=Hello',
    'telegram GET /getUpdates?offset=7',
    'telegram GET /test/sendMessage',
    'notion POST /v1/pages',
    'notion PATCH /v1/pages/17',
    'hubspot POST /crm/v3/objects/contacts',
    'hubspot POST /crm/v3/objects/contacts/batch/update',
    'salesforce GET /services/data/v66.0/tooling/executeAnonymous/?anonymousBody=delete',
    'salesforce GET /services/apexrest/purge',
    'salesforce POST /services/data/v66.0/composite/batch',
    'salesforce PATCH /services/data/v66.0/sobjects/Account/17',
    'google-calendar POST /calendar/v3/calendars/primary/events/quickAdd',
    'google-calendar POST /batch/calendar/v3',
    `google-sheets POST /v4/spreadsheets/${SPREADSHEET}:batchUpdate`,
    `google~calendar POST /v4/spreadsheets/${SPREADSHEET}:getByDataFilter`,
    'google-bigquery POST /bigquery/v2/projects/acme/queries',
    'google-ads POST /v21/customers/17/googleAds:mutate',
    'outlook POST /v1.0/me/sendMail',
    'outlook POST /v1.0/$batch',
    'jira POST /rest/api/3/issue',
    'zendesk POST /api/v2/tickets',
    'plaid POST /item/remove',
    'plaid POST /sandbox/public_token/create',
    'square POST /v2/payments',
    'dropbox POST /2/files/delete_v2',
    'dropbox~content POST /2/files/list_folder',
    'openai POST /v1/responses',
    'workos GET /sso/logout',
    'netsuite~restlets GET /app/site/hosting/restlet.nl?script=1&deploy=1',
    'servicenow GET /incident.do?JSONv2&sysparm_action=deleteRecord',
    'facebook GET /v25.0/17?method=delete',
    'meta-ads GET /v25.0/me?batch=[]',
    'woocommerce GET /wp-admin/admin-ajax.php?action=empty',
    'woocommerce GET /?add-to-cart=17',
    // WordPress: class WP takes a query variable before the path, WP_REST_Server its method from another
    'woocommerce GET /wp-json/wc/v3/products?rest_route=/wc/v3/customers',
    'woocommerce GET /wp-json/wc/v3/products?rest.route=/wc/v3/customers',
    'woocommerce GET /wp-json/wc/v3/orders/17?.method=DELETE&force=true',
    'figma POST /v1/files/17/comments',
    'bitbucket POST /2.0/repositories/acme/site/src',
  ])('may not %s', (line) => {
    expect(decide(line, {})).toBe(false);
  });
});

describe('a token that may write', () => {
  const write = { access: 'write' };
  it.each([
    ['outlook', '/v1.0/$batch'],
    ['outlook', '/v1.0/%24batch'],
    ['gmail', '/batch'],
    ['google-drive', '/batch/drive/v3'],
    ['salesforce', '/services/data/v66.0/composite/graph'],
    ['dynamics-365-sales', '/v9.2/$batch'],
    ['asana', '/api/1.0/batch'],
    ['mailchimp', '/3.0/batches'],
    ['quickbooks', '/v3/company/17/batch'],
    ['zoho-crm', '/v8/__composite_requests'],
    ['todoist', '/api/v1/sync'],
    ['zendesk', '/api/v2/tickets/update_many.json'],
    ['woocommerce', '/wp-json/wc/v3/products/batch'],
  ])('sends a batch to %s only where it names %s in full', (provider, path) => {
    const line = `${provider} POST ${path}`;
    expect(decide(line, write)).toBe(false);
    expect(decide(line, { ...write, paths: [`${path.slice(0, path.lastIndexOf('/'))}/**`] })).toBe(false);
    expect(decide(line, { ...write, paths: [path] })).toBe(true);
  });
});

describe('GraphQL documents', () => {
  it.each([
    ['github', undefined, '/graphql'],
    ['gitlab', undefined, '/api/graphql'],
    ['shopify', undefined, '/admin/api/*/graphql.json'],
    ['linear', undefined, '/graphql'],
    ['monday', undefined, '/v2'],
    ['salesforce', undefined, '/services/data/*/graphql'],
    ['braintree', 'graphql', '/graphql'],
    ['jobber', undefined, '/graphql'],
    ['wave', undefined, '/graphql/public'],
  ])('go to %s (%s) at %s', (provider, host, path) => {
    expect(readAccessFacts(entryOf(provider))?.(host)?.graphql).toContain(path);
  });

  it('are not expected at other hosts of the entry', () => {
    expect(readAccessFacts(entryOf('github'))?.('uploads')?.graphql).toBeUndefined();
    expect(readAccessFacts(entryOf('braintree'))?.(undefined)?.graphql).toBeUndefined();
  });
});

describe('the built-in files', () => {
  const files = readdirSync(FOLDER).map((name) =>
    providerFileSchema.parse(parse(readFileSync(join(FOLDER, name), 'utf8'))),
  );

  it('name a source for what they say of requests, and nothing else has one', () => {
    const described = files.filter((file) => findAccessKind(file) === 'described').map(({ id }) => id);
    const sourced = files.filter((file) => listSources(file).some(({ says }) => says.includes('access')));
    expect(sourced.map(({ id }) => id)).toEqual(described);
  });

  it('say it of a hundred and more of the products that people connect most', () => {
    const described = MOST_WANTED.filter((id) => findAccessKind(entryOf(id)) === 'described');
    expect(described.length).toBeGreaterThanOrEqual(110);
  });

  it('list nothing both as a read and as a batch, and no path twice', () => {
    const lists = files.flatMap(({ id, reads = [], writes = [], batch = [], graphql = [] }) => [
      [...reads, ...batch, ...graphql].map((path) => `${id} ${path}`),
      writes.map((path) => `${id} writes ${path}`),
    ]);
    const paths = lists.flat();
    expect(paths).toEqual([...new Set(paths)]);
  });
});
