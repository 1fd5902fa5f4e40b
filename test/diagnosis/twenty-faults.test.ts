import { createHttpBrowser } from '../examples/http-browser.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../support/authorization-server.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import {
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { findFreePort } from '../support/ports.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { answerWell, type Conduct, faultyProviderFile, startFaultyProviders } from './faulty-providers.ts';

type Finding = {
  code: string;
  severity: string;
  title: string;
  detail: string;
  remedy: string;
  evidence: { label: string; value: string; requestId?: string }[];
};
type Diagnosis = { checkedAt: string | null; findings: Finding[] };

const invalidClient = { status: 401, body: { error: 'invalid_client' } };
const refusesRefresh = (body: object): Conduct => ({
  token: (call) => (call.form.has('refresh_token') ? { status: 400, body } : answerWell(call)),
});

const CONDUCTS: Record<string, Conduct> = {
  well: { token: (call) => answerWell(call) },
  'few-scopes': { token: (call) => answerWell(call, { scope: 'read' }) },
  unverified: {
    token: (call) => answerWell(call),
    authorizationError: {
      error: 'unauthorized_client',
      error_description: 'The app has not completed its verification.',
    },
  },
  regional: { token: (call) => (call.region === 'eu' ? answerWell(call) : invalidClient) },
  tenanted: {
    token: (call) => (call.region === 'acme' ? answerWell(call) : { status: 404, body: {} }),
  },
  'other-time': {
    token: (call) => ({
      ...answerWell(call),
      headers: { date: new Date(Date.now() - 600_000).toUTCString() },
    }),
  },
  'expired-app': {
    token: (call) => answerWell(call),
    authorizationPage: (clientId) => ({
      status: 400,
      text:
        clientId === 'client-1'
          ? '<style>b{}</style><h1>This app has expired or was removed.</h1>'
          : '<h1>No page for this</h1>',
    }),
  },
  'refuses-all': {
    token: (call) => answerWell(call),
    authorizationPage: () => ({ status: 410, text: 'Gone' }),
  },
  walled: { token: () => ({ body: '<!doctype html><title>Log in</title>' }) },
  swapping: {
    token: (call) => {
      const isRight =
        call.form.get('client_id') === 'client-1' &&
        call.form.get('client_secret') === 'secret-of-the-client';
      return isRight ? answerWell(call) : invalidClient;
    },
  },
  'late-tenant': {
    token: (call) =>
      call.form.get('code')?.startsWith('good')
        ? {
            status: 400,
            body: { error: 'invalid_request', error_description: 'Tenant acme does not exist.' },
          }
        : { status: 400, body: { error: 'invalid_grant' } },
  },
  'refuses-refresh': refusesRefresh({ error: 'invalid_grant', error_description: 'unknown refresh token' }),
  revoked: refusesRefresh({
    error: 'invalid_grant',
    error_description: 'Token has been expired or revoked.',
  }),
  slow: { token: (call) => (call.form.has('refresh_token') ? undefined : answerWell(call)) },
};

const REGIONS = `variables:
  region:
    from: integration
    options: [{ value: us, title: America }, { value: eu, title: Europe }]
`;
const TENANT = `variables:
  tenant: { from: integration, pattern: '[a-z]+' }
`;

