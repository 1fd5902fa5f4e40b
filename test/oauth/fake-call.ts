import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { type Expected, fillAll, type Texts } from './expected-requests.ts';

export type Reply = { readonly status: number; readonly body?: unknown };
export type Call = {
  readonly method: string;
  /** The address that the gateway believes to call. */
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** How a call differs from the one that the provider wants at this address. */
export function differences(call: Call, expected: Expected, url: URL, basePath: string): string[] {
  const query = { ...Object.fromEntries(url.searchParams), ...expected.query };
  const parts: [string, unknown, unknown][] = [
    ['method', call.method, expected.method],
    ['address', `${call.url.host}${call.url.pathname}`, `${url.host}${basePath}${url.pathname}`],
    ['query', Object.fromEntries(call.url.searchParams), query],
    ['content type', call.headers['content-type'], expected.headers['Content-Type'] ?? expected.type],
    ['body', bodyOf(call), expected.body],
    ['authorization', call.headers.authorization, expected.headers.Authorization ?? expected.authorization],
  ];
  const faults = parts.flatMap(([part, actual, wanted]) => {
    if (isDeepStrictEqual(actual, wanted)) return [];
    return [`${part}: ${JSON.stringify(actual)} instead of ${JSON.stringify(wanted)}`];
  });
  return [...faults, ...wrongHeaders(expected.headers, call)];
}

export function wrongHeaders(headers: Texts, call: Call): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const sent = call.headers[name.toLowerCase()];
    return sent === value ? [] : [`${name}: ${sent} instead of ${value}`];
  });
}

/** Templates with their values, less those that name a value which is not known. */
export function known(templates: Texts, values: Texts): Texts {
  const filled = Object.entries(fillAll(templates, values));
  return Object.fromEntries(filled.filter(([, value]) => unfilled(value).length === 0));
}

export function lowerCased(headers: Texts): Texts {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function isCarried(headers: Texts, call: Call): boolean {
  return Object.entries(headers).every(([name, value]) => call.headers[name] === value);
}

function bodyOf({ body, headers }: Call): unknown {
  if (body === '') return undefined;
  const isJson = headers['content-type'] === 'application/json';
  return isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

export function readParameters(call: Call): Readonly<Record<string, unknown>> {
  const body = bodyOf(call);
  const inBody = typeof body === 'object' && body !== null ? body : {};
  return { ...Object.fromEntries(call.url.searchParams), ...inBody };
}

export function unfilled(text: string): string[] {
  return [...text.matchAll(/\{[A-Za-z][\w.]*\}/g)].map(([placeholder]) => `${placeholder} is not filled`);
}
