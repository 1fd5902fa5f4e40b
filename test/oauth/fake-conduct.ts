import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import jwt from 'jsonwebtoken';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import {
  type Expected,
  expectedCredential,
  expectedExchange,
  expectedRenewal,
  expectedRevocation,
  expectedTokenRequest,
  fill,
  fillAll,
  type Texts,
} from './expected-requests.ts';
import {
  accountAnswer,
  buildTokenPrefix,
  deadAnswer,
  exchangeAnswer,
  fillAddress,
  pickExamples,
  refusalOfKey,
  sayYes,
  tenantsAnswer,
  tokenAnswer,
} from './fake-answers.ts';
import { type AuthorizationAnswer, answerAuthorization, REDIRECT_URI } from './fake-authorization.ts';
import {
  type Call,
  differences,
  isCarried,
  known,
  lowerCased,
  type Reply,
  readParameters,
  unfilled,
  wrongHeaders,
} from './fake-call.ts';

export const CLIENT_ID = 'client id';
export const CLIENT_SECRET = 'client:secret+';
const KEYS = {
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
/** What a user typed into the hosted form, at providers with keys. */
export const TYPED = { apiKey: 'the-key', username: 'the-user', password: 'the-pass' };
export const API_PATH = '/the%2Fpath//x';
export const API_QUERY = '?page=2&page=3';

/** What the gateway is about to do: a provider would tell by the address and the grant type. */
export type Stage = 'code' | 'client' | 'refresh' | 'revoke' | 'probe' | 'account' | 'tenants' | 'api';

type CredentialedRequest = {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers?: Texts | undefined;
  readonly body?: Readonly<Record<string, unknown>> | undefined;
};

/** How one provider behaves: as its file says, with a complaint for everything that the real one would refuse. */
export class Conduct {
  readonly complaints: string[] = [];
  readonly clientSecret: string;
  readonly #provider: Provider;
  readonly #key: { publicKey: KeyObject; privateKey: KeyObject } | undefined;
  readonly #values: Texts;
  #stage: Stage = 'api';
  #challenge: string | undefined;
  #isCodeSpent = false;
  #awaitsExchange = false;
  #isRevoked = false;
  #generation = 0;
  #accessToken = '';

  constructor(provider: Provider) {
    const { clientAssertion } = provider;
    this.#provider = provider;
    this.#key = clientAssertion && (clientAssertion.alg === 'ES256' ? KEYS.ec : KEYS.rsa);
    this.clientSecret =
      this.#key?.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() ?? CLIENT_SECRET;
    const examples = pickExamples(provider);
    this.#values = {
      ...examples,
      clientId: CLIENT_ID,
      clientSecret: this.clientSecret,
      clientBasic: Buffer.from(`${CLIENT_ID}:${this.clientSecret}`).toString('base64'),
      redirectUrl: fill(provider.redirectUriTemplate ?? REDIRECT_URI, examples),
    };
  }

  get #refreshToken(): string | undefined {
    const { auth, refreshWith } = this.#provider;
    return auth === 'oauth2' && refreshWith === 'refresh_token' ? `refresh-${this.#generation}` : undefined;
  }

  expect(stage: Stage): void {
    this.#stage = stage;
    this.#awaitsExchange = false;
  }

  authorize(url: string): AuthorizationAnswer {
    const { answer, complaints, challenge } = answerAuthorization(this.#provider, new URL(url), this.#values);
    this.complaints.push(...complaints, ...unfilled(url));
    this.#challenge = challenge;
    return answer;
  }

  answer(call: Call): Reply {
    this.complaints.push(...unfilled(decodeURIComponent(call.url.href)));
    this.complaints.push(...unfilled(Object.values(call.headers).join(' ')));
    if (this.#awaitsExchange) return this.#exchange(call);
    switch (this.#stage) {
      case 'code':
      case 'client':
        return this.#issue(call);
      case 'refresh':
        return this.#refresh(call);
      case 'revoke':
        return this.#revoke(call);
      case 'probe':
        return this.#prove(call);
      case 'account':
        return this.#isListing(call) ? this.#listTenants(call) : this.#showAccount(call);
      case 'tenants':
        return this.#listTenants(call);
      case 'api':
        return this.#serve(call);
    }
  }

  #issue(call: Call): Reply {
    const { tokenUrl = '', tokenRequest } = this.#provider;
    const parameters = readParameters(call);
    const verifier = parameters[tokenRequest.parameterNames.code_verifier ?? 'code_verifier'];
    const byCode = {
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: this.#values.redirectUrl ?? '',
      ...(this.#provider.pkce && { code_verifier: String(verifier) }),
    };
    const scope = this.#provider.defaultScopes.join(
      this.#provider.scopeSeparator === '+' ? ' ' : this.#provider.scopeSeparator,
    );
    const byClient = { grant_type: 'client_credentials', ...(scope !== '' && { scope }) };
    const isByCode = this.#stage === 'code';
    if (isByCode && this.#isCodeSpent) this.complaints.push('a code that has been used');
    if (isByCode && this.#provider.pkce && hashOf(String(verifier)) !== this.#challenge) {
      this.complaints.push('another code verifier');
    }
    this.#isCodeSpent ||= isByCode;
    const expected = this.#tokenRequest('issue', isByCode ? byCode : byClient, call);
    return this.#judged('token request', tokenUrl, expected, call, () => this.#issued());
  }

  #tokenRequest(use: 'issue' | 'refresh', registered: Texts, call: Call): Expected {
    const client = { clientId: CLIENT_ID, proof: this.#proofIn(call) };
    return expectedTokenRequest(this.#provider, use, registered, this.#values, client);
  }

  /** The secret, or the assertion that the call brings in its place, once that has been found good. */
  #proofIn(call: Call): string {
    const { clientAssertion, tokenRequest, tokenUrl = '' } = this.#provider;
    if (clientAssertion === undefined || this.#key === undefined) return CLIENT_SECRET;
    const registered = clientAssertion.as;
    const sent = readParameters(call)[tokenRequest.parameterNames[registered] ?? registered];
    const values = { ...this.#values, tokenUrl: fillAddress(tokenUrl, this.#values).href };
    try {
      const { header } = jwt.verify(String(sent), this.#key.publicKey, {
        complete: true,
        algorithms: [clientAssertion.alg],
        issuer: fill(clientAssertion.issuer, values),
        subject: fill(clientAssertion.subject, values),
        audience: fill(clientAssertion.audience, values),
      });
      const { keyId } = clientAssertion;
      if (keyId !== undefined && header.kid !== fill(keyId, values)) throw new Error(`key ${header.kid}`);
    } catch (error) {
      this.complaints.push(`the client's assertion: ${String(error)}`);
    }
    return String(sent);
  }

  #issued(): Reply {
    this.#generation += 1;
    const isExchanged = this.#stage !== 'refresh' || this.#provider.tokenExchange?.afterRefresh === true;
    this.#awaitsExchange = this.#provider.tokenExchange !== undefined && isExchanged;
    this.#accessToken = `${buildTokenPrefix(this.#provider)}access-${this.#generation}`;
    const tokens = { accessToken: this.#accessToken, refreshToken: this.#refreshToken };
    return { status: 200, body: tokenAnswer(this.#provider, tokens) };
  }

  #exchange(call: Call): Reply {
    const { tokenExchange } = this.#provider;
    this.#awaitsExchange = false;
    if (tokenExchange === undefined) return { status: 404 };
    const expected = expectedExchange(tokenExchange, { ...this.#values, accessToken: this.#accessToken });
    return this.#judged('token exchange', tokenExchange.url, expected, call, () => {
      this.#accessToken = `kept-${this.#generation}`;
      return { status: 200, body: exchangeAnswer(this.#provider, this.#accessToken) };
    });
  }

  #refresh(call: Call): Reply {
    const { refreshUrl, tokenUrl = '', refreshRequest, tokenRequest, refreshWith } = this.#provider;
    const names = refreshRequest.parameterNames ?? tokenRequest.parameterNames;
    const sent = String(readParameters(call)[names.refresh_token ?? 'refresh_token']);
    const isRenewal = refreshWith === 'access_token';
    const isDead = !isRenewal && (this.#isRevoked || sent !== this.#refreshToken);
    const registered = { grant_type: 'refresh_token', refresh_token: sent };
    const expected = isRenewal
      ? expectedRenewal(this.#provider, { ...this.#values, accessToken: this.#accessToken })
      : this.#tokenRequest('refresh', registered, call);
    return this.#judged('refresh', refreshUrl ?? tokenUrl, expected, call, () =>
      isDead || this.#isRevoked ? deadAnswer(this.#provider) : this.#issued(),
    );
  }

  #revoke(call: Call): Reply {
    const tokens = { accessToken: this.#accessToken, refreshToken: this.#refreshToken };
    const client = { clientId: CLIENT_ID, proof: this.#revokingProof(call) };
    const expected = expectedRevocation(this.#provider, tokens, this.#values, client);
    return this.#judged('revocation', this.#provider.revocationUrl ?? '', expected, call, () => {
      const answer = {};
      this.#isRevoked = true;
      sayYes(this.#provider, answer);
      return { status: 200, body: answer };
    });
  }

  #revokingProof(call: Call): string {
    return this.#provider.revocation.clientAuth === 'client' ? this.#proofIn(call) : this.clientSecret;
  }

  /** Knows one key, and refuses another as the file says that this provider does. */
  #prove(call: Call): Reply {
    const { probe, account, tenants } = this.#provider;
    const isAccountCall = probe?.url === undefined;
    const request = isAccountCall
      ? (account?.request ?? tenants?.request)
      : { ...probe, url: probe.url ?? '' };
    if (request === undefined) return { status: 404 };
    const { credential } = this.#credential();
    const isKnown =
      isCarried(credential.headers, call) &&
      isDeepStrictEqual(
        { ...Object.fromEntries(call.url.searchParams), ...credential.query },
        Object.fromEntries(call.url.searchParams),
      ) &&
      call.url.pathname.startsWith(credential.basePath ?? '');
    if (!isKnown) return refusalOfKey(this.#provider);
    const isOfTenants = request === tenants?.request;
    const body = isOfTenants ? tenantsAnswer(this.#provider, false) : accountAnswer(this.#provider);
    const answer = this.#answerCredentialed('probe', request, call, body);
    // What comes next is the account call, or the list of tenants.
    if (!isAccountCall || tenants !== undefined) this.#stage = 'account';
    return answer;
  }

  #showAccount(call: Call): Reply {
    const request = this.#provider.account?.request;
    return request === undefined ? { status: 404 } : this.#answerCredentialed('account call', request, call);
  }

  #isListing({ url }: Call): boolean {
    const { account, tenants } = this.#provider;
    if (tenants === undefined || account?.request?.url === tenants.request.url) return false;
    const { origin, pathname } = fillAddress(tenants.request.url, this.#values);
    return url.origin === origin && url.pathname === pathname;
  }

  #listTenants(call: Call): Reply {
    const { paging, request } = this.#provider.tenants ?? {};
    const isLaterPage =
      paging !== undefined && 'parameter' in paging && call.url.searchParams.has(paging.parameter);
    if (isLaterPage) return { status: 200, body: tenantsAnswer(this.#provider, true) };
    return request === undefined
      ? { status: 404 }
      : this.#answerCredentialed('tenants call', request, call, tenantsAnswer(this.#provider, false));
  }

  #answerCredentialed(
    what: 'account call' | 'tenants call' | 'probe',
    request: CredentialedRequest,
    call: Call,
    body: unknown = accountAnswer(this.#provider),
  ): Reply {
    const { credential, values } = this.#credential();
    const own = known(request.headers ?? {}, values);
    if (!isCarried({ ...credential.headers, ...lowerCased(own) }, call)) return { status: 401 };
    const expected: Expected = {
      method: request.method ?? 'GET',
      query: known(credential.query, {}),
      body: request.body,
      type: request.body === undefined ? undefined : 'application/json',
      headers: { ...known(this.#provider.apiHeaders, values), ...own },
      authorization: credential.headers.authorization,
    };
    return this.#judged(what, request.url, expected, call, () => ({ status: 200, body }));
  }

  #serve(call: Call): Reply {
    const { credential, values } = this.#credential();
    const base = fillAddress(this.#provider.apiBaseUrl, this.#values);
    const basePath = credential.basePath ?? base.pathname.replace(/\/$/, '');
    const href = `${base.origin}${basePath}${API_PATH}`;
    const query = new URLSearchParams(API_QUERY);
    for (const [name, value] of Object.entries(credential.query)) query.append(name, value);
    const sent = [...call.url.searchParams].sort();
    if (!isCarried(credential.headers, call)) this.complaints.push('API call without its credential');
    if (`${call.url.origin}${call.url.pathname}` !== href)
      this.complaints.push(`API call to ${call.url.href}`);
    if (!isDeepStrictEqual(sent, [...query].sort())) this.complaints.push(`API call with ${call.url.search}`);
    this.complaints.push(...wrongHeaders(fillAll(this.#provider.apiHeaders, values), call));
    return { status: 200, body: {} };
  }

  #credential() {
    const isOAuth = this.#provider.auth.startsWith('oauth2');
    const typed = isOAuth ? { accessToken: this.#accessToken } : TYPED;
    const values: Record<string, string> = { ...this.#values, ...typed };
    // What the account call is to tell is not known when it is made.
    const isAsking = this.#stage === 'account' || this.#stage === 'probe';
    const unknown = {
      ...(isAsking && pickExamples(this.#provider, 'account', 'tenant')),
      ...(this.#stage === 'tenants' && pickExamples(this.#provider, 'tenant')),
    };
    for (const name of Object.keys(unknown)) delete values[name];
    return { values, credential: expectedCredential(this.#provider, values) };
  }

  /** Answers if the call is the one that the provider wants; refuses it with a complaint otherwise. */
  #judged(what: string, template: string, expected: Expected, call: Call, answer: () => Reply): Reply {
    const isOfApi = what === 'account call' || what === 'tenants call' || what === 'probe';
    const basePath = isOfApi ? (this.#credential().credential.basePath ?? '') : '';
    const faults = differences(call, expected, fillAddress(template, this.#values), basePath);
    this.complaints.push(...faults.map((fault) => `${what}, ${fault}`));
    return faults.length > 0 ? { status: 400, body: { error: 'invalid_request' } } : answer();
  }
}

function hashOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
