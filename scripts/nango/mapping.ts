import type { GatewayProvider, GatewayWay, NewConnection, NewIntegration } from './gateway-api.ts';
import type { NangoConnection, NangoFullConnection, NangoIntegration } from './nango-api.ts';
import { isTyped } from './ways.ts';

/** Names that differ between the two catalogs. */
export type Names = {
  /** Nango's name of a provider -> ours. */
  readonly providers: Readonly<Record<string, string>>;
  /** Our provider -> our variable -> the name of Nango's setting. */
  readonly variables: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type Mapped<Result> =
  | ({ readonly ok: true } & Result)
  | { readonly ok: false; readonly reason: string };

/** Where the application's own user id stands in Nango. */
export type UserSource = 'end-user' | 'connection-id' | `tag:${string}`;

/** Kinds of Nango's credentials that can be held here; ways.ts says how. */
export type NangoKind =
  | ('OAUTH2' | 'OAUTH2_CC' | 'API_KEY' | 'BASIC')
  | ('TBA' | 'JWT' | 'TWO_STEP' | 'BILL' | 'SIGNATURE');

/** What the gateway keeps with a connection. */
const METADATA_BYTES_MAX = 16 * 1024;

/** The provider in our catalog that Nango's name stands for. */
export function mapProvider(
  nangoName: string,
  names: Names,
  catalog: ReadonlyMap<string, GatewayProvider>,
): Mapped<{ provider: GatewayProvider }> {
  const id = names.providers[nangoName] ?? nangoName;
  const provider = catalog.get(id);
  if (provider !== undefined) return { ok: true, provider };
  return { ok: false, reason: `provider unknown: the catalog has no “${id}”` };
}

/** The user whose connection it is. Never guessed: the user named here will be able to use it. */
export function mapUser(connection: NangoConnection, source: UserSource): Mapped<{ userId: string }> {
  const named = userNamed(connection, source);
  if (named !== undefined) return { ok: true, userId: named };
  const hint = source === 'end-user' ? ' (see --user)' : '';
  return { ok: false, reason: `no user: the connection has no ${wordsFor(source)}${hint}` };
}

function userNamed(
  { end_user, tags, connection_id }: NangoConnection,
  source: UserSource,
): string | undefined {
  if (source === 'connection-id') return connection_id;
  const tag = tags[source === 'end-user' ? 'end_user_id' : source.slice('tag:'.length)];
  const tagged = typeof tag === 'string' && tag !== '' ? tag : undefined;
  return source === 'end-user' ? (end_user?.id ?? tagged) : tagged;
}

function wordsFor(source: UserSource): string {
  return source === 'end-user' ? 'end user' : `tag “${source.slice('tag:'.length)}”`;
}

/** What an integration of ours must hold for connections of this one. Undefined connection: for none in particular. */
export function mapIntegration(
  { provider, way }: { readonly provider: GatewayProvider; readonly way: GatewayWay },
  integration: NangoIntegration,
  connection: NangoFullConnection | undefined,
  names: Names,
): Mapped<{ body: NewIntegration }> {
  const needed = way.variables.filter(({ from }) => from === 'integration').map(({ name }) => name);
  const base = {
    serviceProvider: provider.id,
    ...(way !== provider.grants[0] && { grant: way.id }),
    variables: connection === undefined ? {} : variablesNamed(needed, provider, connection, names),
  };
  if (!way.operatorFields.some(({ name }) => name === 'clientSecret')) return { ok: true, body: base };
  const client = clientOf(way, integration, connection);
  if (client.id === undefined || client.secret === undefined) {
    return { ok: false, reason: 'no client id and secret: is it an OAuth app of Nango’s own?' };
  }
  return {
    ok: true,
    body: {
      ...base,
      clientId: client.id,
      clientSecret: client.secret,
      ...(provider.webhooks.secretUse !== 'none' && {
        webhookSecret: integration.credentials?.webhook_secret,
      }),
      scopes: (integration.credentials?.scopes ?? '').split(/[\s,]+/).filter((scope) => scope !== ''),
    },
  };
}

/** Client credentials belong to each connection there, and so may an OAuth app that a connection brought itself. */
function clientOf(
  way: GatewayWay,
  integration: NangoIntegration,
  connection: NangoFullConnection | undefined,
): { id: string | undefined; secret: string | undefined } {
  const own = connection?.credentials;
  if (way.auth === 'oauth2-client-credentials') return { id: own?.client_id, secret: own?.client_secret };
  const override = own?.config_override;
  if (override?.client_id !== undefined) return { id: override.client_id, secret: override.client_secret };
  return { id: integration.credentials?.client_id, secret: integration.credentials?.client_secret };
}

/** What a connection of ours holds of this one, and what there is to say about it. */
export function mapConnection(
  { provider, way }: { readonly provider: GatewayProvider; readonly way: GatewayWay },
  connection: NangoFullConnection,
  userId: string,
  names: Names,
  nowMs: number,
): Mapped<{ body: NewConnection; warnings: readonly string[] }> {
  const credentials = credentialsOf(way, connection, nowMs);
  if (!credentials.ok) return credentials;
  const asked = way.variables.filter(({ from }) => from !== 'integration').map(({ name }) => name);
  const variables = variablesNamed(asked, provider, connection, names);
  const { customMetadata, isLeft } = metadataOf(connection);
  const warnings = [credentials.warning, isLeft ? 'metadata larger than 16 KiB was left behind' : undefined];
  return {
    ok: true,
    body: { userId, credentials: { ...credentials.values, variables }, customMetadata },
    warnings: warnings.filter((warning) => warning !== undefined),
  };
}

/** Nango's metadata, with a note of where the connection came from, by which a later run knows it again. */
function metadataOf({ metadata, connection_id, provider_config_key }: NangoFullConnection) {
  const nango = { connectionId: connection_id, integration: provider_config_key };
  const whole = { ...metadata, nango };
  const isLeft = Buffer.byteLength(JSON.stringify(whole)) > METADATA_BYTES_MAX;
  return { customMetadata: isLeft ? { nango } : whole, isLeft };
}

type Credentials = Mapped<{ values: Record<string, unknown>; warning?: string }>;

function credentialsOf(way: GatewayWay, { credentials }: NangoFullConnection, nowMs: number): Credentials {
  const { username, password, apiKey } = credentials;
  // What is typed into a form here is variables alone.
  if (isTyped(way)) return { ok: true, values: {} };
  if (way.auth === 'api-key') {
    // A key that stands as the user name of Basic.
    const key = apiKey ?? (password ? undefined : username);
    return key === undefined ? missing('API key') : { ok: true, values: { apiKey: key } };
  }
  if (way.auth === 'basic') {
    return username === undefined
      ? missing('user name')
      : { ok: true, values: { username, password: password ?? '' } };
  }
  return way.auth === 'oauth2' ? tokensOf(credentials, nowMs) : clientTokenOf(credentials);
}

function tokensOf(credentials: NangoFullConnection['credentials'], nowMs: number): Credentials {
  const { access_token: accessToken, refresh_token: refreshToken, raw } = credentials;
  if (accessToken === undefined) return missing('access token');
  const expiresAt = instantOf(credentials.expires_at);
  if (refreshToken === undefined && expiresAt !== undefined && expiresAt.getTime() <= nowMs) {
    return { ok: false, reason: 'missing refresh token, and the access token has expired' };
  }
  const scopes = typeof raw.scope === 'string' ? raw.scope.split(/[\s,]+/).filter(Boolean) : undefined;
  const values = {
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(expiresAt !== undefined && { expiresAt: expiresAt.toISOString() }),
    ...(scopes !== undefined && scopes.length > 0 && { scopes }),
  };
  const isShortLived = refreshToken === undefined && expiresAt !== undefined;
  const warning = isShortLived ? `missing refresh token: works until ${expiresAt.toISOString()}` : undefined;
  return { ok: true, values, ...(warning !== undefined && { warning }) };
}

function clientTokenOf({ token, expires_at }: NangoFullConnection['credentials']): Credentials {
  if (token === undefined) return missing('access token');
  const expiresAt = instantOf(expires_at);
  return {
    ok: true,
    values: { accessToken: token, ...(expiresAt && { expiresAt: expiresAt.toISOString() }) },
  };
}

function missing(what: string): { ok: false; reason: string } {
  return { ok: false, reason: `no ${what} in Nango’s answer: may its key read credentials?` };
}

function instantOf(text: string | undefined): Date | undefined {
  const instant = new Date(text ?? Number.NaN);
  return Number.isNaN(instant.getTime()) ? undefined : instant;
}

/** Values of our variables, from Nango's settings of the connection, its credentials or the token response it kept. */
function variablesNamed(
  wanted: readonly string[],
  provider: GatewayProvider,
  { connection_config, credentials }: NangoFullConnection,
  names: Names,
): Record<string, string> {
  const byName = new Map(
    [credentials.raw, credentials, connection_config].flatMap((source) =>
      Object.entries(source).flatMap(([name, value]): [string, string][] =>
        typeof value === 'string' || typeof value === 'number' ? [[plain(name), String(value)]] : [],
      ),
    ),
  );
  const found = wanted.flatMap((name): [string, string][] => {
    const value = byName.get(plain(names.variables[provider.id]?.[name] ?? name)) ?? byName.get(plain(name));
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  return Object.fromEntries(found);
}

/** `accounts-server`, `accounts_server` and `accountsServer` are one name. */
function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}
