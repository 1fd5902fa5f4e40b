import type { Agents } from './agents.js';
import type { Approvals } from './approvals.js';
import type { ExchangedToken, ExchangeOptions } from './exchange.js';
import type { GatewayEvent } from './tabs.js';
import type { TokenSource } from './tokens.js';
import type { Connection, Integration } from './wire.js';
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
