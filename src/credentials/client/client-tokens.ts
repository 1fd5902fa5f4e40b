import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import type { TokenEndpoint } from '../../oauth/token-endpoint.ts';
import type { Target } from '../../oauth/token-message.ts';
import type { TokenFailure } from '../../oauth/token-outcome.ts';

const KEPT_MAX = 2_000;
/** Of a token whose answer does not say how long it lives. */
const LIFE_SECONDS_USUAL = 300;
/** A token is asked for again so long before its end, at half of its life at the latest. */
const MARGIN_SECONDS = 60;

/** Whose token is asked for: an integration in one version, and where its client gets tokens. */
export type Asking = {
  readonly integration: {
    readonly id: string;
    readonly version: number;
    /** Whose client it is; null, or left out: the integration's own. */
    readonly organizationClient?: { readonly versionId: string } | null;
  };
  tokenTarget(): Target;
};

/** The provider gave no token to the integration's client. */
export class ClientTokenError extends Error {
  override readonly name = 'ClientTokenError';
  readonly isTransient: boolean;
  readonly retryAfterMs: number | null;
  constructor(
    message: string,
    { isTransient, retryAfterMs }: { isTransient: boolean; retryAfterMs: number | null },
  ) {
    super(message);
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
  }
}

export type ClientTokens = ReturnType<typeof createClientTokens>;

/**
 * Tokens of integrations' own clients (RFC 6749 section 4.4), for what belongs to the application: logs of changes,
 * registrations of webhooks, keys. They are kept in memory until they expire; one request at a time asks for each.
 */
export function createClientTokens(deps: {
  tokenEndpoint: Pick<TokenEndpoint, 'clientCredentials'>;
  now(): number;
}) {
  const kept = new LRUCache<string, { readonly accessToken: string; readonly usableUntilMs: number }>(
    entriesUpTo(KEPT_MAX),
  );
  const asked = new Map<string, Promise<string>>();

  async function ask(key: string, connection: Asking, scopes: readonly string[]): Promise<string> {
    const outcome = await deps.tokenEndpoint.clientCredentials({ ...connection.tokenTarget(), scopes });
    if (!outcome.ok) throw failureOf(outcome, scopes);
    const { accessToken, expiresInSeconds } = outcome.tokens;
    const lifeSeconds = expiresInSeconds ?? LIFE_SECONDS_USUAL;
    const usableSeconds = lifeSeconds - Math.min(MARGIN_SECONDS, lifeSeconds / 2);
    kept.set(key, { accessToken, usableUntilMs: deps.now() + usableSeconds * 1000 });
    return accessToken;
  }

  return {
    /** The access token for calls with these scopes. Rejects with ClientTokenError. */
    get(connection: Asking, scopes: readonly string[]): Promise<string> {
      const key = keyOf(connection, scopes);
      const found = kept.get(key);
      if (found !== undefined && deps.now() < found.usableUntilMs) return Promise.resolve(found.accessToken);
      const running = asked.get(key);
      if (running !== undefined) return running;
      const asking = ask(key, connection, scopes).finally(() => asked.delete(key));
      asked.set(key, asking);
      return asking;
    },

    /** The provider refuses this token. */
    forget(connection: Asking, scopes: readonly string[], accessToken: string): void {
      const key = keyOf(connection, scopes);
      if (kept.get(key)?.accessToken === accessToken) kept.delete(key);
    },
  };
}

/** A client that was changed gets tokens of its own. */
function keyOf({ integration }: Asking, scopes: readonly string[]): string {
  const { id, version, organizationClient } = integration;
  return [id, version, organizationClient?.versionId ?? '-', ...scopes].join(' ');
}

function failureOf(failure: TokenFailure, scopes: readonly string[]): ClientTokenError {
  const { kind, errorCode, words, retryAfterMs = null } = failure;
  const said = [errorCode, ...(words === undefined ? [] : [words])].join(': ');
  if (kind === 'transient') {
    const detail = `The provider gave no token to the integration’s client (${said}).`;
    return new ClientTokenError(detail, { isTransient: true, retryAfterMs });
  }
  const remedy =
    scopes.length === 0
      ? 'Check client id and client secret of the integration.'
      : `Give the application these scopes at the provider: ${scopes.join(' ')}.`;
  return new ClientTokenError(
    `The provider refused a token to the integration’s client (${said}). ${remedy}`,
    { isTransient: false, retryAfterMs: null },
  );
}
