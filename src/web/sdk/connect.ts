import { type Agents, createAgents } from './agents.ts';
import { createApi, readError } from './api.ts';
import { type Approvals, createApprovals } from './approvals.ts';
import { ConnectError, type ConnectErrorCode, GatewayError } from './errors.ts';
import { type ExchangedToken, type ExchangeOptions, exchangeToken } from './exchange.ts';
import { awaitOutcome, openPopup } from './popup.ts';
import {
  forgetPopup,
  forgetReturn,
  type Return,
  rememberedPopup,
  rememberPopup,
  takeReturn,
} from './returning.ts';
import { createTabs, type GatewayEvent } from './tabs.ts';
import { createTokens, type TokenSource } from './tokens.ts';
import type {
  AgentConsent,
  Approval,
  Connection,
  ConnectionPage,
  ConnectSession,
  Integration,
  IntegrationPage,
  MandateEntry,
  ProviderFace,
  ProviderPage,
} from './wire.ts';

export type {
  AgentConsent,
  Agents,
  Approval,
  Approvals,
  ConnectErrorCode,
  Connection,
  ExchangedToken,
  ExchangeOptions,
  GatewayEvent,
  Integration,
  MandateEntry,
  TokenSource,
};
export { ConnectError, GatewayError };

export type GatewayOptions = {
  /** The gateway's address (its PUBLIC_URL). */
  readonly url: string;
  /** The proxy's address (PROXY_URL), where it has one of its own. The gateway is asked when it is left out. */
  readonly proxyUrl?: string;
  readonly projectId: string;
  readonly token: TokenSource;
  /**
   * Where users come back to when there is no popup, or none that can report back: a page of your application that
   * calls createGateway, and is among the project's return URLs exactly as written here.
   */
  readonly returnUrl?: string;
};

export type ConnectOptions = {
  /** Which one, where the project has several integrations of the provider. */
  readonly integrationId?: string;
  /** Lets the user add a second account of the same integration. */
  readonly allowMultiple?: boolean;
  /** Id of the site, organization or account to connect, where one grant may reach several: the user is not asked. */
  readonly tenant?: string;
  /** `organization`: for the organization of the user's token, whose `gateway_roles` have to allow it. */
  readonly owner?: 'user' | 'organization';
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * `auto`, the default: a popup, or where it is blocked, away from the page and back to the `returnUrl`, if there is
   * one. `redirect` comes back to this page when there is no `returnUrl`.
   */
  readonly mode?: 'auto' | 'popup' | 'redirect';
  readonly returnUrl?: string;
  /** Closes the popup and stops waiting. */
  readonly signal?: AbortSignal;
};

export type ConnectionFilter = {
  readonly serviceProvider?: string;
  readonly integrationId?: string;
  readonly status?: Connection['status'];
};

/** The platform's own, and which connection to use where the user has several of the provider. */
export type ProviderRequestInit = RequestInit & {
  readonly connectionId?: string;
  readonly integrationId?: string;
};

export type Gateway = {
  /**
   * Lets the user connect an account; without a provider they choose one. Call it straight from a click. Rejects with a
   * ConnectError when the authorization fails, with a GatewayError when the gateway refuses to begin it.
   */
  connect(provider?: string, options?: ConnectOptions): Promise<Connection>;
  /** The same for a connection that exists, whose id is kept. */
  reauthorize(connectionId: string, options?: ConnectOptions): Promise<Connection>;
  /** Revokes the connection at the provider and erases its credentials. */
  disconnect(connectionId: string): Promise<void>;
  /** What the project offers, with names and logos: the integration's own, else its provider's. */
  integrations(): Promise<Integration[]>;
  connections(filter?: ConnectionFilter): Promise<Connection[]>;
  /**
   * The provider's own API, with the arguments and the answer of the platform's `fetch`. What the gateway itself
   * refuses rejects with a GatewayError.
   */
  fetch(provider: string, path: string, init?: ProviderRequestInit): Promise<Response>;
  /** Calls of agents that wait for this user's word, for a page of your own. Not with a token that has a mandate. */
  approvals(): Approvals;
  /** What this user has allowed agents, and the way to withdraw it. */
  agents(): Agents;
  /**
   * A narrower and shorter token for the user's, to hand to a helper of the page: a worker, a frame, a model. Rejects with a
   * GatewayError whose code is that of RFC 6749, such as `invalid_target` where an entry allows more than the token.
   */
  exchange(options?: ExchangeOptions): Promise<ExchangedToken>;
  /** Reports connections that come, are authorized again or go, in every tab. Gives the function that ends it. */
  subscribe(listener: (event: GatewayEvent) => void): () => void;
  /**
   * What came of an authorization that left the page, on the page that it came back to; undefined on any other. It is
   * under way already: createGateway starts it.
   */
  completeRedirect(): Promise<Connection | undefined>;
};