let oidc: AuthorizationServer;
let faulty: Awaited<ReturnType<typeof startFaultyProviders>>;
let gateway: Gateway;
let project: Project;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const port = await findFreePort();
  const redirectUri = `http://127.0.0.1:${port}/oauth/callback`;
  oidc = await startAuthorizationServer({
    redirectUri,
    moreClients: [
      { client_id: 'expired', client_secret_expires_at: 1_600_000_000 },
      { client_id: 'elsewhere', redirect_uris: ['https://old.example.test/oauth/callback'] },
      { client_id: 'narrow', scope: 'openid contacts.read' },
    ],
  });
  cleanUps.push(oidc.close);
  faulty = await startFaultyProviders(CONDUCTS);
  const plain = Object.keys(CONDUCTS).filter((id) => id !== 'regional' && id !== 'tenanted');
  const catalog = await createCatalogDir({
    oidc: `id: oidc
name: Real
auth: oauth2
authorizationUrl: ${oidc.origin}/auth
tokenUrl: ${oidc.origin}/token
tokenEndpointAuth: client_secret_basic
revocationUrl: ${oidc.origin}/token/revocation
apiBaseUrl: ${oidc.origin}
account:
  id: { from: request, path: sub }
  request: { url: ${oidc.origin}/me }
`,
    ...Object.fromEntries(plain.map((id) => [id, faultyProviderFile(id, faulty.url)])),
    regional: faultyProviderFile('regional', faulty.url, { segment: '{region}', more: REGIONS }),
    tenanted: faultyProviderFile('tenanted', faulty.url, { segment: '{tenant}', more: TENANT }),
    down: faultyProviderFile('down', faulty.goneUrl),
    'bad-tls': faultyProviderFile('bad-tls', faulty.tlsUrl),
  });
  cleanUps.push(catalog.remove);
  // Short, so that a refresh without an answer ends within the test.
  const env = { TOKEN_REQUEST_TIMEOUT_MS: '3000' };
  gateway = await startGateway({ catalogDir: catalog.path, port, env });
  cleanUps.push(gateway.stop);
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN], returnUrls: [`${APP_ORIGIN}/`] });
});

afterAll(async () => {
  // First, since a gateway that is stopped waits for the answer that is still missing.
  await faulty?.close();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

type Changes = Readonly<Record<string, unknown>>;

/** An integration with a right client, unless `changes` say otherwise. */
async function integrate(
  serviceProvider: string,
  changes: Changes = {},
  of: Project = project,
): Promise<string> {
  const right =
    serviceProvider === 'oidc'
      ? {
          clientId: oidc.clientId,
          clientSecret: oidc.clientSecret,
          scopes: ['openid', 'contacts.read', 'contacts.write'],
        }
      : { clientId: 'client-1', clientSecret: 'secret-of-the-client', scopes: ['read', 'write'] };
  const body = { serviceProvider, ...right, ...changes };
  return (await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer: of.apiKey, body })).id;
}

const diagnose = (id: string, of: Project = project): Promise<Diagnosis> =>
  callApiOk(gateway.url, 'GET', `/v1/integrations/${id}/diagnosis?refresh=true`, { bearer: of.apiKey });

const codesOf = ({ findings }: { findings: Finding[] }) => findings.map(({ code }) => code);
const errorsOf = ({ findings }: { findings: Finding[] }) =>
  findings.filter(({ severity }) => severity === 'error').map(({ code }) => code);

/** A user's sign-in as far as it gets, in a browser: what the closing page hands over. */
async function signIn(integrationId: string, userId: string) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { integrationId },
  });
  const browser = createHttpBrowser({ origins: [gateway.url, oidc.origin, faulty.url] });
  const { message } = readOutcome(await browser.open(session.url));
  return { session, message };
}

