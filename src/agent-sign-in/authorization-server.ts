import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Configuration, Context, Provider } from 'oidc-provider';
import { isRecord } from '../lib/is-record.ts';
import { once } from '../lib/once.ts';
import type { Kit } from '../platform/kit.ts';
import { readAccountId } from './account-id.ts';
import { type Addresses, SCOPE } from './addresses.ts';
import { type AdapterDependencies, agreeOnSuccessor, createAdapters } from './artifacts.ts';
import { grantScope, refuseOtherModes } from './authorization-requests.ts';
import { createFetchClientDocument } from './client-documents.ts';
import { cutClientName } from './consent.ts';
import { judgeRedirects } from './redirect-uris.ts';
import type { ClientMetadata, RegisteredClientsStore } from './registered-clients.store.ts';

type Library = typeof import('oidc-provider');

export const ACCESS_TOKEN_SECONDS = 10 * 60;
/** For the person to sign in and decide. */
export const INTERACTION_SECONDS = 30 * 60;
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;
const GRANT_SECONDS = 366 * 24 * 60 * 60;
const REDIRECT_URIS_MAX = 20;

export type Interaction = {
  readonly uid: string;
  readonly projectId: string;
  readonly clientId: string;
  /** As the client's document has it, cut; null where it has none. */
  readonly clientName: string | null;
  readonly redirectUri: string;
};

export type AuthorizationServer = {
  /** Answers the endpoints of the protocol, below the path of the issuer. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** What a client asks for in this browser; undefined where that is over, or another browser's. */
  findInteraction(
    request: IncomingMessage,
    response: ServerResponse,
    uid: string,
  ): Promise<Interaction | undefined>;
  /** What is wrong with the metadata of a client that wants to register. */
  judgeClient(
    id: string,
    metadata: ClientMetadata,
  ): Promise<{ readonly error: string; readonly description: string } | undefined>;
  /** Goes on to the client: with a code for the consent, or without. */
  finish(
    request: IncomingMessage,
    response: ServerResponse,
    interaction: Interaction,
    outcome: { readonly accountId: string; readonly consentId: string } | 'denied',
  ): Promise<void>;
};

type Dependencies = Omit<AdapterDependencies, 'refuseSpent' | 'findClient'> &
  Pick<Kit, 'log' | 'outbound'> & {
    readonly addresses: Addresses;
    /** Whether tokens of the consent would be refused, since their project asks for a mandate. */
    lacksMandate(consentId: string): Promise<boolean>;
    readonly clients: Pick<RegisteredClientsStore, 'find'>;
  };
type Issuer = { readonly issuer: string; readonly readResource: Addresses['readResource'] };
type BuildDependencies = Omit<Dependencies, 'clients'> & Pick<AdapterDependencies, 'findClient'> & Issuer;

/** Of projects with an issuer of their own: each costs 5 ms and 40 KiB. */
const SERVERS_MAX = 100;

/** The authorization server and those of single projects, all loaded when the first client signs in. */
export function createAuthorizationServers({ clients, ...deps }: Dependencies) {
  const { db, addresses } = deps;
  const load = once(() => import('oidc-provider'));
  const ofProjects = new LRUCache<string, AuthorizationServer>({ max: SERVERS_MAX });
  const findRegistered = (projectId: string, id: string) => clients.find(db, projectId, id);
  return {
    loadServer: once(async () => {
      const { issuer, readResource } = addresses;
      const own = { ...deps, issuer, readResource, findClient: async () => undefined };
      return build(await load(), own, findRegistered);
    }),

    async loadServerOf(projectId: string): Promise<AuthorizationServer> {
      const library = await load();
      const found = ofProjects.get(projectId);
      if (found !== undefined) return found;
      const own: BuildDependencies = {
        ...{ ...deps, issuer: addresses.issuerOf(projectId) },
        readResource: (given) => (addresses.readResource(given) === projectId ? projectId : undefined),
        findClient: (id) => findRegistered(projectId, id),
      };
      const server = build(library, own, findRegistered);
      ofProjects.set(projectId, server);
      return server;
    },
  };
}

