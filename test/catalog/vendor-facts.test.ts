import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { findCredentialPlacement } from '../../src/catalog/facts/credential-placement.ts';
import { resolveUrl } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { withGrant } from '../../src/catalog/schema/provider-auth-methods.ts';
import { placeCredential } from '../../src/lib/credential-placement.ts';
import { createJwtPerCallSigner } from '../../src/request-signing/jwt-per-call.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';

/** What a vendor's documents or its own client say of a call: where it goes, and what shows who is calling. */
type Call = {
  readonly of: string;
  readonly grant?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly goesTo: string;
  readonly credential: string;
};

const CREDENTIAL = { accessToken: 'TOKEN', apiKey: 'KEY', username: 'USER', password: 'PASSWORD' };

function findEntry({ of: id, grant = '' }: Pick<Call, 'of' | 'grant'>): Provider {
  const entry = builtInCatalog.find(id);
  const found = entry && (grant === '' ? entry : withGrant(entry, grant));
  if (found === undefined) throw new Error(`no ${id} ${grant}`);
  return found;
}

function showCredential(provider: Provider, variables: Readonly<Record<string, string>>): string {
  const placed = placeCredential(findCredentialPlacement(provider), { ...variables, ...CREDENTIAL });
  if (placed === undefined) return 'nothing';
  if (placed.in === 'path') return placed.basePath;
  return placed.in === 'signature' ? 'signature' : `${placed.name}: ${placed.value}`;
}

const basic = (pair: string) => `Authorization: Basic ${Buffer.from(pair).toString('base64')}`;