/** The gateway as the signed-in user's browser reaches it. Nothing is stored: the token stays in memory. */
export function createGateway({ url, proxyUrl, projectId, token, returnUrl: home }: GatewayOptions): Gateway {
  const base = stripSlash(url);
  const api = createApi({ url: base, projectId, tokens: createTokens(token) });
  let proxyBase = proxyUrl === undefined ? undefined : Promise.resolve(stripSlash(proxyUrl));
  const tabs = createTabs(projectId);
  const comeBack = typeof document === 'undefined' ? undefined : takeReturn();
  const returned = comeBack === undefined ? Promise.resolve(undefined) : finish(comeBack);
  // The application gets the failure from completeRedirect.
  returned.catch(() => undefined);
  /** Sessions whose popups belong to this tab. */
  const ownSessions = new Set<string>();
  if (typeof document !== 'undefined') closeOwnPopups();
  /** The popup in which the user reads why the attempt before has failed. */
  let explaining: Window | undefined;

  /** A new connection was never updated; one that existed before was, by this authorization. */
  function announce(connection: Connection): Connection {
    const isNew = connection.createdAt === connection.updatedAt;
    const type = isNew ? 'connection.created' : 'connection.reauthorized';
    tabs.announce({ type, connectionId: connection.id });
    return connection;
  }

  /** Only the user who began may end it: the code and the token of that same user. Sent twice, it counts once. */
  async function complete(sessionId: string, completionCode: string): Promise<Connection> {
    const path = `connect-sessions/${encodeURIComponent(sessionId)}/complete`;
    try {
      const headers = { 'idempotency-key': sessionId };
      return announce(await api.callOrThrow<Connection>('POST', path, { completionCode }, headers));
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : '';
      throw code === 'account_mismatch' || code === 'session_expired' ? new ConnectError(code) : error;
    }
  }

  async function authorize(target: object, options: ConnectOptions): Promise<Connection> {
    const {
      mode = 'auto',
      returnUrl = home,
      signal,
      integrationId,
      allowMultiple,
      tenant,
      owner,
      tags,
    } = options;
    signal?.throwIfAborted();
    const body = { ...target, integrationId, allowMultiple, tenant, owner, tags };
    // Before anything else: browsers let a window through only while they handle the click.
    explaining?.close();
    const popup = mode === 'redirect' ? undefined : openPopup();
    if (popup === undefined) {
      const canLeave = mode === 'redirect' || (mode === 'auto' && returnUrl !== undefined);
      // The gateway's pages refuse to be framed.
      if (!canLeave || parent !== window) throw new ConnectError('popup_blocked');
      return leave({ ...body, returnUrl: returnUrl ?? location.href.replace(/#.*/s, '') });
    }
    try {
      const request = { ...body, returnUrl, display: 'popup' };
      const session = await api.call<ConnectSession>('POST', 'connect-sessions', request);
      signal?.throwIfAborted();
      if (popup.closed) throw new ConnectError('popup_closed');
      ownSessions.add(session.id);
      rememberPopup(session.id);
      popup.location.replace(session.url);
      const gatewayOrigin = new URL(session.url).origin;
      const outcome = await awaitOutcome({ popup, session, gatewayOrigin, tabs, signal });
      if ('error' in outcome) {
        explaining = popup;
        throw new ConnectError(outcome.error);
      }
      if ('completionCode' in outcome) return await complete(session.id, outcome.completionCode);
      return await api.call<Connection>('GET', `connections/${encodeURIComponent(outcome.connectionId)}`);
    } finally {
      forgetPopup();
      if (popup !== explaining) popup.close();
    }
  }

  /**
   * A popup that comes back to the application by its return URL would stay as a second copy of it: this page was
   * reloaded, or busy, or the provider's page has cut the popup off. It may come after this tab has done its part.
   */
  function closeOwnPopups(): void {
    const ofReloadedPage = rememberedPopup();
    if (ofReloadedPage !== undefined) ownSessions.add(ofReloadedPage);
    tabs.listen((message) => {
      if (message.type !== 'returned' || !ownSessions.has(message.sessionId)) return;
      if (message.sessionId === ofReloadedPage) forgetPopup();
      tabs.post({ type: 'heard', sessionId: message.sessionId });
    });
  }

  async function leave(body: object): Promise<Connection> {
    const session = await api.call<ConnectSession>('POST', 'connect-sessions', body);
    location.assign(session.url);
    // This page is gone, unless its user goes back and the browser has kept it as it was.
    return new Promise((_resolve, reject) => {
      addEventListener('pageshow', ({ persisted }) => {
        if (persisted) reject(new ConnectError('popup_closed'));
      });
    });
  }

  /** Ends what was begun on a page before this one, or in the tab that waits while this is its popup. */
  async function finish({ sessionId, completionCode, error }: Return): Promise<Connection> {
    tabs.listen((message) => {
      if (message.type === 'heard' && message.sessionId === sessionId) window.close();
    });
    try {
      if (completionCode === null) throw new ConnectError(error ?? 'provider_error');
      const connection = await complete(sessionId, completionCode);
      forgetReturn();
      tabs.post({ type: 'returned', sessionId, connectionId: connection.id });
      return connection;
    } catch (failure) {
      const reason = reasonOf(failure);
      if (reason !== undefined) {
        forgetReturn();
        tabs.post({ type: 'returned', sessionId, error: reason });
      }
      throw failure;
    }
  }

  const faces = new Map<string, ProviderFace>();

  async function integrations(): Promise<Integration[]> {
    const listed = await api.list('integrations', {}, (page: IntegrationPage) => page.integrations);
    const ids = new Set(listed.map(({ serviceProvider }) => serviceProvider).filter((id) => !faces.has(id)));
    if (ids.size > 0) {
      const query = { ids: [...ids].join() };
      const found = await api.list('providers', query, (page: ProviderPage) => page.providers);
      for (const { id, name, logoUrl } of found) faces.set(id, { name, logoUrl });
    }
    return listed.map((integration) => {
      const { serviceProvider } = integration;
      const face = faces.get(serviceProvider) ?? { name: serviceProvider, logoUrl: null };
      // An operator may have given it a name and a logo of its own.
      const { name, logoUrl } = integration;
      return { ...integration, name: name ?? face.name, logoUrl: logoUrl ?? face.logoUrl };
    });
  }

  /** Where proxied calls go; asked once, and again after a failure. */
  function findProxy(): Promise<string> {
    proxyBase ??= api.proxyUrl().catch((error: unknown) => {
      proxyBase = undefined;
      throw error;
    });
    return proxyBase;
  }

  /** As the platform resolves it. */
  const pathOf = (target: string) => new URL(base + target, globalThis.location?.href).pathname;

  return {
    connect: (provider, options = {}) => authorize({ provider }, options),
    reauthorize: (connectionId, options = {}) => authorize({ connectionId }, options),
    async disconnect(connectionId) {
      await api.call('DELETE', `connections/${encodeURIComponent(connectionId)}`);
      tabs.announce({ type: 'connection.deleted', connectionId });
    },
    integrations,
    connections: (filter = {}) => api.list('connections', filter, (page: ConnectionPage) => page.connections),
    async fetch(provider, path, init = {}) {
      const { connectionId, integrationId, ...rest } = init;
      const headers = new Headers(init.headers);
      if (connectionId) headers.set('gateway-connection', connectionId);
      if (integrationId) headers.set('gateway-integration', integrationId);
      const root = `/projects/${projectId}/proxy/${encodeURIComponent(provider)}/`;
      const target = root + path.replace(/^\//, '');
      // Browsers resolve `..` before they send: a path that holds user input must not lead to another API.
      if (!pathOf(target).startsWith(pathOf(root))) throw new TypeError('The path leads out of the API.');
      const response = await api.send((await findProxy()) + target, { ...rest, headers });
      if (response.headers.has('gateway-error')) throw await readError(response);
      return response;
    },
    approvals: () => createApprovals(api),
    agents: () => createAgents(api),
    exchange: (options = {}) => exchangeToken(api, options),
    subscribe: (listener) =>
      tabs.listen((message) => {
        if ('connectionId' in message && message.type !== 'returned') listener(message);
      }),
    completeRedirect: () => returned,
  };
}

function stripSlash(address: string): string {
  return address.endsWith('/') ? address.slice(0, -1) : address;
}

/** Why an authorization has failed for good; undefined where a reload of the page may still complete it. */
function reasonOf(failure: unknown): string | undefined {
  if (failure instanceof ConnectError) return failure.reason;
  return failure instanceof GatewayError && !failure.retryable ? failure.code : undefined;
}
