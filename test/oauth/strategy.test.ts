import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import express, { type Response } from 'express';
import passport from 'passport';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { type AuthorizationStrategyOptions, createAuthorizationStrategy } from '../../src/oauth/strategy.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import type { TokenOutcome } from '../../src/oauth/token-outcome.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import {
  type AuthorizationServer,
  browse,
  startAuthorizationServer,
} from '../support/authorization-server.ts';
import { closeServer, listen } from '../support/listen.ts';
import { revoke } from './revoke.ts';

type Grant = { readonly outcome: TokenOutcome };

const tokenEndpoint = createTokenEndpoint({ outbound: createOutbound({ allowPrivateNetworks: true }) });
const states = new Map<string, { codeVerifier: string | null }>();
let authorizationServer: AuthorizationServer;
let provider: Provider;
let app: Server;
let appOrigin: string;
/** What the next requests do differently. */
let override: Partial<AuthorizationStrategyOptions<Grant>> = {};
let exchanges = 0;

beforeAll(async () => {
  app = createServer(gateway());
  appOrigin = `http://127.0.0.1:${await listen(app)}`;
  authorizationServer = await startAuthorizationServer({ redirectUri: `${appOrigin}/callback` });
  provider = providerOf({});
});
beforeEach(() => {
  override = {};
  exchanges = 0;
  states.clear();
});
afterAll(async () => {
  await closeServer(app);
  await authorizationServer.close();
});

function providerOf(extra: object): Provider {
  const { origin } = authorizationServer;
  const addresses = {
    authorizationUrl: `${origin}/auth`,
    tokenUrl: `${origin}/token`,
    revocationUrl: `${origin}/token/revocation`,
  };
  return acmeProviderAt(origin, { ...addresses, tokenEndpointAuth: 'client_secret_basic', ...extra });
}

/** The two routes that a gateway has: the start, and the callback that has checked its parameters. */
function gateway() {
  const routes = express();
  routes.get('/start', (request, response, next) => {
    const store = {
      async save(codeVerifier: string | null) {
        const state = `state-${states.size}`;
        states.set(state, { codeVerifier });
        return state;
      },
    };
    const strategy = createAuthorizationStrategy(optionsWith({ store }));
    passport.authenticate(strategy, { session: false }, answer(response))(request, response, next);
  });
  routes.get('/callback', (request, response, next) => {
    const store = {
      async take(state: string) {
        const kept = states.get(state) ?? null;
        states.delete(state);
        return kept;
      },
    };
    const strategy = createAuthorizationStrategy(optionsWith({ store }));
    passport.authenticate(strategy, { session: false }, answer(response))(request, response, next);
  });
  return routes;
}

function optionsWith(
  part: Pick<AuthorizationStrategyOptions<Grant>, 'store'>,
): AuthorizationStrategyOptions<Grant> {
  return {
    provider,
    integration: {
      clientId: authorizationServer.clientId,
      scopes: ['openid', 'contacts.read'],
      optionalScopes: ['contacts.write'],
    },
    redirectUri: `${appOrigin}/callback`,
    authorizationUrl: `${authorizationServer.origin}/auth`,
    async exchange({ code, codeVerifier }) {
      exchanges += 1;
      return {
        outcome: await tokenEndpoint.exchangeCode({
          ...target(),
          code,
          codeVerifier,
          redirectUri: `${appOrigin}/callback`,
        }),
      };
    },
    ...part,
    ...override,
  };
}

function target() {
  const { clientId, clientSecret } = authorizationServer;
  return { provider, client: { clientId, clientSecrets: [clientSecret] }, variables: {} };
}

function answer(response: Response) {
  return (error: unknown, user?: unknown, info?: unknown, status?: unknown) => {
    const message = error instanceof Error ? error.message : undefined;
    response.json({ error: message ?? null, user: user ?? null, info: info ?? null, status: status ?? null });
  };
}

async function start(): Promise<string> {
  const response = await fetch(`${appOrigin}/start`, { redirect: 'manual' });
  return response.headers.get('location') ?? '';
}

const read = async (url: string) => (await fetch(url)).json();

