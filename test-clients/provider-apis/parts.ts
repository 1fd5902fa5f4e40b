import type { IncomingHttpHeaders } from 'node:http';
import type { ApiAnswer, ApiCall } from './server.ts';

/** Judges calls by one exact `Authorization`, and takes no other credential beside it. */
export function authorizedBy(authorization: string): (headers: IncomingHttpHeaders) => boolean {
  return (headers) => headers.authorization === authorization;
}

/** Judges calls by one exact header of the provider's own; a call with an `Authorization` as well is refused. */
export function authorizedByHeader(name: string, value: string): (headers: IncomingHttpHeaders) => boolean {
  return (headers) => headers[name] === value && headers.authorization === undefined;
}

/** RFC 7617. */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/** Answers the first call with `limit` and every other one with `answer`. */
export function limitedOnce(
  limit: ApiAnswer,
  answer: (call: ApiCall) => ApiAnswer,
): (call: ApiCall) => ApiAnswer {
  let isFirst = true;
  return (call) => {
    if (!isFirst) return answer(call);
    isFirst = false;
    return limit;
  };
}

/** `count` items from `start`, and where the next ones begin; undefined at the end. */
export function readPage<T>(
  items: readonly T[],
  start: number,
  count: number,
): { page: readonly T[]; next: number | undefined } {
  const end = start + count;
  return { page: items.slice(start, end), next: end < items.length ? end : undefined };
}

export const readJson = (call: ApiCall) => JSON.parse(call.body.toString('utf8'));

export const readForm = (call: ApiCall) => new URLSearchParams(call.body.toString('utf8'));

/** RFC 7578, by the platform's own reader. */
export const readMultipart = (call: ApiCall): Promise<FormData> =>
  new Response(new Uint8Array(call.body), {
    headers: { 'content-type': call.headers['content-type'] ?? '' },
  }).formData();
