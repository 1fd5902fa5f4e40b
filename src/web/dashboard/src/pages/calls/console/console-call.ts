import { request } from '../../../api/client.ts';

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;
export type Method = (typeof METHODS)[number];

export type Row = { readonly id: number; readonly name: string; readonly value: string };

/** What the form says. Kept in component state alone. */
export type ConsoleCall = {
  readonly provider: string;
  readonly method: Method;
  readonly path: string;
  readonly query: readonly Row[];
  readonly headers: readonly Row[];
  readonly body: string;
  /** The application's id of the user; empty for the operator's own test user. */
  readonly userId: string;
  readonly connectionId: string;
};

export type ConsoleResponse = {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly contentType: string;
  /** Undefined for a body that is no text. */
  readonly text: string | undefined;
  readonly isCut: boolean;
  readonly bytes: number;
  readonly requestId: string | null;
  /** The gateway's own error code; null where the provider answered. */
  readonly gatewayError: string | null;
  /** As the gateway measured until its answer began; null where it did not say. */
  readonly timing: { readonly gatewayMs: number; readonly providerMs: number } | null;
  /** From sending to the last byte, as the browser saw it. */
  readonly totalMs: number;
};

/** More would make the page slow. */
export const SHOWN_BYTES_MAX = 1_000_000;

/** The provider's address at the proxy. */
export function proxyBase(proxyUrl: string, projectId: string, provider: string): string {
  return `${proxyUrl}/projects/${projectId}/proxy/${provider}`;
}

/** The path with its query. What the path's own text has of a query stays first. */
export function buildTarget({ path, query }: Pick<ConsoleCall, 'path' | 'query'>): string {
  const pairs = query.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]);
  const text = new URLSearchParams(pairs).toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

export function hasBody(method: Method): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

type UserToken = { readonly token: string; readonly expiresAt: string };
const TOKEN_SECONDS = 300;
const MARGIN_MS = 30_000;
const tokens = new Map<string, UserToken>();

/**
 * A token for the operator's own test user or, audited, for a user of the application; kept in memory for five minutes,
 * so that not every call makes one.
 */
async function tokenFor(projectId: string, userId: string): Promise<string> {
  const key = `${projectId} ${userId}`;
  const held = tokens.get(key);
  if (held && Date.parse(held.expiresAt) - MARGIN_MS > Date.now()) return held.token;
  const body = { projectId, expiresIn: TOKEN_SECONDS, ...(userId !== '' && { userId }) };
  const made = await request<UserToken>('POST', '/user-tokens', { body });
  tokens.set(key, made);
  return made.token;
}

/** Forgets the tokens: of an operator who signs out, or whose token was refused. */
function forgetTokens(): void {
  tokens.clear();
}

/** Sends the call through the proxy as that user. Throws what making the token throws, and TypeError without an answer. */
export async function sendCall(
  call: ConsoleCall,
  { proxyUrl, projectId, signal }: { proxyUrl: string; projectId: string; signal: AbortSignal },
): Promise<ConsoleResponse> {
  const token = await tokenFor(projectId, call.userId);
  const headers = new Headers();
  for (const { name, value } of call.headers) if (name !== '') headers.append(name, value);
  const isSent = hasBody(call.method) && call.body !== '';
  if (isSent && !headers.has('content-type')) headers.set('content-type', 'application/json');
  headers.set('authorization', `Bearer ${token}`);
  headers.set('gateway-timing', 'true');
  if (call.connectionId !== '') headers.set('gateway-connection', call.connectionId);
  const startedMs = performance.now();
  const response = await fetch(proxyBase(proxyUrl, projectId, call.provider) + buildTarget(call), {
    method: call.method,
    headers,
    signal,
    // The session's cookie is none of the proxy's business.
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'manual',
    referrerPolicy: 'no-referrer',
    ...(isSent && { body: call.body }),
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const totalMs = performance.now() - startedMs;
  if (response.status === 401) forgetTokens();
  return describeAnswer(response, bytes, totalMs);
}

function describeAnswer(response: Response, bytes: Uint8Array, totalMs: number): ConsoleResponse {
  const contentType = response.headers.get('content-type') ?? '';
  return {
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers].filter(([name]) => name !== 'gateway-timing'),
    contentType,
    text: isText(contentType, bytes)
      ? new TextDecoder().decode(bytes.subarray(0, SHOWN_BYTES_MAX))
      : undefined,
    isCut: bytes.length > SHOWN_BYTES_MAX,
    bytes: bytes.length,
    requestId: response.headers.get('gateway-request-id'),
    gatewayError: response.headers.get('gateway-error'),
    timing: readTiming(response.headers.get('gateway-timing')),
    totalMs,
  };
}

function isText(contentType: string, bytes: Uint8Array): boolean {
  if (/^text\/|json|xml|javascript|x-www-form-urlencoded|graphql|yaml|csv/i.test(contentType)) return true;
  return contentType === '' && !bytes.subarray(0, 1_000).includes(0);
}

/** `gateway;dur=1.2, provider;dur=80` (Server Timing, section 3). */
function readTiming(text: string | null): ConsoleResponse['timing'] {
  const [, gateway] = /gateway;dur=([\d.]+)/.exec(text ?? '') ?? [];
  const [, provider] = /provider;dur=([\d.]+)/.exec(text ?? '') ?? [];
  if (gateway === undefined || provider === undefined) return null;
  return { gatewayMs: Number(gateway), providerMs: Number(provider) };
}
