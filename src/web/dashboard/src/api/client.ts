import type {
  CallArguments,
  Method,
  Operation,
  PathOf,
  ResultOf,
} from '../../../../../clients/node/src/calls.ts';
import { ApiError, type Problem, UnreachableError } from './problem.ts';
import { reportUnreachable } from './reachability.ts';

const BASE = '/v1';

/** The parts of a call that the documented types do not describe. */
export type RequestParts = {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Calls the management API with the session's cookie. Gives the JSON of the answer, undefined where it has none. Throws
 * ApiError for a refusal and UnreachableError when the gateway did not answer. Prefer `api`, whose types come from the
 * OpenAPI document.
 */
export async function request<T>(method: string, template: string, parts: RequestParts = {}): Promise<T> {
  return (await requestWithEtag<T>(method, template, parts)).value;
}

/** A thing with the ETag on which a change is based: send it back as `If-Match`, and a change in between is a 412. */
export type Tagged<T> = { readonly value: T; readonly etag: string | null };

/** The same as `request`, with the answer's ETag. */
export async function requestWithEtag<T>(
  method: string,
  template: string,
  parts: RequestParts = {},
): Promise<Tagged<T>> {
  const target = BASE + fillPath(template, parts.path) + queryText(parts.query);
  const headers = new Headers({ accept: 'application/json' });
  if (parts.body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of present(parts.header)) headers.set(name, value);
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
  if (parts.body !== undefined) init.body = JSON.stringify(parts.body);
  if (parts.signal) init.signal = parts.signal;
  const response = await fetch(target, init).catch((error: unknown) => {
    if (parts.signal?.aborted) throw error;
    reportUnreachable();
    throw new UnreachableError('The gateway did not answer', { cause: error });
  });
  const text = await response.text();
  if (response.ok) return { value: parse(text), etag: response.headers.get('etag') };
  throw toError(response, text);
}

/** Trusted to be what the OpenAPI document says: the gateway checks its own answers against it. */
function parse(text: string) {
  return text === '' ? undefined : JSON.parse(text);
}

function toError(response: Response, text: string): Error {
  const isProblem = response.headers.get('content-type')?.includes('problem+json') === true;
  if (isProblem) return new ApiError(JSON.parse(text) satisfies Problem);
  // Not the gateway's own words: something before it answered in its place.
  if (response.status >= 502 && response.status <= 504) {
    reportUnreachable();
    return new UnreachableError(`HTTP ${response.status}`);
  }
  const requestId = response.headers.get('gateway-request-id');
  const title = `HTTP ${response.status}`;
  return new ApiError({ status: response.status, code: 'unknown', title, detail: '', remedy: '', requestId });
}

function fillPath(template: string, values: RequestParts['path'] = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`The path ${template} needs ${name}`);
    return encodeURIComponent(String(value));
  });
}

function queryText(query: RequestParts['query']): string {
  const text = new URLSearchParams(present(query)).toString();
  return text === '' ? '' : `?${text}`;
}

function present(values: Readonly<Record<string, unknown>> = {}): [string, string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  );
}

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: CallArguments<Operation<M, P>>
) => Promise<ResultOf<Operation<M, P>>>;

/** The management API, typed by its OpenAPI document: `api.get('/projects/{projectId}', { path: { projectId } })`. */
export const api: { readonly [M in Method]: Call<M> } = {
  get: (path, ...[parts]) => request('GET', path, parts),
  post: (path, ...[parts]) => request('POST', path, parts),
  patch: (path, ...[parts]) => request('PATCH', path, parts),
  delete: (path, ...[parts]) => request('DELETE', path, parts),
};
