import type {
  CallArguments,
  Method,
  Operation,
  PathOf,
  ResultOf,
} from '../../../../../clients/node/src/calls.ts';
import { findAttempt } from './attempt.ts';
import { ApiError, findStatus, type Problem, UnreachableError } from './problem.ts';
import { noteAnswer, reportUnreachable } from './reachability.ts';
import { isSessionEnd, restoreSession } from './session-end.ts';

const BASE = '/v1';

/** The parts of a call that the documented types do not describe. */
export type RequestParts = {
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly header?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** False where a refusal of the session is the answer, and no reason to sign in again. */
  readonly needsSession?: false;
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
  const attempt = findAttempt();
  const init = buildInit(method, parts);
  if (method === 'POST' && attempt !== undefined && !init.headers.has(KEY))
    init.headers.set(KEY, attempt.keyFor(`${target} ${init.body}`));
  try {
    return await sendInSession<T>(target, init, parts.needsSession ?? true);
  } catch (error) {
    // The answer to the first of them was lost.
    if (method === 'DELETE' && attempt?.isRepeat && findStatus(error) === 404)
      return { value: parse(''), etag: null };
    throw error;
  }
}

const KEY = 'idempotency-key';

function buildInit(method: string, { header, body, signal }: RequestParts) {
  const headers = new Headers({ accept: 'application/json' });
  if (body !== undefined) headers.set('content-type', 'application/json');
  for (const [name, value] of present(header)) headers.set(name, value);
  const init: RequestInit = { credentials: 'same-origin', cache: 'no-store' };
  if (body !== undefined) init.body = JSON.stringify(body);
  if (signal) init.signal = signal;
  return { ...init, method, headers };
}

type Init = ReturnType<typeof buildInit>;

/** Sends it once more where the session had ended and the operator has signed in again. */
async function sendInSession<T>(target: string, init: Init, needsSession: boolean): Promise<Tagged<T>> {
  try {
    return await sendOnce(target, init);
  } catch (error) {
    if (!needsSession || !isSessionEnd(error) || !(await restoreSession(init.method !== 'GET'))) throw error;
    return sendOnce(target, init);
  }
}

async function sendOnce<T>(target: string, init: Init): Promise<Tagged<T>> {
  const isRepeatable = init.method !== 'POST' || init.headers.has(KEY);
  const { response, text } = await receive(target, init).catch((cause: unknown) => {
    if (init.signal?.aborted) throw cause;
    reportUnreachable();
    throw new UnreachableError('The gateway did not answer', { cause, isRepeatable });
  });
  if (response.ok) return { value: parse(text), etag: response.headers.get('etag') };
  throw toError(response, text, isRepeatable);
}

/** The network may also go between an answer's head and its end. */
async function receive(target: string, init: Init): Promise<{ response: Response; text: string }> {
  const response = await fetch(target, init);
  noteAnswer();
  return { response, text: await response.text() };
}

/** A file of JSON that the gateway serves beside the API, and that the browser may keep. */
export async function requestFile<T>(path: string, signal: AbortSignal): Promise<T> {
  const headers = new Headers({ accept: 'application/json' });
  return (await sendOnce<T>(path, { method: 'GET', headers, signal })).value;
}

/** Trusted to be what the OpenAPI document says: the gateway checks its own answers against it. */
function parse(text: string) {
  return text === '' ? undefined : JSON.parse(text);
}

function toError(response: Response, text: string, isRepeatable: boolean): Error {
  const isProblem = response.headers.get('content-type')?.includes('problem+json') === true;
  if (isProblem) return new ApiError(JSON.parse(text) satisfies Problem);
  // Not the gateway's own words: something before it answered in its place.
  if (response.status >= 502 && response.status <= 504) {
    reportUnreachable();
    return new UnreachableError(`HTTP ${response.status}`, { isRepeatable });
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
