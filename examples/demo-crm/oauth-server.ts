import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { type Context, errors, Provider } from 'oidc-provider';
import type { DemoCrmStats } from './demo-crm-stats.ts';
import { type CrmUser, findUserById } from './hubs.ts';
import type { OAuthStore } from './oauth-store.ts';
import { renderErrorPage } from './pages.ts';
import { SCOPES, splitScopes } from './scopes.ts';

type OAuthServerDeps = {
  readonly publicUrl: string;
  readonly store: OAuthStore;
  readonly accessTokenLifetimeSeconds: number;
  readonly stats: DemoCrmStats;
  readonly log: (line: string) => void;
};

const REFRESH_TOKEN_LIFETIME_SECONDS = 180 * 24 * 60 * 60;

/**
 * The CRM's authorization server: authorization code with PKCE S256 (RFC 7636), one-use refresh tokens whose
 * reuse revokes the grant (RFC 9700, section 4.14.2), revocation (RFC 7009) and the `iss` answer (RFC 9207).
 * To be mounted under /oauth, with the interaction pages in front of it.
 */
export function createOAuthServer(deps: OAuthServerDeps): Provider {
  const provider = new Provider(`${deps.publicUrl}/oauth`, {
    ...protocolConfiguration(),
    adapter: deps.store.adapter,
    cookies: {
      keys: [randomBytes(32).toString('base64url')],
      names: { session: 'crm_oauth', interaction: 'crm_interaction', resume: 'crm_resume' },
    },
    extraParams: { optional_scope: mergeOptionalScope },
    findAccount: async (_ctx, accountId) =>
      findUserById(accountId) && { accountId, claims: () => ({ sub: accountId }) },
    interactions: { url: (_ctx, { uid }) => `${deps.publicUrl}/oauth/interaction/${uid}` },
    // Every authorization gets a grant of its own, so that revoking one connection leaves the others alone.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc?.result?.consent?.grantId;
      return grantId === undefined ? undefined : provider.Grant.find(grantId);
    },
    renderError: async (ctx, { error, error_description }) => {
      ctx.type = 'html';
      ctx.body = renderErrorPage(error, error_description ?? 'The request could not be understood.');
    },
    ttl: {
      AccessToken: deps.accessTokenLifetimeSeconds,
      AuthorizationCode: 60,
      Grant: REFRESH_TOKEN_LIFETIME_SECONDS,
      IdToken: 60,
      Interaction: 30 * 60,
      RefreshToken: REFRESH_TOKEN_LIFETIME_SECONDS,
      Session: 30 * 60,
    },
  });
  // Behind a TLS-terminating proxy the request itself is plain http, and only its headers say otherwise.
  provider.proxy = deps.publicUrl.startsWith('https:');
  provider.use((ctx, next) => decorateAnswer(ctx, next, deps.stats));
  provider.on('grant.success', (ctx) => countTokenRequest(ctx, deps.stats.tokenRequests));
  provider.on('grant.error', (ctx) => countTokenRequest(ctx, deps.stats.refusedTokenRequests));
  provider.on('server_error', (_ctx, error) =>
    deps.log(`demo-crm: authorization server failed: ${error.message}`),
  );
  return provider;
}

function protocolConfiguration() {
  return {
    claims: {},
    clientAuthMethods: ['client_secret_post', 'client_secret_basic'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
    expiresWithSession: async () => false,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true, allowedPolicy: ownTokensOnly },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
    },
    issueRefreshToken: async () => true,
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
    pkce: { required: () => true },
    responseTypes: ['code'],
    rotateRefreshToken: true,
    routes: {
      authorization: '/authorize',
      revocation: '/token/revocation',
      token: '/token',
    },
    scopes: SCOPES,
  };
}

/** A client revokes its own tokens only; a foreign one is left alone, and the answer does not tell (RFC 7009, 2.1). */
async function ownTokensOnly(_ctx: Context, client: { clientId: string }, revoked: { clientId: string }) {
  return revoked.clientId === client.clientId;
}

/**
 * HubSpot asks for scopes in two parameters: what is in `optional_scope` the account may lack or the user may
 * untick. From here on `scope` holds both, and `optional_scope` what is only optional, for the consent page.
 */
function mergeOptionalScope(ctx: Context, optionalScope: string | undefined): void {
  const params = ctx.oidc?.params;
  if (!params) return;
  // oidc-provider has silently dropped unknown scopes from `params` by now; HubSpot refuses them.
  const required = splitScopes(ctx.query.scope);
  const unknown = required.filter((scope) => !SCOPES.includes(scope));
  if (unknown.length > 0)
    throw new errors.InvalidScope('this CRM does not know a requested scope', unknown.join(' '));
  if (required.length === 0) throw new errors.InvalidScope('at least one scope must be requested', '');
  const optional = splitScopes(optionalScope).filter(
    (scope) => SCOPES.includes(scope) && !required.includes(scope),
  );
  params.scope = [...required, ...optional].join(' ');
  params.optional_scope = optional.join(' ');
}

async function decorateAnswer(ctx: Context, next: () => Promise<void>, stats: DemoCrmStats): Promise<void> {
  await next();
  if (ctx.status !== 200 || !ctx.oidc) return;
  const { route, entities } = ctx.oidc;
  if (route === 'revocation' && (entities.RefreshToken || entities.AccessToken)) stats.revokedTokens += 1;
  if (route !== 'token' || !entities.Account || !isRecord(ctx.body)) return;
  const user = findUserById(entities.Account.accountId);
  if (user) ctx.body = { ...ctx.body, ...accountMembers(user, String(ctx.body.scope ?? '')) };
}

/** Members that HubSpot's token answer has beyond RFC 6749; `hub_domain` is this CRM's own addition. */
function accountMembers({ id, hub }: CrmUser, scope: string) {
  return { hub_id: hub.id, hub_domain: hub.domain, user_id: id, scopes: splitScopes(scope) };
}

function countTokenRequest(ctx: Context, counts: Record<string, number>): void {
  const grantType = ctx.oidc?.params?.grant_type ?? 'unknown';
  counts[grantType] = (counts[grantType] ?? 0) + 1;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
