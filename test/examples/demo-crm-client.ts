import { createHash, randomBytes } from 'node:crypto';
import type { DemoCrm } from '../../examples/demo-crm/server.ts';
import { createHttpBrowser, type HttpBrowser, type Page } from './http-browser.ts';

export const REDIRECT_URI = 'http://127.0.0.1:9/callback';
export const CLIENT = {
  clientId: 'test-client',
  clientSecret: 'test-secret',
  redirectUris: [REDIRECT_URI],
  name: 'Test',
};

const ALL_SCOPES = 'oauth crm.objects.contacts.read crm.objects.contacts.write crm.schemas.contacts.read';

export type TokenAnswer = { readonly status: number; readonly body: Record<string, unknown> };

/** An OAuth client of the demo CRM with a person's browser, each step on its own so that a test can bend it. */
export function createDemoCrmClient(
  crm: DemoCrm,
  browser: HttpBrowser = createHttpBrowser({ origins: [crm.url] }),
) {
  const verifier = randomBytes(32).toString('base64url');

  function authorizationUrl(overrides: Record<string, string | null> = {}): string {
    const url = new URL(`${crm.url}/oauth/authorize`);
    const parameters = {
      client_id: CLIENT.clientId,
      redirect_uri: REDIRECT_URI,
      response_type: 'code',
      scope: ALL_SCOPES,
      state: 'state-1',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...overrides,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== null) url.searchParams.set(name, value);
    return url.href;
  }

  async function signIn(page: Page, email: string): Promise<Page> {
    return browser.submit(`${page.url}/sign-in`, { email, password: 'demo' });
  }

  /** Signs in if asked to and presses Allow. The page is the redirect to the client. */
  async function authorize(
    email = 'ada@northwind.test',
    overrides: Record<string, string | null> = {},
  ): Promise<URL> {
    const first = await browser.open(authorizationUrl(overrides));
    const consent = first.body.includes('id="sign-in"') ? await signIn(first, email) : first;
    const optional = /name="optional" value="([^"]+)"/.exec(consent.body)?.[1];
    const end = await browser.submit(`${consent.url}/allow`, optional === undefined ? {} : { optional });
    return new URL(end.url);
  }

  async function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
    const response = await fetch(`${crm.url}${path}`, {
      method: 'POST',
      headers,
      body: new URLSearchParams(form),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
  }

  const secret = { client_id: CLIENT.clientId, client_secret: CLIENT.clientSecret };

  return {
    browser,
    authorizationUrl,
    signIn,
    authorize,
    post,
    exchange: (code: string, overrides: Record<string, string> = {}): Promise<TokenAnswer> =>
      post('/oauth/token', {
        grant_type: 'authorization_code',
        code,
        redirect_uri: REDIRECT_URI,
        code_verifier: verifier,
        ...secret,
        ...overrides,
      }),
    refresh: (refreshToken: unknown): Promise<TokenAnswer> =>
      post('/oauth/token', { grant_type: 'refresh_token', refresh_token: String(refreshToken), ...secret }),
    revoke: (token: unknown): Promise<TokenAnswer> =>
      post('/oauth/token/revocation', { token: String(token), ...secret }),
    getContacts: (accessToken: unknown, query = 'limit=1'): Promise<Response> =>
      fetch(`${crm.url}/crm/v3/objects/contacts?${query}`, {
        headers: { authorization: `Bearer ${accessToken}` },
      }),
    verifier,
  };
}

/** The whole way at once: tokens of a person who allowed everything. */
export async function obtainTokens(crm: DemoCrm, email?: string, overrides?: Record<string, string | null>) {
  const client = createDemoCrmClient(crm);
  const redirect = await client.authorize(email, overrides);
  const { body } = await client.exchange(redirect.searchParams.get('code') ?? '');
  return { client, tokens: body };
}