function build(
  library: Library,
  deps: BuildDependencies,
  findRegistered: (projectId: string, id: string) => Promise<ClientMetadata | undefined>,
): AuthorizationServer {
  const { addresses, log } = deps;
  const candidates = new Map<string, ClientMetadata>();
  const findClient = async (id: string) => candidates.get(id) ?? (await deps.findClient(id));
  const provider: Provider = new library.Provider(deps.issuer, {
    ...describeProtocol(library, { ...deps, findClient }),
    loadExistingGrant: async (context) => {
      const grantId = context.oidc?.result?.consent?.grantId;
      return grantId === undefined ? undefined : provider.Grant.find(grantId);
    },
  });
  provider.proxy = true;
  provider.on('server_error', (_context, error) =>
    log.error({ err: error }, 'the authorization server for agents failed'),
  );
  provider.use(async (context, next) => {
    refuseOtherModes(context);
    await next();
    await shareSuccessor(context, deps);
  });
  const callback = provider.callback();
  /** What the library itself refuses is over; a store that does not answer says nothing of it. */
  const unlessRefused = (error: unknown): undefined => {
    if (!(error instanceof library.errors.OIDCProviderError)) throw error;
  };

  return {
    handle(request, response) {
      pinAddress(request, addresses.publicUrl);
      callback(request, response);
    },

    async findInteraction(request, response, uid) {
      pinAddress(request, addresses.publicUrl);
      const found = await provider.interactionDetails(request, response).catch(unlessRefused);
      if (found === undefined || found.uid !== uid) return undefined;
      const { resource, client_id: clientId = '', redirect_uri: redirectUri = '' } = found.params;
      const projectId = addresses.readResource(resource);
      if (projectId === undefined) return undefined;
      const registered = await findRegistered(projectId, clientId);
      const client = registered ?? (await provider.Client.find(clientId).catch(unlessRefused));
      if (client === undefined) return undefined;
      const name = 'client_name' in client ? client.client_name : client.clientName;
      return { uid, projectId, clientId, clientName: cutClientName(name), redirectUri };
    },

    async judgeClient(id, metadata) {
      candidates.set(id, metadata);
      try {
        await provider.Client.find(id);
        return undefined;
      } catch (error) {
        if (!(error instanceof library.errors.OIDCProviderError)) throw error;
        return { error: error.error, description: error.error_description ?? '' };
      } finally {
        candidates.delete(id);
      }
    },

    async finish(request, response, { projectId, clientId }, outcome) {
      if (outcome === 'denied') {
        const error_description = 'The person has not allowed it.';
        return provider.interactionFinished(request, response, { error: 'access_denied', error_description });
      }
      const { accountId, consentId } = outcome;
      const grant = new provider.Grant({ jti: consentId, accountId, clientId });
      grant.addResourceScope(addresses.resourceOf(projectId), SCOPE);
      const grantId = await grant.save();
      const login = { accountId, remember: false };
      await provider.interactionFinished(request, response, { login, consent: { grantId } });
    },
  };
}

/** All requests with one refresh token are answered with the same next one. */
async function shareSuccessor(context: Context, deps: BuildDependencies): Promise<void> {
  const spent = context.oidc?.entities.RotatedRefreshToken?.jti;
  const { body } = context;
  if (spent === undefined || !isRecord(body) || typeof body.refresh_token !== 'string') return;
  context.body = { ...body, refresh_token: await agreeOnSuccessor(deps, spent, body.refresh_token) };
}

/** What the library makes addresses of is the gateway's own address, whatever the request says. */
function pinAddress(request: IncomingMessage, publicUrl: string): void {
  const { host, protocol } = new URL(publicUrl);
  request.headers.host = host;
  request.headers['x-forwarded-host'] = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
}

function describeProtocol(library: Library, deps: BuildDependencies): Partial<Configuration> {
  const { errors } = library;
  const refuseSpent = () => new errors.InvalidGrant('it has been used before');
  return {
    adapter: createAdapters({ ...deps, refuseSpent }),
    claims: {},
    clientAuthMethods: ['none'],
    // Public clients alone, and such that run on the person's own computer (RFC 8252).
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientBasedCORS: () => true,
    cookies: describeCookies(),
    expiresWithSession: async () => false,
    extraClientMetadata: judgeRedirects(errors),
    extraParams: grantScope,
    features: describeFeatures(library, deps),
    fetch: createFetchClientDocument(deps),
    findAccount: async (_context, accountId) =>
      readAccountId(accountId) && { accountId, claims: () => ({ sub: accountId }) },
    interactions: { url: (_context, { uid }) => `${deps.addresses.publicUrl}/agents/sign-in/${uid}` },
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    // Nothing is signed: tokens are random, and say nothing. The library wants a key all the same.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
    pkce: { required: () => true },
    responseTypes: ['code'],
    // Before the token is spent, so that it counts again once the project asks no more.
    rotateRefreshToken: async ({ oidc }) => {
      const { grantId } = oidc?.entities.RefreshToken ?? {};
      if (grantId !== undefined && (await deps.lacksMandate(grantId)))
        throw new errors.InvalidGrant('the project asks for a mandate');
      return true;
    },
    routes: { authorization: '/authorize', revocation: '/revoke', token: '/token' },
    // That one is the resource's.
    scopes: [],
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: 60,
      Grant: GRANT_SECONDS,
      IdToken: 60,
      Interaction: INTERACTION_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Session: INTERACTION_SECONDS,
    },
    renderError: async (context, { error, error_description }) => {
      context.type = 'application/json';
      context.body = { error, error_description };
    },
  };
}

function describeFeatures(
  { errors }: Library,
  { readResource }: BuildDependencies,
): Configuration['features'] {
  return {
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: 60, max: 24 * 60 * 60 },
      allowClient: async (_context, client) => (client.redirectUris?.length ?? 0) <= REDIRECT_URIS_MAX,
    },
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: async () => {
        throw new errors.InvalidTarget('name the MCP address as the resource, once (RFC 8707)');
      },
      getResourceServerInfo: async (context, resource) => {
        const isOne = typeof context.oidc?.params?.resource !== 'object';
        if (!isOne || readResource(resource) === undefined)
          throw new errors.InvalidTarget('the resource has to be one MCP address of this gateway');
        return { scope: SCOPE, accessTokenFormat: 'opaque', accessTokenTTL: ACCESS_TOKEN_SECONDS };
      },
      useGrantedResource: async () => true,
    },
    revocation: {
      enabled: true,
      allowedPolicy: async (_context, client, token) => token.clientId === client.clientId,
    },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
  };
}

function describeCookies(): Configuration['cookies'] {
  const cookie = { httpOnly: true, sameSite: 'lax', overwrite: true, signed: false } as const;
  return {
    // Each value is random and found by its hash: a signature would add nothing.
    keys: [],
    long: { ...cookie, path: '/agents' },
    short: cookie,
    names: { session: 'gateway_agents', interaction: 'gateway_interaction', resume: 'gateway_resume' },
  };
}
