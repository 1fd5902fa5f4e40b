import { createServer, type IncomingMessage } from 'node:http';
import { closeServer, listen } from '../support/listen.ts';

export const NANGO_KEY = 'nango-secret-key-of-the-test';

export type FakeIntegration = {
  readonly provider: string;
  readonly credentials?: Readonly<Record<string, string | null>> | null;
};
export type FakeConnection = {
  readonly id: string;
  readonly key: string;
  readonly user?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  /** `refused`: its refresh failed, which the API answers with an error. */
  readonly credentials: Readonly<Record<string, unknown>> | 'refused';
};

export type FakeNango = {
  readonly url: string;
  integrations: Record<string, FakeIntegration>;
  connections: FakeConnection[];
  /** `GET` and path of every request that was answered, oldest first. */
  readonly seen: string[];
  /** Every so many requests one is too many (429). */
  tooManyEvery: number;
  /** So many readings of credentials the key is still good for. */
  readingsLeft: number;
  readonly close: () => Promise<void>;
};

/**
 * Nango's public API as far as an import reads it, as its source has it: strict queries, pages without a next one,
 * refresh tokens only where they are asked for, errors with a code.
 */
export async function startFakeNango(): Promise<FakeNango> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request);
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(status === 429 && { 'retry-after': '0' }),
    });
    response.end(JSON.stringify(body));
  });
  let requests = 0;
  const fake: FakeNango = {
    url: `http://127.0.0.1:${await listen(server)}`,
    integrations: {},
    connections: [],
    seen: [],
    tooManyEvery: Number.POSITIVE_INFINITY,
    readingsLeft: Number.POSITIVE_INFINITY,
    close: () => closeServer(server),
  };

  function answer(request: IncomingMessage): Answer {
    const { pathname, searchParams: query } = new URL(request.url ?? '', fake.url);
    requests += 1;
    if (requests % fake.tooManyEvery === 0) return refusal(429, 'too_many_request');
    if (request.headers.authorization !== `Bearer ${NANGO_KEY}`)
      return refusal(401, 'invalid_secret_key_format');
    fake.seen.push(`${request.method} ${pathname}`);
    const [, kind, id] = pathname.split('/').map(decodeURIComponent);
    if (kind === 'integrations')
      return id === undefined ? listIntegrations(query) : readIntegration(id, query);
    if (kind === 'connections') return id === undefined ? listConnections(query) : readConnection(id, query);
    return refusal(404, 'not_found');
  }

  function listIntegrations(query: URLSearchParams): Answer {
    if (query.size > 0) return refusal(400, 'invalid_query_params');
    const data = Object.entries(fake.integrations).map(([unique_key, { provider }]) => ({
      unique_key,
      provider,
    }));
    return { status: 200, body: { data } };
  }

  function readIntegration(unique_key: string, query: URLSearchParams): Answer {
    const found = fake.integrations[unique_key];
    if (found === undefined) return refusal(404, 'not_found');
    const isAsked = query.get('include') === 'credentials';
    const credentials = isAsked && { credentials: found.credentials ?? null };
    return { status: 200, body: { data: { unique_key, provider: found.provider, ...credentials } } };
  }

  function listConnections(query: URLSearchParams): Answer {
    const limit = Number(query.get('limit') ?? 10_000);
    const page = Number(query.get('page') ?? 0);
    if (limit < 1 || limit > 2000) return refusal(400, 'invalid_query_params');
    return {
      status: 200,
      body: { connections: fake.connections.slice(page * limit, (page + 1) * limit).map(listed) },
    };
  }

  function readConnection(id: string, query: URLSearchParams): Answer {
    fake.readingsLeft -= 1;
    if (fake.readingsLeft < 0) return refusal(401, 'unknown_key');
    const key = query.get('provider_config_key');
    const found = fake.connections.find((connection) => connection.id === id && connection.key === key);
    if (found === undefined) return refusal(404, 'not_found');
    if (found.credentials === 'refused') return refusal(424, 'invalid_credentials');
    const { refresh_token, ...rest } = found.credentials;
    const isAsked = query.get('refresh_token') === 'true' && refresh_token !== undefined;
    const credentials = isAsked ? { ...rest, refresh_token } : rest;
    return { status: 200, body: { ...listed(found), connection_config: found.config ?? {}, credentials } };
  }

  function listed({ id, key, user, metadata }: FakeConnection) {
    return {
      id: 1,
      connection_id: id,
      provider_config_key: key,
      provider: fake.integrations[key]?.provider ?? 'unknown',
      errors: [],
      end_user: user === undefined ? null : { id: user, display_name: null, email: null, organization: null },
      tags: {},
      metadata: metadata ?? null,
    };
  }

  return fake;
}

type Answer = { readonly status: number; readonly body: unknown };

function refusal(status: number, code: string): Answer {
  return { status, body: { error: { code, message: 'in words that an import does not need' } } };
}
