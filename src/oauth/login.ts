import { withClientCertificate } from '../catalog/facts/client-certificate.ts';
import { expandPastedValues } from '../catalog/facts/pasted-values.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import {
  fillCallTemplate,
  listCallTemplateNames,
  listTexts,
  type TemplateSource,
} from '../lib/call-template.ts';
import { readPath, toFilledText } from '../lib/json-path.ts';
import {
  type Outbound,
  OutboundError,
  type OutboundRequest,
  type OutboundResponse,
} from '../platform/outbound.ts';
import { readVariablesAgain } from './account.ts';
import { joinScopes } from './authorization-request.ts';
import { secondsUntilExpiry } from './jwt-expiry.ts';
import { buildLoginMessage } from './login-message.ts';
import { findOwners, judgeLoginResponse, type LoginResponse } from './login-response.ts';
import { certificateToKeep, type RevocationRequest } from './revocation.ts';
import { secretsIn } from './secret-values.ts';
import { signLoginJwt, withRandom } from './signed-jwt.ts';
import { lacksKeyOfCalls, signLoginStep } from './signed-login.ts';
import type { Target } from './token-message.ts';
import { buildFailure, refusal, type TokenOutcome } from './token-outcome.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
/** For all steps together: a caller waits this long at most. */
const LOGIN_MS_MAX = 20_000;

export type LoginRequest = Target & {
  readonly scopes: readonly string[];
  /** Of the last answer, for providers that renew a session without another log-in. */
  readonly refreshToken?: string | null;
  /** Tries whether the account lets in a request that does not name the user's external id. */
  readonly withoutExternalId?: boolean;
};

type Login = NonNullable<Provider['login']>;
type Call = Login['steps'][number];

/**
 * Logs in as the provider file says, step by step, and answers the session's token. Every request takes 10 s and 64 KiB
 * at most and follows no redirect. Nothing is thrown for what a provider or a network does, or for a key that is none.
 */
