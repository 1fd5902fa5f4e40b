import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Method } from './calls.ts';
import { toGatewayError } from './errors.ts';

export type SendOptions = {
  readonly url: string;
  readonly apiKey: string;
  readonly retries?: number | undefined;
  readonly timeoutMs?: number | undefined;
};

/** A call as text: what the types of each path allow, taken together. */
export type Parts = {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** A success. */
export type Sent<B> = { readonly status: number; readonly headers: Headers; readonly body: B };

/** A longer wait than this is the caller's to decide about. */
const WAIT_SECONDS_MAX = 30;

/**
 * Sends calls of the management API, again after 429 and 503, when the gateway did nothing. Rejects with a GatewayError
 * for every other answer than a success, and with fetch's own error when there is no answer.
 */
export function createSend({ url, apiKey, retries = 2, timeoutMs = 30_000 }: SendOptions) {
  const base = `${originOf(url)}/v1`;
  if (typeof apiKey !== 'string' || apiKey === '')
    throw new TypeError('`apiKey` is missing: an API key of the project (igk_…), or a personal access token');

  return async <B>(method: Method, path: string, parts: Parts = {}): Promise<Sent<B>> => {
    const target = base + fillPath(path, parts.path) + queryText(parts.query);
    const request = { method: method.toUpperCase(), ...messageOf(method, parts, apiKey) };
    for (let tried = 0; ; tried += 1) {
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = parts.signal ? AbortSignal.any([parts.signal, timeout]) : timeout;
      const response = await fetch(target, { ...request, signal, redirect: 'error' });
      const text = await response.text();
      if (response.ok)
        return { status: response.status, headers: response.headers, body: bodyOf(response, text) };
      const seconds = tried < retries ? waitSeconds(response, tried) : undefined;
      if (seconds === undefined) throw toGatewayError(response, text);
      await sleep(seconds * 1000, undefined, parts.signal ? { signal: parts.signal } : {});
    }
  };
}

/** Throws a TypeError that names the option: most often it is an environment variable that is not set. */
function originOf(url: unknown): string {
  const parsed = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol === 'https:' || parsed?.protocol === 'http:') return parsed.href.replace(/\/$/, '');
  const given = typeof url === 'string' ? `"${url}"` : String(url);
  throw new TypeError(
    `\`url\` must be the gateway's PUBLIC_URL, such as https://gateway.example, and is ${given}`,
  );
}

/** The same for every try, so that the gateway knows a repeated POST by its key. */
function messageOf(method: Method, { header = {}, body }: Parts, apiKey: string) {
  const headers = new Headers({ authorization: `Bearer ${apiKey}` });
  if (body !== undefined) headers.set('content-type', 'application/json');
  if (method === 'post') headers.set('idempotency-key', randomUUID());
  for (const [name, value] of present(header)) headers.set(name, value);
  return { headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
}

/** How long to wait before the next try; undefined when there should be none. */
function waitSeconds({ status, headers }: Response, tried: number): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const asked = headers.get('retry-after');
  if (asked === null) return 2 ** tried * (0.5 + Math.random() / 2);
  const seconds = /^\d+$/.test(asked) ? Number(asked) : (Date.parse(asked) - Date.now()) / 1000;
  return seconds <= WAIT_SECONDS_MAX ? Math.max(0, seconds) : undefined;
}

function fillPath(template: string, values: Parts['path'] = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    // An empty one, and one that fetch takes for a step in the path, would make the address of another resource.
    if (value === undefined || /^\.{0,2}$/.test(String(value)))
      throw new TypeError(`The path ${template} needs ${name}`);
    return encodeURIComponent(String(value));
  });
}

function queryText(query: Parts['query'] = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => present(spread(name, value)));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

/** Members of an object are parameters by themselves, `tag[plan]=pro` (OpenAPI: `deepObject`). */
function spread(name: string, value: unknown): Readonly<Record<string, unknown>> {
  // Lists, dates and the like have a text of their own.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return { [name]: value };
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [`${name}[${key}]`, member]));
}

function present(values: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

/**
 * JSON is trusted to be what the document says: the gateway checks its own answers against it. What the gateway answers in
 * another form, such as an export, is its text.
 */
function bodyOf(response: Response, text: string) {
  if (text === '') return undefined;
  const { headers } = response;
  if (JSON_TYPE.test(headers.get('content-type') ?? 'application/json')) return JSON.parse(text);
  // A page of another server, such as one to sign in at, stands in the gateway's place.
  if (!headers.has('gateway-request-id')) throw toGatewayError(response, text);
  return text;
}
