import { setTimeout as delay } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const ATTEMPTS_MAX = 8;
const BACKOFF_FIRST_MS = 500;
const WAIT_MAX_MS = 120_000;
const RETRIED = new Set([429, 502, 503, 504]);

/** A call that was refused, or never answered. The message names path and status, never what was sent or answered. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** 0: no answer. */
  readonly status: number;
  /** The answer's JSON, for callers who know what of it may be shown. */
  readonly body: unknown;

  constructor(message: string, status: number, body: unknown) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

export type Call = {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Requester = (call: Call) => Promise<unknown>;

/**
 * Calls one JSON API with a bearer key. What is too much or down for now is asked again, after as long as the answer
 * says (`Retry-After`, RFC 9110 10.2.3) or else after growing pauses. Throws RequestError.
 */
export function createRequester(baseUrl: string, key: string): Requester {
  const base = baseUrl.replace(/\/+$/, '');
  return async ({ method = 'GET', path, body, headers }) => {
    for (let attempt = 1; ; attempt += 1) {
      const response = await send(`${base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answer = response === undefined ? undefined : await jsonOf(response);
      if (response?.ok) return answer;
      const isPassing = response === undefined || RETRIED.has(response.status);
      if (!isPassing || attempt === ATTEMPTS_MAX) throw failure(base, method, path, response, answer);
      await delay(waitMs(response?.headers.get('retry-after') ?? null, attempt, Date.now()));
    }
  };
}

/** How long to wait before the next try. Pure. */
export function waitMs(retryAfter: string | null, attempt: number, nowMs: number): number {
  const asked =
    retryAfter === null
      ? Number.NaN
      : /^\d+$/.test(retryAfter)
        ? Number(retryAfter) * 1000
        : Date.parse(retryAfter) - nowMs;
  const usual = BACKOFF_FIRST_MS * 2 ** (attempt - 1);
  return Math.min(Math.max(Number.isNaN(asked) ? usual : asked, 0), WAIT_MAX_MS);
}

async function send(url: string, init: RequestInit): Promise<Response | undefined> {
  try {
    // A redirect would carry the key to another server.
    return await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    if (error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError'))
      return undefined;
    throw error;
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function failure(
  base: string,
  method: string,
  path: string,
  response: Response | undefined,
  body: unknown,
): RequestError {
  const [address] = path.split('?');
  const outcome = response === undefined ? 'was not answered' : `was answered ${response.status}`;
  return new RequestError(`${method} ${base}${address} ${outcome}`, response?.status ?? 0, body);
}