export function createLogin(deps: {
  readonly outbound: Outbound;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}) {
  const timeoutMs = deps.timeoutMs ?? TIMEOUT_MS;
  const now = deps.now ?? Date.now;

  async function send(message: OutboundRequest, signal: AbortSignal | undefined) {
    try {
      const limits = { timeoutMs, responseBytesMax: RESPONSE_BYTES_MAX, ...(signal && { signal }) };
      return await deps.outbound.request({ ...message, ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return error;
      throw error;
    }
  }

  async function run(request: LoginRequest, login: Login, steps: readonly Call[]): Promise<TokenOutcome> {
    const { provider, signal } = request;
    const session = openSession(request, now());
    if (!session.ok) return session.refusal;
    const deadlineMs = now() + LOGIN_MS_MAX;
    for (const [index, step] of steps.entries()) {
      if (now() > deadlineMs) return refusal('transient', 'login_timeout');
      const url = resolveUrl(step.url, provider, session.values());
      if (!url.ok) return refusal('rejected', 'token_endpoint_unknown');
      const ready = prepare(step, url.url, session);
      if (ready === undefined) return refusal('invalid_grant', 'credentials_unusable');
      const sent = await send(ready, signal);
      if (sent instanceof OutboundError) return buildFailure(sent, provider);
      const isLast = index === steps.length - 1;
      const answer = judge(request, login, sent, session.secrets(), isLast);
      if (!answer.ok) return answer;
      session.learn(answer.members);
      if (isLast) return finish(answer, login, session, now());
    }
    return refusal('rejected', 'login_unknown');
  }

  /** One request with its signature; undefined where a value for it is missing. */
  function prepare(step: Call, url: string, session: Session): OutboundRequest | undefined {
    const message = buildLoginMessage(step, url, session.source);
    return message && signLoginStep(step, session.certified(message), session.values(), now());
  }

  /** Who the operator's client is at the provider; undefined where it does not say. */
  async function identify(request: LoginRequest): Promise<string | undefined> {
    const { login } = request.provider;
    const session = openSession({ ...request, withoutExternalId: true }, now());
    if (login?.identity === undefined || !session.ok) return undefined;
    const url = resolveUrl(login.identity.url, request.provider, session.values());
    const ready = url.ok ? prepare(login.identity, url.url, session) : undefined;
    const sent = ready && (await send(ready, request.signal));
    if (sent === undefined || sent instanceof OutboundError) return undefined;
    const answer = judge(request, login, sent, session.secrets(), false);
    return answer.ok ? toFilledText(readPath(answer.members, login.identity.path)) : undefined;
  }

  function judge(
    { provider }: LoginRequest,
    login: Login,
    response: OutboundResponse,
    secrets: readonly string[],
    isLast: boolean,
  ) {
    return judgeLoginResponse(provider, login, response, { secrets, isLast, nowMs: now() });
  }

  return {
    identify,
    /** A token by the refresh token of the session before, where there is one that works; else by logging in. */
    async logIn(request: LoginRequest): Promise<TokenOutcome> {
      const { login } = request.provider;
      if (login === undefined) return refusal('rejected', 'login_unknown');
      if (login.refresh !== undefined && request.refreshToken) {
        const renewed = await run(request, login, [login.refresh]);
        if (renewed.ok || renewed.kind === 'transient') return renewed;
      }
      return run(request, login, login.steps);
    },
  };
}

/** The request that ends a session, ready to be sent; undefined where there is none, or a value is missing. */
export function prepareLogout(
  logout: Call,
  target: Target & { readonly accessToken: string | null; readonly refreshToken?: string | null },
): RevocationRequest | undefined {
  const { provider, accessToken } = target;
  const session = openSession({ ...target, scopes: [] }, Date.now());
  if (!session.ok || accessToken === null) return undefined;
  const url = resolveUrl(logout.url, provider, session.values());
  const lookUp = (name: string) => (name === 'accessToken' ? accessToken : session.source.lookUp(name));
  const message = url.ok ? buildLoginMessage(logout, url.url, { ...session.source, lookUp }) : undefined;
  if (message === undefined) return undefined;
  const { errorCode, errorMeanings, okMember } = provider.tokenResponse;
  return {
    messages: [message],
    // A session that is over already refuses to be ended.
    reading: { errorCode, errorMeanings, ...(okMember && { okMember }), endedStatuses: [401, 403, 404] },
    ...certificateToKeep(provider, session.values()),
  };
}

type Session = Extract<ReturnType<typeof openSession>, { ok: true }>;

function finish(
  answer: Extract<LoginResponse, { ok: true }>,
  login: Login,
  session: Session,
  nowMs: number,
): TokenOutcome {
  const { tokens } = answer;
  if (tokens === undefined) return refusal('rejected', 'missing_access_token');
  if (lacksKeyOfCalls(session.provider, session.received())) return refusal('rejected', 'incomplete_answer');
  const withToken = (name: string) =>
    name === 'accessToken' ? tokens.accessToken : session.source.lookUp(name);
  const kept =
    login.credential === undefined
      ? tokens.accessToken
      : fillCallTemplate(login.credential, { ...session.source, lookUp: withToken });
  if (kept === undefined) return refusal('rejected', 'missing_access_token');
  const refreshToken = login.refresh === undefined ? null : tokens.refreshToken;
  // A session token that is a JWT often is all that says when it ends.
  const expiresInSeconds = tokens.expiresInSeconds ?? secondsUntilExpiry(tokens.accessToken, nowMs);
  const raw = session.raw();
  return { ok: true, tokens: { ...tokens, accessToken: kept, refreshToken, expiresInSeconds, raw } };
}

/** The values of one log-in, which grow with every answer. */
function openSession(request: LoginRequest, nowMs: number) {
  const { provider, client, variables, scopes, refreshToken } = request;
  const joined = joinScopes(provider, scopes.length > 0 ? scopes : provider.defaultScopes);
  const { clientId, clientSecrets, secretVariables } = client;
  const known = templateValues({ integrationSecrets: secretVariables, connection: variables });
  const given = templateValues({
    connection: expandPastedValues(provider, known),
    gateway: {
      clientId: clientId === '' ? undefined : clientId,
      clientSecret: clientSecrets[0],
      scopes: joined === '' ? undefined : joined,
    },
    credentials: { refreshToken: refreshToken || undefined },
  });
  let received: Record<string, string> = {};
  let raw: Record<string, unknown> = {};
  let steps = 0;
  const lookUp = (name: string): string | undefined => {
    // What the provider says now takes the place of what it said at an earlier log-in.
    if (Object.hasOwn(received, name)) return received[name];
    if (Object.hasOwn(given, name)) return given[name];
    return /^step\d\./.test(name) ? toFilledText(readPath(raw, name)) : undefined;
  };
  const wanted = provider.variables.filter(({ from }) => from === 'external-id');
  // Without it a role that names no external id would let in every user who knows its name.
  if (request.withoutExternalId) for (const { name } of wanted) delete given[name];
  else if (wanted.some(({ name }) => !Object.hasOwn(given, name)))
    return { ok: false, refusal: refusal('rejected', 'external_id_missing') } as const;
  const source: TemplateSource = withRandom({ lookUp, nowMs });
  if (provider.jwt !== undefined && isJwtNamed(provider)) {
    const signed = signLoginJwt(provider.jwt, source);
    if (signed === undefined) {
      const isOperators = findOwners(provider, [provider.jwt.key]).isOperators;
      const refused = isOperators
        ? refusal('client', 'client_key_unusable')
        : refusal('invalid_grant', 'key_unusable');
      return { ok: false, refusal: refused } as const;
    }
    given.jwt = signed;
  }
  return {
    ok: true,
    source,
    provider,
    values: () => ({ ...given, ...received }),
    received: () => received,
    certified: (message: OutboundRequest) => withClientCertificate(message, provider, 'token', given),
    raw: () => raw,
    secrets: () => secretsIn(provider, given, received),
    learn(answer: Readonly<Record<string, unknown>>) {
      steps += 1;
      raw = { ...raw, ...answer, [`step${steps}`]: answer };
      received = { ...received, ...readVariablesAgain(provider, raw) };
    },
  } as const;
}

function isJwtNamed({ login, logout }: Provider): boolean {
  return listTexts([login, logout]).flatMap(listCallTemplateNames).includes('jwt');
}