async function connect(integrationId: string, userId: string): Promise<string> {
  const { session, message } = await signIn(integrationId, userId);
  const connection = await callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${session.id}/complete`, {
    bearer: project.userToken(userId),
    body: { completionCode: message.completionCode },
  });
  return connection.id;
}

/** A connection whose access token has expired. */
async function importExpired(integrationId: string, userId: string): Promise<string> {
  const credentials = {
    accessToken: 'access-0',
    refreshToken: 'refresh-0',
    expiresAt: '2026-01-01T00:00:00Z',
  };
  const body = { integrationId, userId, credentials };
  return (await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body })).id;
}

const testConnection = (id: string) =>
  callApiOk(gateway.url, 'POST', `/v1/connections/${id}/test`, { bearer: project.apiKey });
const healthOf = (id: string) =>
  callApiOk(gateway.url, 'GET', `/v1/connections/${id}/health`, { bearer: project.apiKey });

/** What the activity says of a sign-in that failed, as soon as it does. */
async function failureOf({ id }: { id: string }) {
  const path = `/v1/activity?action=connect_session.failed&subjectId=${id}`;
  const read = () => callApiOk(gateway.url, 'GET', path, { bearer: project.apiKey });
  await until(async () => (await read()).activity.length > 0);
  const { findings, requestId } = (await read()).activity[0].details;
  return { findings, requestId };
}

describe('a healthy integration', () => {
  it('has no finding but that all is well, before and after an account is connected', async () => {
    const id = await integrate('oidc');
    expect(codesOf(await diagnose(id))).toEqual(['client_accepted']);

    const connectionId = await connect(id, 'ada');

    const { findings } = await callApiOk(gateway.url, 'GET', `/v1/integrations/${id}/diagnosis`, {
      bearer: project.apiKey,
    });
    expect(codesOf({ findings })).toEqual(['client_accepted']);
    expect(await testConnection(connectionId)).toMatchObject({
      ok: true,
      findings: [{ code: 'connection_works', severity: 'ok' }],
    });
    expect(await healthOf(connectionId)).toMatchObject({ kind: 'oauth2', lastAnswer: null, findings: [] });
  });

  it('has no finding at a provider that tells little', async () => {
    expect(codesOf(await diagnose(await integrate('well')))).toEqual(['client_accepted']);
  });
});

describe('a fault of the client', () => {
  it.each([
    ['a wrong secret', 'client_secret_refused', 'oidc', { clientSecret: 'not the secret' }],
    ['a wrong client id', 'client_id_unknown', 'oidc', { clientId: 'nobody' }],
    ['a redirect URL that is not registered', 'redirect_url_refused', 'oidc', { clientId: 'elsewhere' }],
    ['more scopes than the app may have', 'scopes_refused', 'oidc', { clientId: 'narrow' }],
    ['a secret that has expired', 'client_secret_expired', 'oidc', { clientId: 'expired' }],
    ['an app that is not verified', 'app_unverified', 'unverified', {}],
    ['the wrong region', 'region_wrong', 'regional', { variables: { region: 'us' } }],
    ['the wrong tenant', 'tenant_wrong', 'tenanted', { variables: { tenant: 'other' } }],
    ['a clock that is off', 'clock_off', 'other-time', {}],
    ['a provider that is down', 'provider_down', 'down', {}],
    ['a token endpoint behind a log-in wall', 'token_endpoint_page', 'walled', {}],
    [
      'client id and secret swapped',
      'client_swapped',
      'swapping',
      { clientId: 'secret-of-the-client', clientSecret: 'client-1' },
    ],
    ['broken TLS of the provider', 'provider_tls_broken', 'bad-tls', {}],
  ])('%s is named %s, with a remedy', async (_fault, code, provider, changes) => {
    const diagnosis = await diagnose(await integrate(provider, changes));
    expect(errorsOf(diagnosis)).toEqual([code]);
    const [found] = diagnosis.findings;
    expect(found?.remedy).not.toBe('');
    expect(`${found?.detail} ${found?.remedy}`).not.toContain('?');
  });

  it.each([
    ['regional', { variables: { region: 'eu' } }],
    ['tenanted', { variables: { tenant: 'acme' } }],
  ])('is not found at %s with the right variable', async (provider, changes) => {
    expect(codesOf(await diagnose(await integrate(provider, changes)))).toEqual(['client_accepted']);
  });

  it('is found before the client is saved', async () => {
    const body = { serviceProvider: 'oidc', clientId: oidc.clientId, clientSecret: 'not the secret' };
    const probe = (clientSecret: string) =>
      callApiOk(gateway.url, 'POST', '/v1/integrations/probe', {
        bearer: project.apiKey,
        body: { ...body, clientSecret },
      });
    expect(errorsOf(await probe('not the secret'))).toEqual(['client_secret_refused']);
    expect(codesOf(await probe(oidc.clientSecret))).toEqual(['client_accepted']);
  });
});

describe('an authorization page that refuses', () => {
  const refusalOf = async (provider: string) => {
    const { findings } = await diagnose(await integrate(provider));
    return findings.find(({ code }) => code === 'authorization_page_refused');
  };

  it('this app alone is a warning with the page’s own words', async () => {
    const found = await refusalOf('expired-app');
    expect(found).toMatchObject({ severity: 'warning', detail: expect.stringContaining('status 400') });
    expect(found?.detail).toContain('“This app has expired or was removed.”');
  });

  it('every app is worth knowing', async () => {
    expect(await refusalOf('refuses-all')).toMatchObject({ severity: 'info' });
  });
});

describe('a fault that shows when users sign in', () => {
  it('a tenant that the token endpoint alone does not know is named by the sign-in and the diagnosis', async () => {
    const id = await integrate('late-tenant');
    const { session } = await signIn(id, 'dora');
    expect((await failureOf(session)).findings).toMatchObject([{ code: 'tenant_wrong' }]);
    expect(errorsOf(await diagnose(id))).toEqual(['tenant_wrong']);
  });

  it('a scope that is not granted is named on the integration, in the sign-ins and in the activity', async () => {
    const id = await integrate('few-scopes');
    const { session, message } = await signIn(id, 'berta');
    expect(message).toMatchObject({ status: 'error', error: 'missing_scopes' });

    const failure = await failureOf(session);
    const diagnosis = await diagnose(id);
    const finding = diagnosis.findings.find(({ code }) => code === 'scope_not_granted');
    expect([finding?.detail.includes('write'), finding?.detail.includes('read')]).toEqual([true, false]);
    expect(errorsOf(diagnosis)).toEqual([]);
    expect(failure.findings).toMatchObject([{ code: 'scope_not_granted' }]);
    const signIns = await callApiOk(gateway.url, 'GET', `/v1/integrations/${id}/connect-attempts`, {
      bearer: project.apiKey,
    });
    expect(signIns).toMatchObject({ opened: 1, sentToProvider: 1, cameBack: 1, completed: 0 });
    expect(signIns.failures).toMatchObject([
      { code: 'scope_not_granted', userId: 'berta', requestId: failure.requestId, error: 'missing_scopes' },
    ]);
  });

  it('an app that is not verified is named by a failed sign-in as by the diagnosis', async () => {
    const id = await integrate('unverified');
    const { session } = await signIn(id, 'carl');
    const failure = await failureOf(session);
    expect(failure.findings).toMatchObject([{ code: 'app_unverified' }]);
    const { findings } = await diagnose(id);
    const found = findings.find(({ code }) => code === 'app_unverified');
    expect(found?.evidence.map(({ requestId }) => requestId)).toContain(failure.requestId);
  });

  it('a wrong secret is named by a failed sign-in as by the diagnosis', async () => {
    const id = await integrate('oidc', { clientSecret: 'not the secret' });
    const { session } = await signIn(id, 'carl');
    const { findings } = await failureOf(session);
    expect(findings).toMatchObject([{ code: 'client_secret_refused' }]);
    expect(findings[0].remedy).toContain('Real');
    expect(errorsOf(await diagnose(id))).toEqual(['client_secret_refused']);
  });
});

describe('a fault that shows when tokens are refreshed', () => {
  it.each([
    ['a refresh that is refused', 'refresh_refused', 'refuses-refresh'],
    ['a grant that the user revoked', 'grant_revoked', 'revoked'],
    ['a refresh that is not answered in time', 'refresh_slow', 'slow'],
  ])('%s is named %s on the connection and on the integration', async (_fault, code, provider) => {
    const id = await integrate(provider);
    const connectionId = await importExpired(id, 'dora');

    const tested = await testConnection(connectionId);
    expect(tested.ok).toBe(false);
    expect(codesOf(tested)).toEqual([code]);
    const health = await healthOf(connectionId);
    expect(codesOf(health)).toEqual([code]);
    expect(health.lastAnswer.error).toEqual(expect.any(String));
    const diagnosis = await diagnose(id);
    expect(codesOf(diagnosis)).toContain(code);
    expect(codesOf(diagnosis)).toContain('client_accepted');
  });
});

describe('a fault of the surroundings', () => {
  let own: Project;
  let id: string;

  beforeAll(async () => {
    own = await createProject(gateway.url, project.personalAccessToken, {
      allowedOrigins: ['https://app.example.test'],
      returnUrls: ['https://app.example.test/back'],
    });
    id = await integrate('well', {}, own);
  });

  const preflight = (path: string, origin: string) =>
    callApi(gateway.url, 'OPTIONS', path, {
      headers: { origin, 'access-control-request-method': 'POST' },
    });

  it('an origin that is not allowed is named, and no other project’s', async () => {
    await preflight(`/projects/${own.id}/proxy/well/x`, 'https://new.example.test');
    await preflight('/v1/connect-sessions', 'https://www.app.example.test');
    await preflight('/v1/connect-sessions', 'https://shop.another.test');
    const found = (await diagnose(id, own)).findings.find(({ code }) => code === 'origin_not_allowed');
    expect(found?.detail).toContain('https://new.example.test');
    expect(found?.detail).toContain('https://www.app.example.test');
    expect(JSON.stringify(found)).not.toContain('another.test');
  });

  it('an origin is named no more once it is allowed', async () => {
    const allowedOrigins = [
      'https://app.example.test',
      'https://new.example.test',
      'https://www.app.example.test',
    ];
    await callApiOk(gateway.url, 'PATCH', `/v1/projects/${own.id}`, {
      bearer: own.apiKey,
      body: { allowedOrigins },
    });
    expect(codesOf(await diagnose(id, own))).not.toContain('origin_not_allowed');
  });

  it('a return URL that is not registered is named', async () => {
    const refused = await callApi(gateway.url, 'POST', '/v1/connect-sessions', {
      bearer: own.apiKey,
      body: { provider: 'well', userId: 'emil', returnUrl: 'https://app.example.test/home?secret=1' },
    });
    expect(refused.body.code).toBe('invalid_return_url');
    const found = (await diagnose(id, own)).findings.find(({ code }) => code === 'return_url_not_registered');
    expect(found?.detail).toContain('https://app.example.test/home');
    expect(JSON.stringify(found)).not.toContain('secret=1');
  });

  it('a public URL unlike the one that browsers use is named', async () => {
    const host = `localhost:${gateway.port}`;
    await fetch(`http://${host}/docs`, { headers: { 'sec-fetch-dest': 'document' } });
    const found = (await diagnose(id, own)).findings.find(({ code }) => code === 'public_url_differs');
    expect(found?.detail).toContain(host);
    expect(found?.detail).toContain(gateway.url);
  });
});

