import type { Provider } from '../catalog/schema/provider.schema.ts';
import { fillCallTemplate, fillJsonTemplate, type TemplateSource } from '../lib/call-template.ts';
import { isRecord } from '../lib/is-record.ts';
import { toFilledText } from '../lib/json-path.ts';

type Call = NonNullable<Provider['logout']>;

export type LoginMessage = {
  readonly method: Call['method'];
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
};

/** What a field of a request may hold (RFC 9110 5.5), less what servers read in different ways. */
const FIELD_VALUE = /^[\x20-\x7e]*$/;

/**
 * A request of a log-in. Headers and members of the body that name an optional value which is not there are left out.
 * Undefined where a value cannot stand in a header. Pure.
 */
export function buildLoginMessage(call: Call, url: string, source: TemplateSource): LoginMessage | undefined {
  const { method, encoding } = call;
  const own = Object.entries(call.headers).flatMap(([name, template]) => {
    const value = fillCallTemplate(template, source);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (own.some(([, value]) => !FIELD_VALUE.test(value))) return undefined;
  // Names in any case are one field (RFC 9110 5.1): what the file says takes the place of what is usual.
  const named = new Set(own.map(([name]) => name.toLowerCase()));
  const usual = (name: string, value: string) => (named.has(name.toLowerCase()) ? {} : { [name]: value });
  const headers = { ...usual('Accept', 'application/json'), ...Object.fromEntries(own) };
  const filled = fillJsonTemplate(call.body, source);
  const members = isRecord(filled) ? filled : {};
  if (Object.keys(members).length === 0) return { method, url, headers };
  if (encoding === 'query') return { method, url: withQuery(url, members), headers };
  const isJson = encoding === 'json';
  const type = usual('Content-Type', isJson ? 'application/json' : 'application/x-www-form-urlencoded');
  const body = isJson ? JSON.stringify(members) : formOf(members).toString();
  return { method, url, headers: { ...headers, ...type }, body };
}

function withQuery(url: string, members: Record<string, unknown>): string {
  return `${url}${url.includes('?') ? '&' : '?'}${formOf(members)}`;
}

function formOf(members: Record<string, unknown>): URLSearchParams {
  const pairs = Object.entries(members).map(([name, value]) => [name, toFilledText(value) ?? '']);
  return new URLSearchParams(pairs);
}