const CALLS: readonly Call[] = [
  // docs.checkr.com/partners; a partner’s own example calls with the token as user name
  { of: 'checkr-partner', goesTo: 'https://api.checkr.com', credential: basic('TOKEN:') },
  // developers.klicktipp.com/guides/management-api-authentication
  { of: 'klicktipp', goesTo: 'https://api.klicktipp.com', credential: 'Cookie: TOKEN' },
  // TikTok API for Business, TikTok Accounts
  {
    of: 'tiktok-accounts',
    goesTo: 'https://business-api.tiktok.com/open_api/v1.3',
    credential: 'Access-Token: TOKEN',
  },
  // experienceleague.adobe.com, OAuth2 with the code flow
  {
    of: 'adobe-workfront',
    with: { workfrontHost: 'acme.my.workfront.com' },
    goesTo: 'https://acme.my.workfront.com/attask/api',
    credential: 'sessionID: TOKEN',
  },
  // support.absorblms.com, 222482188: the service gateway
  {
    of: 'absorb-lms',
    with: { apiHost: 'rest.myabsorb.eu' },
    goesTo: 'https://rest.myabsorb.eu',
    credential: 'Authorization: Bearer TOKEN',
  },
  // COROS API reference 4.2
  { of: 'coros', goesTo: 'https://open.coros.com', credential: 'token: TOKEN' },
  // gerrit-review.googlesource.com/Documentation/rest-api.html#authentication
  {
    of: 'gerrit',
    with: { host: 'gerrit.acme.example' },
    goesTo: 'https://gerrit.acme.example/a',
    credential: basic('USER:PASSWORD'),
  },
  // apidocs.healthgorilla.com, prerequisites
  {
    of: 'health-gorilla',
    goesTo: 'https://api.healthgorilla.com/fhir/R4',
    credential: 'Authorization: Bearer TOKEN',
  },
  // developer.kustomer.com
  {
    of: 'kustomer',
    with: { extension: 'api.prod2' },
    goesTo: 'https://api.prod2.kustomerapp.com',
    credential: 'Authorization: Bearer KEY',
  },
  {
    of: 'kustomer',
    with: { extension: 'acme.api' },
    goesTo: 'https://acme.api.kustomerapp.com',
    credential: 'Authorization: Bearer KEY',
  },
  // docs.teamtailor.com
  {
    of: 'teamtailor',
    with: { extension: 'api.na' },
    goesTo: 'https://api.na.teamtailor.com',
    credential: 'Authorization: Token token=KEY',
  },
  // support.kandji.io, Kandji API
  {
    of: 'kandji',
    with: { subdomain: 'acme', domain: 'eu.kandji.io' },
    goesTo: 'https://acme.api.eu.kandji.io',
    credential: 'Authorization: Bearer KEY',
  },
  // juniper.net, Mist API endpoints
  {
    of: 'mist',
    with: { subdomain: 'api.gc2' },
    goesTo: 'https://api.gc2.mist.com',
    credential: 'Authorization: Token KEY',
  },
  // api-docs.chorus.ai
  { of: 'chorus', goesTo: 'https://chorus.ai', credential: 'Authorization: KEY' },
  // docs.luma.com
  { of: 'luma', goesTo: 'https://public-api.luma.com', credential: 'x-luma-api-key: KEY' },
  // cloudinary.com/documentation/admin_api
  {
    of: 'cloudinary',
    with: { apiHost: 'api-eu.cloudinary.com', cloudName: 'demo' },
    goesTo: 'https://api-eu.cloudinary.com/v1_1/demo',
    credential: basic('USER:PASSWORD'),
  },
  // docs.pinecone.io, data plane
  {
    of: 'pinecone',
    grant: 'index',
    with: { indexHost: 'docs-a1b2c3d.svc.aped-4627-b74a.pinecone.io' },
    goesTo: 'https://docs-a1b2c3d.svc.aped-4627-b74a.pinecone.io',
    credential: 'Api-Key: KEY',
  },
  // sanity.io/docs/http-reference
  {
    of: 'sanity-api',
    with: { projectId: '3do82whm' },
    goesTo: 'https://3do82whm.api.sanity.io',
    credential: 'Authorization: Bearer KEY',
  },
  // docs.snyk.io, authentication for API
  { of: 'snyk', grant: 'api-token', goesTo: 'https://api.snyk.io', credential: 'Authorization: token KEY' },
  // launchdarkly.com/docs/api, authentication
  {
    of: 'launchdarkly',
    grant: 'access-token',
    goesTo: 'https://app.launchdarkly.com/api/v2',
    credential: 'Authorization: KEY',
  },
  // planetscale.com/docs/api, service tokens
  {
    of: 'planetscale',
    grant: 'service-token',
    with: { tokenId: 'id' },
    goesTo: 'https://api.planetscale.com/v1',
    credential: 'Authorization: id:KEY',
  },
  // developers.thinkific.com, API key
  {
    of: 'thinkific',
    grant: 'api-key',
    goesTo: 'https://api.thinkific.com/api/public/v1',
    credential: 'X-Auth-API-Key: KEY',
  },
  // confluence.atlassian.com, personal access tokens
  {
    of: 'jira-data-center',
    grant: 'personal-access-token',
    with: { endpointURL: 'jira.acme.example' },
    goesTo: 'https://jira.acme.example/rest/api/latest',
    credential: 'Authorization: Bearer KEY',
  },
  // help.sap.com, Identity Provisioning: SAP Ariba applications, hosts of the data centers
  { of: 'sap-ariba', goesTo: 'https://openapi.ariba.com', credential: 'Authorization: Bearer TOKEN' },
  {
    of: 'sap-ariba',
    grant: 'europe',
    goesTo: 'https://eu.openapi.ariba.com',
    credential: 'Authorization: Bearer TOKEN',
  },
  {
    of: 'sap-ariba',
    grant: 'middle-east',
    with: { dataCenter: 'mn1' },
    goesTo: 'https://mn1.openapi.ariba.com',
    credential: 'Authorization: Bearer TOKEN',
  },
  // api.nyne.ai/documentation: the secret goes beside the key
  { of: 'nyne-ai', goesTo: 'https://api.nyne.ai', credential: 'X-API-Key: KEY' },
];