describe('what a diagnosis never does', () => {
  it('shows a secret, in a finding or in the log', async () => {
    const clientSecret = 'a-secret-nobody-may-see-4711';
    const id = await integrate('oidc', { clientSecret });
    expect(JSON.stringify(await diagnose(id))).not.toContain(clientSecret);
    expect(gateway.logs()).not.toContain(clientSecret);
    expect(gateway.logs()).not.toContain('not-a-code-');
  });

  it('asks a provider for the list of states, which tells what the last diagnosis did', async () => {
    const id = await integrate('well');
    const readState = async () => {
      const { states } = await callApiOk(
        gateway.url,
        'GET',
        `/v1/projects/${project.id}/integration-states`,
        {
          bearer: project.apiKey,
        },
      );
      return states.find((state: { integrationId: string }) => state.integrationId === id);
    };
    const unchecked = { integrationId: id, checkedAt: null, finding: null, failedUsers: 0 };
    expect(await readState()).toEqual(unchecked);
    await diagnose(id);
    expect(await readState()).toMatchObject({
      checkedAt: expect.any(String),
      finding: { code: 'client_accepted' },
    });
    await callApiOk(gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: project.apiKey,
      body: { clientId: 'another' },
    });
    expect(await readState()).toEqual(unchecked);
  });
});
