import { GatewayError } from './errors.ts';
import type { Tokens } from './tokens.ts';

export type Api = ReturnType<typeof createApi>;

/** A request that may be sent again until the gateway has it, about two minutes long. */
const ATTEMPTS_MAX = 8;
const PAUSE_MS_MAX = 30_000;
/** The same where the application gave no token, some seconds long: it may just as well have signed its user out. */
const TOKENLESS_ATTEMPTS_MAX = 4;

/** Calls of one gateway with the user's token. No cookie is ever sent along. */
export function createApi({ url, projectId, tokens }: { url: string; projectId: string; tokens: Tokens }) {
  /** Any request. One whose token expired or was revoked is sent again with a new one, if its body allows. */
  async function send(address: string, init: RequestInit): Promise<Response> {
    const sendWith = (token: string) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      return fetch(address, { credentials: 'omit', ...init, headers }).catch(explainNoAnswer);
    };
    const token = await tokens.get();
    const response = await sendWith(token);
    const isOver =
      response.status === 401 &&
      /^token_(expired|revoked)$/.test(response.headers.get('gateway-error') ?? '');
    if (!isOver || init.body instanceof ReadableStream) return response;
    const other = await tokens.getOther(token);
    return other === undefined ? response : sendWith(other);
  }

  /** A call of the management API. Rejects with a GatewayError. */
  async function call<Answer>(
    method: string,
    path: string,
    json?: object,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await send(`${url}/v1/${path}`, {
      method,
      headers: {
        ...headers,
        // For tokens of an identity provider, whose audience is its own.
        'gateway-project': projectId,
        ...(json && { 'content-type': 'application/json' }),
      },
      ...(json && { body: JSON.stringify(json) }),
    });
    if (!response.ok) throw await readError(response);
    // A 204 has no body.
    return JSON.parse((await response.text()) || 'null');
  }

  /** The same, sent again while the gateway cannot be reached or says that it may be, or there is no token. */
  async function callOrThrow<Answer>(
    ...[method, path, json, headers]: Parameters<typeof call>
  ): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await call<Answer>(method, path, json, headers);
      } catch (error) {
        if (attempt >= attemptsFor(error)) throw error;
        await waitUntilOnline(Math.min(500 * 2 ** attempt, PAUSE_MS_MAX));
      }
    }
  }

  /** What every page of a list holds. */
  async function list<Page extends { readonly nextCursor: string | null }, Item>(
    path: string,
    query: Record<string, string>,
    itemsOf: (page: Page) => readonly Item[],
  ): Promise<Item[]> {
    const items: Item[] = [];
    const search = new URLSearchParams({ limit: '200', ...query });
    for (;;) {
      const page = await call<Page>('GET', `${path}?${search}`);
      items.push(...itemsOf(page));
      if (page.nextCursor === null) return items;
      search.set('cursor', page.nextCursor);
    }
  }

  /**
   * The token endpoint: the user's token is part of the form. Its refusals have the form of RFC 6749, by which one of an
   * expired or revoked token reads like any other faulty request (RFC 8693 2.2.2): that is tried with a new token.
   */
  async function postToken(
    formOf: (token: string) => URLSearchParams,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly access_token: string; readonly expires_in: number }> {
    const post = async (token: string) => {
      const request = { method: 'POST', body: formOf(token), credentials: 'omit' } as const;
      const init = { ...request, ...(signal && { signal }) };
      const response = await fetch(`${url}/oauth/token`, init).catch(explainNoAnswer);
      const body = response.json();
      return { response, answer: await (response.ok ? body : body.catch(() => ({}))) };
    };
    const token = await tokens.get();
    let { response, answer } = await post(token);
    if (response.status === 400 && answer.error === 'invalid_request') {
      const other = await tokens.getOther(token).catch(() => undefined);
      if (other !== undefined) ({ response, answer } = await post(other));
    }
    if (response.ok) return answer;
    const { status, headers } = response;
    const { error = 'unknown', error_description: detail = error } = answer;
    const requestId = headers.get('gateway-request-id');
    throw new GatewayError({
      ...{ status, code: error, detail, retryable: status === 429 || status === 503 },
      ...(requestId !== null && { requestId }),
    });
  }

  /** Where the gateway takes proxied calls; its own address where it does not say. */
  async function proxyUrl(): Promise<string> {
    const response = await fetchAddresses().catch((error: unknown) => rejectUnreached(error, NOT_REACHED));
    const body = response.ok ? await response.json() : {};
    return body.proxyUrl ?? url;
  }

  /** Every page may read this answer. */
  function fetchAddresses(cache: RequestCache = 'default'): Promise<Response> {
    return fetch(`${url}/.well-known/integration-gateway`, { credentials: 'omit', cache });
  }

  /** Browsers hide from a page that its origin is not allowed: it looks like a connection that broke. */
  async function explainNoAnswer(error: unknown): Promise<never> {
    const isThere =
      error instanceof TypeError &&
      (await fetchAddresses('no-store').then(
        () => true,
        () => false,
      ));
    return rejectUnreached(error, isThere ? NOT_READABLE : NOT_REACHED);
  }

  return { send, call, callOrThrow, list, postToken, proxyUrl };
}

const NOT_REACHED = 'The gateway was not reached.';
const NOT_READABLE =
  'The gateway is there, but its answer could not be read: the connection broke, or the origin of this page is missing among the allowedOrigins of the project.';

function attemptsFor(error: unknown): number {
  if (!(error instanceof GatewayError)) return TOKENLESS_ATTEMPTS_MAX;
  return error.retryable ? ATTEMPTS_MAX : 1;
}

/** What fetch throws without an answer becomes a GatewayError; an aborted request keeps its own error. */
function rejectUnreached(error: unknown, detail: string): never {
  if (!(error instanceof TypeError)) throw error;
  throw new GatewayError({ status: 0, code: 'network_error', detail, retryable: true }, { cause: error });
}

/** Reads the problem document of an answer that is the gateway's own. */
export async function readError(response: Response): Promise<GatewayError> {
  const problem = await response.json().catch(() => ({}));
  const { status, headers } = response;
  return new GatewayError({ code: headers.get('gateway-error') ?? 'unknown', ...problem, status });
}

function waitUntilOnline(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, ms);
    addEventListener('online', go);
  });
}