it.each(CALLS.map((call) => [[call.of, call.grant, call.goesTo].join(' '), call] as const))(
  'calls as the vendor documents them: %s',
  (_name, call) => {
    const provider = findEntry(call);
    const resolved = resolveUrl(provider.apiBaseUrl, provider, call.with ?? {});
    expect(resolved.ok && resolved.url.replace(/\/$/, '')).toBe(call.goesTo);
    expect(showCredential(provider, call.with ?? {})).toBe(call.credential);
  },
);

/** What no API has: words of a web application, of a test server or of another product in the place of the host. */
it.each([
  ['kustomer', { extension: 'acme' }],
  ['kandji', { subdomain: 'acme', domain: 'acme.example' }],
  ['unipile', { subdomain: 'acme', port: '13113' }],
  // GravityZone shows its access URL with /api, which the paths of calls begin with here.
  ['bitdefender', { ACCESS_URL: 'https://cloud.gravityzone.bitdefender.com/api' }],
  ['autotask', { subdomain: 'acme' }],
  ['vertex-ai', { region: 'acme' }],
  ['quentn', { subdomain: 'acme' }],
  ['make', { environmentUrl: 'acme.example' }],
  ['oracle-cloud-identity', { serviceInstance: 'acme' }],
])('%s refuses what is no address of its API', (of, values) => {
  const provider = findEntry({ of });
  expect(resolveUrl(provider.apiBaseUrl, provider, values)).toMatchObject({ ok: false });
});

/** docs.snowflake.com, authenticating with key-pair: names in capitals, and the digest that DESCRIBE USER shows. */
it('Snowflake knows a key pair by account, user and the digest of the public key', async () => {
  const provider = findEntry({ of: 'snowflake', grant: 'key-pair' });
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const signer = provider.jwtPerCall && createJwtPerCallSigner(provider.jwtPerCall, provider, {});
  const signed = signer?.sign({
    method: 'POST',
    origin: 'https://myorg-myaccount.snowflakecomputing.com',
    host: 'myorg-myaccount.snowflakecomputing.com',
    hostName: undefined,
    target: '/api/v2/statements',
    fields: [],
    body: undefined,
    nowMs: Date.now(),
    values: { account: 'MYORG-MYACCOUNT', user: 'MYSERVICE', privateKey, domain: 'snowflakecomputing.com' },
  });
  const token = signed?.fields.at(-1)?.replace('Bearer ', '') ?? '';
  const key = createPublicKey({ key: publicKey, type: 'spki', format: 'der' });
  const { payload } = await jwtVerify(token, key, { algorithms: ['RS256'] });
  const digest = createHash('sha256').update(publicKey).digest('base64');
  expect(payload).toMatchObject({
    iss: `MYORG-MYACCOUNT.MYSERVICE.SHA256:${digest}`,
    sub: 'MYORG-MYACCOUNT.MYSERVICE',
  });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBeLessThanOrEqual(3_600);
  expect(provider.apiHeaders).toMatchObject({ 'X-Snowflake-Authorization-Token-Type': 'KEYPAIR_JWT' });
});

/** help.salesforce.com, JWT bearer flow: the audience of sandboxes. */
it('Salesforce takes assertions for sandboxes that name their sign-in server', () => {
  const { jwt, tokenUrl } = findEntry({ of: 'salesforce-sandbox', grant: 'jwt-bearer-flow' });
  expect([jwt?.claims.aud, tokenUrl]).toEqual([
    'https://test.salesforce.com',
    'https://test.salesforce.com/services/oauth2/token',
  ]);
});

/** developer.okta.com, OAuth for a service app: its own API takes a signed assertion, and no client secret. */
it('Okta’s service app proves itself by a key', () => {
  const { clientAssertion, tokenUrl, auth } = findEntry({ of: 'okta', grant: 'service-app' });
  expect([auth, tokenUrl]).toEqual([
    'oauth2-client-credentials',
    'https://{subdomain}.okta.com/oauth2/v1/token',
  ]);
  expect(clientAssertion).toMatchObject({
    as: 'client_assertion',
    issuer: '{clientId}',
    subject: '{clientId}',
    audience: '{tokenUrl}',
  });
});
