import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { withGrant } from '../../src/catalog/schema/provider-auth-methods.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

const catalog = builtInCatalog;

type Address = (provider: Provider) => string | undefined;
const base: Address = ({ apiBaseUrl }) => apiBaseUrl;
const signIn: Address = ({ authorizationUrl }) => authorizationUrl;
const host =
  (name: string): Address =>
  ({ hosts }) =>
    hosts[name]?.url;

function reachedBy(id: string, grant: string | null, address: Address, values: Record<string, string>) {
  const entry = catalog.find(id);
  const provider = entry && withGrant(entry, grant);
  const template = provider && address(provider);
  if (provider === undefined || template === undefined) return undefined;
  const resolved = resolveUrl(template, provider, values);
  return resolved.ok ? resolved.url : resolved.message;
}

it.each<[id: string, Record<string, string>, Address, string]>([
  ['salesforce', {}, signIn, 'https://login.salesforce.com/services/oauth2/authorize'],
  ['activecampaign', { account: 'acme' }, base, 'https://acme.api-us1.com/api'],
  ['maxio', { subdomain: 'acme' }, base, 'https://acme.chargify.com'],
  ['coupa', { instance: 'acme' }, base, 'https://acme.coupahost.com'],
  ['snowflake', { account: 'acme-eu' }, base, 'https://acme-eu.snowflakecomputing.com'],
  ['clockify', {}, base, 'https://api.clockify.me/api/v1'],
  ['freshsales', { bundleAlias: 'acme' }, base, 'https://acme.myfreshworks.com/crm/sales'],
  ['gitlab', {}, base, 'https://gitlab.com'],
  ['github', {}, base, 'https://api.github.com'],
  ['webflow', {}, base, 'https://api.webflow.com'],
  ['webflow', {}, signIn, 'https://webflow.com/oauth/authorize'],
  ['front', {}, host('company'), 'https://api2.frontapp.com'],
])('%s is reached where it was before it could be elsewhere', (id, values, address, url) => {
  expect(reachedBy(id, null, address, values)).toBe(url);
});

it.each<[id: string, grant: string | null, Record<string, string>, Address, string]>([
  [
    'salesforce',
    'my-domain',
    { myDomain: 'acme--uat.sandbox' },
    signIn,
    'https://acme--uat.sandbox.my.salesforce.com/services/oauth2/authorize',
  ],
  ['salesforce', 'sandbox', {}, signIn, 'https://test.salesforce.com/services/oauth2/authorize'],
  [
    'activecampaign',
    null,
    { account: 'acme', domain: 'activehosted.com' },
    base,
    'https://acme.activehosted.com/api',
  ],
  [
    'maxio',
    null,
    { subdomain: 'acme', domain: 'ebilling.maxio.com' },
    base,
    'https://acme.ebilling.maxio.com',
  ],
  ['coupa', null, { instance: 'acme', domain: 'coupacloud.com' }, base, 'https://acme.coupacloud.com'],
  [
    'snowflake',
    null,
    { account: 'acme', domain: 'snowflakecomputing.cn' },
    base,
    'https://acme.snowflakecomputing.cn',
  ],
  ['clockify', null, { region: 'euc1' }, base, 'https://euc1.clockify.me/api/v1'],
  ['webflow', null, { region: 'eu.webflow.com' }, base, 'https://api.eu.webflow.com'],
  ['webflow', 'site-token', { region: 'eu.webflow.com' }, base, 'https://api.eu.webflow.com'],
  ['front', null, { companyApi: 'acme.api' }, host('company'), 'https://acme.api.frontapp.com'],
  ['freshsales', 'freshsales-domain', { account: 'acme' }, base, 'https://acme.freshsales.io'],
  ['supabase-project', 'custom-domain', { host: 'db.acme.example' }, base, 'https://db.acme.example'],
  [
    'amazon-selling-partner',
    'vendor',
    { marketplace: 'de' },
    signIn,
    'https://vendorcentral.amazon.de/apps/authorize/consent',
  ],
  [
    'amazon-selling-partner',
    null,
    { region: 'eu' },
    host('sandbox'),
    'https://sandbox.sellingpartnerapi-eu.amazon.com',
  ],
  ['gitlab', 'self-managed', { host: 'git.acme.example' }, base, 'https://git.acme.example'],
  ['github', 'enterprise-server', { host: 'git.acme.example' }, base, 'https://git.acme.example/api/v3'],
  ['truelayer', 'sandbox', {}, base, 'https://api.truelayer-sandbox.com'],
  ['orcid', 'member', {}, base, 'https://api.orcid.org'],
  ['telegram', null, {}, host('file'), 'https://api.telegram.org/file'],
  ['toggl', null, {}, host('reports'), 'https://api.track.toggl.com/reports/api/v3'],
  ['personio', null, {}, host('v1'), 'https://api.personio.de/v1'],
  [
    'workday',
    null,
    { host: 'wd2-impl-services1.workday.com' },
    host('services'),
    'https://wd2-impl-services1.workday.com/ccx/service',
  ],
  [
    'adobe-commerce',
    null,
    { storeDomain: 'shop.acme.example' },
    host('graphql'),
    'https://shop.acme.example/graphql',
  ],
  ['braintree', null, {}, host('graphql'), 'https://payments.braintree-api.com'],
  ['azure-devops', null, { organization: 'acme' }, host('releases'), 'https://vsrm.dev.azure.com/acme'],
])('%s (%s) with %j is reached there', (id, grant, values, address, url) => {
  expect(reachedBy(id, grant, address, values)).toBe(url);
});

it.each(['jumpcloud', 'onelogin', 'workos'])(
  '%s, whose sign-in opens no API, says so and has a grant that opens it',
  (id) => {
    const entry = catalog.find(id);
    expect(entry?.status).toBe('sign-in-only');
    expect(entry?.grants.map(({ auth }) => auth)).toContainEqual(
      expect.stringMatching(/^(api-key|oauth2-client-credentials)$/),
    );
  },
);
