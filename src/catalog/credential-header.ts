import { fillTemplate } from '../lib/template.ts';
import type { Provider } from './provider.schema.ts';

/** How a connection's credential goes on one API call. */
type AppliedCredential = {
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters to add to the query; empty for most providers. */
  readonly query: Readonly<Record<string, string>>;
  /** Base path that holds the key, for providers that want it there; it takes the place of the base URL's own. */
  readonly basePath: string | undefined;
};

/**
 * Puts a credential where the provider wants it. `values` holds `accessToken`, or `apiKey`, or `username` and
 * `password`, and the variables. Undefined where a value is missing.
 */
export function applyCredential(
  provider: Pick<Provider, 'auth' | 'apiKey' | 'basic' | 'accessTokenHeader' | 'apiQuery'>,
  values: Readonly<Record<string, string>>,
): AppliedCredential | undefined {
  if (provider.auth === 'basic') return basicCredential(provider.basic, values);
  if (provider.auth === 'api-key') return keyCredential(provider.apiKey, values);
  const parameter = tokenParameterOf(provider);
  if (parameter !== undefined) return keyCredential({ in: 'query', ...parameter }, values);
  const { name, template } = provider.accessTokenHeader;
  return inHeader(name, fillTemplate(template, values));
}

/**
 * The query parameter that carries the access token, where `apiQuery` has one: it takes the place of the header, since
 * a token is sent in one place only (RFC 6750 section 2).
 */
export function tokenParameterOf({
  apiQuery,
}: Pick<Provider, 'apiQuery'>): { name: string; template: string } | undefined {
  const found = Object.entries(apiQuery).find(([, template]) => template.includes('{accessToken}'));
  return found && { name: found[0], template: found[1] };
}

function basicCredential(basic: Provider['basic'], values: Readonly<Record<string, string>>) {
  const username = fillTemplate(basic?.username ?? '{username}', values);
  const password = fillTemplate(basic?.password ?? '{password}', values);
  if (username === undefined || password === undefined) return undefined;
  // RFC 7617: UTF-8, one colon between the two.
  return inHeader('Authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
}

function keyCredential(
  key: Provider['apiKey'],
  values: Readonly<Record<string, string>>,
): AppliedCredential | undefined {
  if (key === undefined) return undefined;
  if (key.in === 'header') return inHeader(key.name, fillTemplate(key.template, values));
  const isQuery = key.in === 'query';
  const filled = fillTemplate(key.template, values, isQuery ? undefined : encodeURIComponent);
  if (filled === undefined) return undefined;
  return isQuery
    ? { headers: {}, query: { [key.name]: filled }, basePath: undefined }
    : { headers: {}, query: {}, basePath: filled };
}

function inHeader(name: string, value: string | undefined): AppliedCredential | undefined {
  return value === undefined ? undefined : { headers: { [name]: value }, query: {}, basePath: undefined };
}
