import { generateKeyPairSync, randomBytes } from 'node:crypto';

/** What a run of the demo has to remember if its data are kept. */
export type DemoProject = {
  readonly email: string;
  readonly password: string;
  readonly projectId: string;
  readonly personalAccessToken: string;
  readonly apiKey: string;
  /** EC P-256 in PEM: what the sample app signs its users' tokens with. */
  readonly privateKey: string;
  readonly keyId: string;
};

type Call = { method: string; path: string; bearer?: string; body?: unknown };

/** First set-up of a gateway, and a signing key of the sample app, by the public API. */
export async function setUp(gatewayUrl: string, setupToken: string): Promise<DemoProject> {
  const email = 'operator@demo.test';
  const password = randomBytes(12).toString('base64url');
  const made = await call(gatewayUrl, {
    method: 'POST',
    path: '/v1/setup',
    body: { token: setupToken, email, password, projectName: 'Demo' },
  });
  const projectId: string = made.project.id;
  const personalAccessToken: string = made.personalAccessToken.token;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = await call(gatewayUrl, {
    method: 'POST',
    path: `/v1/projects/${projectId}/signing-keys`,
    bearer: personalAccessToken,
    body: { alg: 'ES256', publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString() },
  });
  return {
    email,
    password,
    projectId,
    personalAccessToken,
    apiKey: made.apiKey.key,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    keyId: signingKey.kid,
  };
}

/** Lets the sample app's page call the gateway, and end users come back to it. */
export async function allowApp(gatewayUrl: string, project: DemoProject, appUrl: string): Promise<void> {
  await call(gatewayUrl, {
    method: 'PATCH',
    path: `/v1/projects/${project.projectId}`,
    bearer: project.personalAccessToken,
    body: { allowedOrigins: [appUrl], returnUrls: [`${appUrl}/`], approvalPage: `${appUrl}/approve` },
  });
}

export type ProviderApp = {
  provider: string;
  clientId: string;
  clientSecret: string;
  scopes: readonly string[];
};

/** The project's integration of the provider, made if there is none, with the client that the provider knows now. */
export async function integrate(
  gatewayUrl: string,
  { projectId, personalAccessToken: bearer }: DemoProject,
  { provider, clientId, clientSecret, scopes }: ProviderApp,
): Promise<{ id: string; redirectUrl: string; webhookUrl: string }> {
  const query = new URLSearchParams({ serviceProvider: provider, projectId });
  const { integrations } = await call(gatewayUrl, {
    method: 'GET',
    path: `/v1/integrations?${query}`,
    bearer,
  });
  const client = { clientId, clientSecret, scopes };
  return integrations.length > 0
    ? call(gatewayUrl, {
        method: 'PATCH',
        path: `/v1/integrations/${integrations[0].id}`,
        bearer,
        body: client,
      })
    : call(gatewayUrl, {
        method: 'POST',
        path: '/v1/integrations',
        bearer,
        body: { projectId, serviceProvider: provider, ...client },
      });
}

/** Has the gateway ask for changed contacts every minute, for what no webhook tells. One poll for the integration. */
export async function pollContacts(
  gatewayUrl: string,
  { personalAccessToken: bearer }: DemoProject,
  integrationId: string,
): Promise<void> {
  const { polls } = await call(gatewayUrl, {
    method: 'GET',
    path: `/v1/polls?integrationId=${integrationId}`,
    bearer,
  });
  if (polls.length > 0) return;
  const body = { integrationId, resource: 'contacts', intervalSeconds: 60 };
  await call(gatewayUrl, { method: 'POST', path: '/v1/polls', bearer, body });
}

/** Has the gateway send the provider's events to `url`. The secret that signs them is new at each start. */
export async function sendEventsTo(
  gatewayUrl: string,
  { projectId, personalAccessToken: bearer }: DemoProject,
  { url, types }: { url: string; types: readonly string[] },
): Promise<string> {
  const path = '/v1/event-destinations';
  const { eventDestinations } = await call(gatewayUrl, {
    method: 'GET',
    path: `${path}?projectId=${projectId}`,
    bearer,
  });
  const [known] = eventDestinations;
  if (known === undefined) {
    const body = { projectId, url, types, description: 'Sample App' };
    return (await call(gatewayUrl, { method: 'POST', path, bearer, body })).secret;
  }
  // The app may listen on another port than in the last run.
  await call(gatewayUrl, { method: 'PATCH', path: `${path}/${known.id}`, bearer, body: { url } });
  return (await call(gatewayUrl, { method: 'POST', path: `${path}/${known.id}/rotate-secret`, bearer }))
    .secret;
}

/** A token by which the gateway knows a user, made by the gateway itself. */
export async function mintUserToken(
  gatewayUrl: string,
  project: DemoProject,
  userId: string,
): Promise<string> {
  const body = { userId, expiresIn: 8 * 60 * 60 };
  const minted = await call(gatewayUrl, {
    method: 'POST',
    path: '/v1/user-tokens',
    bearer: project.apiKey,
    body,
  });
  return minted.token;
}

/** Calls the gateway. Throws an Error that says which call was refused and why. */
export async function call(gatewayUrl: string, { method, path, bearer, body }: Call) {
  const response = await fetch(`${gatewayUrl}${path}`, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}
