import type { QueryClient } from '@tanstack/react-query';
import { gatewayQuery } from '../api/operators.ts';
import { api } from '../api/queries.ts';

export type TriedCall = {
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | null;
  /** The gateway's own error code; null where the answer is the provider's. */
  readonly gatewayError: string | null;
  /** The first characters of the body. */
  readonly text: string;
};

const BODY_CHARACTERS_MAX = 4_000;

/** Where the calls of this provider go: the address of the proxy, without the provider's own path. */
export async function proxyAddress(
  client: QueryClient,
  projectId: string,
  provider: string,
): Promise<string> {
  const { proxyUrl } = await client.ensureQueryData(gatewayQuery);
  return `${proxyUrl}/projects/${projectId}/proxy/${encodeURIComponent(provider)}`;
}

/** Calls a provider as the operator's own test user, with a token that lives for a minute and is kept nowhere. */
export async function tryCall(
  client: QueryClient,
  { projectId, provider, path }: { projectId: string; provider: string; path: string },
): Promise<TriedCall> {
  const [base, { token }] = await Promise.all([
    proxyAddress(client, projectId, provider),
    api.post('/user-tokens', { body: { projectId, expiresIn: 60 } }),
  ]);
  const startedAtMs = performance.now();
  const response = await fetch(`${base}/${path.replace(/^\//, '')}`, {
    headers: { authorization: `Bearer ${token}` },
    // A bearer token never mixes with the session's cookie.
    credentials: 'omit',
    cache: 'no-store',
  });
  const text = await response.text();
  return {
    status: response.status,
    durationMs: performance.now() - startedAtMs,
    requestId: response.headers.get('gateway-request-id'),
    gatewayError: response.headers.get('gateway-error'),
    text: pretty(text).slice(0, BODY_CHARACTERS_MAX),
  };
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