describe('the start', () => {
  it('redirects with exact scopes, state and an S256 challenge of the verifier that was kept', async () => {
    const url = new URL(await start());
    const { codeVerifier } = states.get('state-0') ?? {};
    expect(`${url.origin}${url.pathname}`).toBe(`${authorizationServer.origin}/auth`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: authorizationServer.clientId,
      redirect_uri: `${appOrigin}/callback`,
      scope: 'openid contacts.read contacts.write',
      state: 'state-0',
      code_challenge: createHash('sha256')
        .update(codeVerifier ?? '')
        .digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it('sends no challenge to a provider that breaks on PKCE', async () => {
    override = { provider: providerOf({ pkce: false }) };
    const url = new URL(await start());
    expect(url.searchParams.has('code_challenge')).toBe(false);
    expect(states.get('state-0')).toEqual({ codeVerifier: null });
  });

  it('is not taken for a callback, whatever its query says', async () => {
    for (const query of ['code=x&state=state-0', 'error=access_denied', 'code=x']) {
      const response = await fetch(`${appOrigin}/start?${query}`, { redirect: 'manual' });
      expect(response.status).toBe(302);
    }
    expect(exchanges).toBe(0);
  });

  it('passes on that the state could not be kept', async () => {
    override = { store: { save: () => Promise.reject(new Error('store is down')) } };
    expect(await read(`${appOrigin}/start`)).toMatchObject({ error: 'store is down', user: null });
  });
});

describe('a whole authorization at a real OpenID provider', () => {
  it('ends in tokens that refresh, rotate and can be revoked', async () => {
    const callback = await browse(await start(), `${appOrigin}/callback`);
    const { user, error } = await read(callback);
    expect({ error, ok: user.outcome.ok, exchanges }).toEqual({ error: null, ok: true, exchanges: 1 });
    expect(user.outcome.tokens).toMatchObject({
      scopes: ['openid', 'contacts.read', 'contacts.write'],
      tokenType: 'Bearer',
      expiresInSeconds: 3600,
    });
    const refreshed = await tokenEndpoint.refresh({
      ...target(),
      refreshToken: user.outcome.tokens.refreshToken,
    });
    if (!refreshed.ok) throw new Error(refreshed.errorCode);
    expect(refreshed.tokens.refreshToken).not.toBe(user.outcome.tokens.refreshToken);
    const { accessToken, refreshToken } = refreshed.tokens;
    expect(await revoke(tokenEndpoint, { ...target(), accessToken, refreshToken })).toEqual({ ok: true });
    const dead = await tokenEndpoint.refresh({ ...target(), refreshToken: refreshToken ?? '' });
    expect(dead).toMatchObject({ ok: false, kind: 'invalid_grant', errorCode: 'invalid_grant' });
  });

  it('lets two run at once', async () => {
    const [first, second] = [await start(), await start()];
    const callbacks = [
      await browse(second, `${appOrigin}/callback`),
      await browse(first, `${appOrigin}/callback`),
    ];
    const answers = await Promise.all(callbacks.map(read));
    expect(answers.map(({ user }) => user.outcome.ok)).toEqual([true, true]);
  });

  it('exchanges with the verifier of its own state only', async () => {
    const callback = await browse(await start(), `${appOrigin}/callback`);
    states.set('state-0', { codeVerifier: 'x'.repeat(43) });
    const { user } = await read(callback);
    expect(user.outcome).toMatchObject({ ok: false, kind: 'invalid_grant' });
  });

  it('takes the previous client secret when the provider refuses the newest, and says when it refuses all', async () => {
    const { clientId, clientSecret } = authorizationServer;
    const client = (clientSecrets: string[]) => ({
      ...target(),
      client: { clientId, clientSecrets },
      scopes: [],
    });
    expect(await tokenEndpoint.clientCredentials(client(['wrong']))).toMatchObject({
      ok: false,
      kind: 'client',
    });
    expect(await tokenEndpoint.clientCredentials(client(['wrong', clientSecret]))).toMatchObject({
      ok: true,
    });
  });
});

describe('the callback', () => {
  it('fails with 403 and without a token request where the state is unknown or used', async () => {
    const callback = await browse(await start(), `${appOrigin}/callback`);
    await read(callback);
    expect(await read(callback)).toMatchObject({ user: false, status: 403, error: null });
    expect(await read(`${appOrigin}/callback?code=x&state=nobody`)).toMatchObject({
      user: false,
      status: 403,
    });
    expect(exchanges).toBe(1);
  });

  it.each([
    'code=a&code=b&state=s',
    'code=a&state=s&state=t',
    'code=a',
    'state=s',
    '',
    'code=a&state=s&error=x',
    'code[x]=a&state=s',
  ])('does nothing for %s', async (query) => {
    states.set('s', { codeVerifier: null });
    expect(await read(`${appOrigin}/callback?${query}`)).toMatchObject({ user: false, status: 400 });
    expect({ exchanges, kept: states.has('s') }).toEqual({ exchanges: 0, kept: true });
  });

  it('passes on what the exchange throws, and what the store throws, as they are', async () => {
    states.set('s', { codeVerifier: null });
    override = { exchange: () => Promise.reject(new Error('vault is locked')) };
    expect(await read(`${appOrigin}/callback?code=a&state=s`)).toMatchObject({ error: 'vault is locked' });
    override = { store: { take: () => Promise.reject(new Error('store is down')) } };
    expect(await read(`${appOrigin}/callback?code=a&state=s`)).toMatchObject({ error: 'store is down' });
  });
});
