import { clientValues } from '../../src/catalog/facts/client-values.ts';
import { splitSecretVariables } from '../../src/catalog/facts/resolve-url.ts';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { prepareConnection } from '../../src/credentials/calling/warm-connection.ts';
import { redirectUriFor } from '../../src/oauth/authorization-request.ts';
import { withEndpoints } from '../../src/oauth/discovered-server.ts';
import { builtInCatalog } from '../support/built-in-catalog.ts';
import { pickExamples } from './fake-answers.ts';
import { REDIRECT_URI } from './fake-authorization.ts';
import { CLIENT_ID, CLIENT_SECRET } from './fake-conduct.ts';
import type { FakeProvider } from './fake-provider.ts';

export const catalog = builtInCatalog;
/** An MCP server with the endpoints that its authorization server would name; any other provider as it is. */
export function discovered(provider: Provider): Provider {
  const { mcp, authorizationUrl, tokenUrl } = provider;
  if (mcp === undefined) return provider;
  const { origin } = new URL(mcp.url.includes('{') ? 'https://mcp.example.com' : mcp.url);
  const server = {
    mcpUrl: `${origin}/mcp`,
    resource: `${origin}/mcp`,
    issuer: origin,
    hasMetadata: true,
    authorizationEndpoint: authorizationUrl ?? `${origin}/authorize`,
    tokenEndpoint: tokenUrl ?? `${origin}/token`,
    registrationEndpoint: null,
    revocationEndpoint: null,
    authMethods: [],
    takesDocuments: false,
    sendsIssuer: false,
    scopes: ['offline_access'],
    client: null,
  };
  return withEndpoints(provider, server, server.scopes);
}

/** Variables by where they are kept: with the integration, sealed with it, in plain and sealed with the connection. */
export function given(provider: Provider) {
  const ofIntegration = splitSecretVariables(provider, pickExamples(provider, 'integration'));
  const ofUser = splitSecretVariables(provider, pickExamples(provider, 'user', 'application'));
  return { ofIntegration, ofUser, known: { ...ofIntegration.open, ...ofUser.open } };
}

/** The values of a fully known connection, for addresses and templates. */
export type Context = {
  readonly provider: Provider;
  readonly fake: FakeProvider;
  /** In plain: of integration, user, callback, token response and account, as far as they are known by now. */
  variables: Record<string, string>;
  secrets: Record<string, string>;
};

export function start(provider: Provider, fake: FakeProvider): Context {
  const { known, ofUser } = given(provider);
  return { provider, fake, variables: known, secrets: ofUser.secret };
}

export function buildTarget({ provider, fake, variables, secrets }: Context) {
  const secretVariables = given(provider).ofIntegration.secret;
  const client = { clientId: CLIENT_ID, clientSecrets: [fake.clientSecret], secretVariables };
  const redirectUrl = redirectUriFor(provider, REDIRECT_URI, variables) ?? '';
  return { provider, client, variables: { ...variables, ...secrets }, redirectUrl };
}

/** The connection as the proxy keeps it in memory. */
export function buildWarmConnection(
  { provider, variables, secrets }: Omit<Context, 'fake'>,
  credentials: Readonly<Record<string, string>>,
) {
  const { ofIntegration } = given(provider);
  const connection = {
    connectionId: 'connection',
    endUserId: 'user',
    integrationId: 'integration',
    status: 'active',
    variables,
    credentials: { values: { ...secrets, ...credentials }, refreshToken: null },
    version: 1,
    expiresInMs: null,
    lifetimeSeconds: null,
  } as const;
  const ofClient = clientValues(provider, CLIENT_ID, CLIENT_SECRET);
  const values = { ...ofIntegration.open, ...ofIntegration.secret, ...ofClient };
  return prepareConnection(provider, 'project', values, connection, { spread: 0, nowMs: 0 });
}

export function learn(context: Context, given: Readonly<Record<string, string>>): void {
  const { open, secret } = splitSecretVariables(context.provider, given);
  Object.assign(context.variables, open);
  Object.assign(context.secrets, secret);
}
