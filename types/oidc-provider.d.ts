/**
 * The part of oidc-provider 9 that signing in for agents, the demo CRM and the tests use; the package itself ships no types.
 * Source of the shapes: https://github.com/panva/node-oidc-provider/blob/v9.x/docs/README.md
 */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  /** Claims of a stored artifact. Which members are present depends on the model. */
  export interface ArtifactPayload {
    [member: string]: unknown;
    exp?: number;
    iat?: number;
    jti?: string;
    accountId?: string;
    clientId?: string;
    grantId?: string;
    scope?: string;
    uid?: string;
    userCode?: string;
    consumed?: number;
  }

  export interface Adapter {
    upsert(id: string, payload: ArtifactPayload, expiresInSeconds: number): Promise<void>;
    find(id: string): Promise<ArtifactPayload | undefined>;
    findByUid(uid: string): Promise<ArtifactPayload | undefined>;
    findByUserCode(userCode: string): Promise<ArtifactPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  export interface Account {
    accountId: string;
    claims(): { sub: string } | Promise<{ sub: string }>;
  }

  export interface Grant {
    addOIDCScope(scope: string): void;
    addResourceScope(resource: string, scope: string): void;
    rejectOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  export interface Context {
    body: unknown;
    query: Record<string, string | undefined>;
    status: number;
    type: string;
    oidc?: {
      route: string;
      params?: Record<string, string | undefined>;
      client?: { readonly clientId: string };
      result?: { consent?: { grantId?: string } };
      entities: {
        Account?: Account;
        AccessToken?: { scope?: string };
        RefreshToken?: { grantId?: string };
        /** The one that was spent for `RefreshToken`; `jti` is its text. */
        RotatedRefreshToken?: { jti: string };
      };
    };
  }

  export interface Client {
    clientId: string;
    clientName?: unknown;
    redirectUris?: readonly string[];
    grantTypeAllowed(type: string): boolean;
  }

  export interface CookieOptions {
    httpOnly: boolean;
    sameSite: 'lax';
    signed: boolean;
    overwrite: boolean;
    path?: string;
  }

  export interface Interaction {
    uid: string;
    params: Record<string, string | undefined>;
    prompt: { name: string };
  }

  export interface InteractionResult {
    login?: { accountId: string; remember?: boolean };
    consent?: { grantId: string };
    error?: string;
    error_description?: string;
  }

  export interface Configuration {
    adapter: (model: string) => Adapter;
    clientDefaults: Record<string, unknown>;
    claims: Record<string, unknown>;
    clients: readonly Record<string, unknown>[];
    clientAuthMethods: readonly string[];
    clientBasedCORS: (ctx: Context, origin: string, client: Client) => boolean;
    cookies: {
      keys: readonly string[];
      names?: Record<'session' | 'interaction' | 'resume', string>;
      long?: CookieOptions;
      short?: CookieOptions;
    };
    expiresWithSession: () => Promise<boolean>;
    extraClientMetadata: {
      properties: readonly string[];
      validator: (
        ctx: Context,
        name: string,
        value: unknown,
        metadata: Readonly<Record<string, unknown>>,
      ) => void;
    };
    extraParams: Record<string, (ctx: Context, value: string | undefined) => void>;
    features: Record<
      string,
      {
        enabled: boolean;
        /** The version of an experimental feature that is known to fit. */
        ack?: string;
        allowClient?: (ctx: Context, client: Client) => Promise<boolean>;
        cacheDuration?: { min: number; max: number };
        defaultResource?: () => Promise<string>;
        getResourceServerInfo?: (ctx: Context, resource: string) => Promise<Record<string, unknown>>;
        useGrantedResource?: () => Promise<boolean>;
        allowedPolicy?: (
          ctx: Context,
          client: { clientId: string },
          token: { clientId: string },
        ) => Promise<boolean>;
      }
    >;
    fetch: (url: string | URL) => Promise<Response>;
    findAccount: (ctx: Context, accountId: string) => Promise<Account | undefined>;
    interactions: { url: (ctx: Context, interaction: Interaction) => string };
    issueRefreshToken: (ctx: Context, client: Client) => Promise<boolean>;
    jwks: { keys: readonly JsonWebKey[] };
    loadExistingGrant: (ctx: Context) => Promise<Grant | undefined>;
    pkce: { required: () => boolean };
    renderError: (ctx: Context, out: { error: string; error_description?: string }) => Promise<void>;
    responseTypes: readonly string[];
    rotateRefreshToken: boolean | ((ctx: Context) => Promise<boolean>);
    routes: Record<string, string>;
    scopes: readonly string[];
    ttl: Record<string, number>;
  }

  export class Provider {
    constructor(issuer: string, configuration: Partial<Configuration>);
    readonly Grant: {
      new (grant: { jti?: string; accountId: string; clientId: string }): Grant;
      find(id: string): Promise<Grant | undefined>;
    };
    readonly Client: {
      readonly adapter: Pick<Adapter, 'destroy'>;
      find(id: string): Promise<Client | undefined>;
    };
    proxy: boolean;
    callback(): (req: IncomingMessage, res: ServerResponse) => void;
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>;
    interactionFinished(req: IncomingMessage, res: ServerResponse, result: InteractionResult): Promise<void>;
    on(event: 'grant.success' | 'grant.error', listener: (ctx: Context) => void): this;
    on(event: 'server_error', listener: (ctx: Context, error: Error) => void): this;
    use(middleware: (ctx: Context, next: () => Promise<void>) => Promise<void>): this;
  }

  export const errors: {
    /** What all others are: `error` is the code of OAuth. */
    OIDCProviderError: new (
      ...args: never
    ) => Error & { readonly error: string; readonly error_description?: string };
    InvalidGrant: new (detail: string) => Error;
    InvalidRedirectUri: new () => Error;
    InvalidTarget: new (description: string) => Error;
    InvalidScope: new (description: string, scope: string) => Error;
  };
}
