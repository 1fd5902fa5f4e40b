import { createHmac } from 'node:crypto';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { fill, fillAll, type Texts } from './expected-requests.ts';
import { fillAddress, saidAt } from './fake-answers.ts';

export const REDIRECT_URI = 'https://gateway.example/oauth/callback';
export const STATE = 'the-state';

/** What comes back through the browser, and how. */
export type AuthorizationAnswer = { readonly method: 'GET' | 'POST'; readonly parameters: Texts };

/** The authorization page of a provider that behaves as its file says, with what was wrong about the request. */
export function answerAuthorization(provider: Provider, url: URL, values: Texts) {
  const asked = new URLSearchParams(url.search || url.hash.replace(/^[^?]*/, ''));
  const complaints = [...faultsOfAddress(provider, url, values), ...faultsOf(provider, asked, values)];
  return {
    answer: {
      method: provider.responseMode === 'form_post' ? 'POST' : 'GET',
      parameters: callbackValues(provider, asked, values),
    },
    complaints,
    challenge: asked.get('code_challenge') ?? undefined,
  } as const;
}

function faultsOfAddress(provider: Provider, url: URL, values: Texts): string[] {
  const page = fillAddress(provider.authorizationUrl ?? '', values);
  const fragment = page.hash === '' ? (provider.authorizationFragment ?? '') : page.hash.slice(1);
  const actual = url.hash.slice(1).replace(page.hash === '' ? /^$/ : /\?.*$/, '');
  return [
    ...(url.origin + url.pathname === page.origin + page.pathname ? [] : [`authorization at ${url.href}`]),
    ...(actual === fragment ? [] : [`authorization with the fragment ${actual}`]),
  ];
}

function faultsOf(provider: Provider, asked: URLSearchParams, values: Texts): string[] {
  const { nonce = '' } = Object.fromEntries(asked);
  const separator = provider.scopeSeparator === '+' ? ' ' : provider.scopeSeparator;
  const scope = provider.defaultScopes.join(separator);
  const { redirectUriTemplate } = provider;
  const expected: Record<string, string> = {
    ...fillAll(provider.authorizationParams, { ...values, nonce }),
    ...(scope !== '' && { [provider.scopeParameter]: scope }),
    ...(provider.responseMode !== undefined && { response_mode: provider.responseMode }),
    response_type: provider.responseType,
    state: STATE,
    [provider.clientIdParameter]: values.clientId ?? '',
    [provider.redirectUriParameter]:
      redirectUriTemplate === undefined ? REDIRECT_URI : fill(redirectUriTemplate, values),
    ...(provider.pkce && { code_challenge_method: 'S256' }),
  };
  const own = fillAddress(provider.authorizationUrl ?? '', values).searchParams;
  const allowed = [...Object.keys(expected), ...own.keys(), 'code_challenge'];
  return [
    ...Object.entries(expected).flatMap(([name, value]) =>
      asked.get(name) === value ? [] : [`authorization with ${name}=${asked.get(name)} instead of ${value}`],
    ),
    ...[...asked.keys()]
      .filter((name) => !allowed.includes(name))
      .map((name) => `authorization with ${name}`),
    ...(asked.has('code_challenge') === provider.pkce ? [] : ['authorization with PKCE unlike the file']),
    ...('nonce' in provider.authorizationParams && nonce.length < 16
      ? ['authorization with a short nonce']
      : []),
  ];
}

function callbackValues(provider: Provider, asked: URLSearchParams, values: Texts): Texts {
  const { signature, codeParameter } = provider.callback;
  const parameters: Record<string, string> = {
    ...Object.fromEntries(saidAt(provider, 'callback')),
    ...Object.fromEntries(
      Object.entries(provider.callback.mustMatch).map(([name, template]) => [name, fill(template, values)]),
    ),
    [codeParameter]: 'the-code',
    state: asked.get('state') ?? '',
    ...(provider.issuer !== undefined && { iss: fill(provider.issuer, values) }),
  };
  // What providers with form_post send along, and what must not get into an address.
  const along = provider.responseMode === 'form_post' ? { user: '{"name":"Ada"}' } : {};
  if (signature === undefined) return { ...parameters, ...along };
  const sorted = Object.keys(parameters).sort();
  const signed = new URLSearchParams(sorted.map((name) => [name, parameters[name] ?? ''])).toString();
  const proof = createHmac('sha256', values.clientSecret ?? '')
    .update(signed)
    .digest('hex');
  return { ...parameters, [signature.parameter]: proof };
}
