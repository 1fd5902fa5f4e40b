import { randomBytes, randomInt } from 'node:crypto';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
  redirectUriFor,
} from '../oauth/authorization-request.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { judgeAuthorizationResponse, readPageWords } from './authorization-response.ts';
import type { AuthorizationResponse } from './client-probe.schema.ts';

const PAGE_BYTES_MAX = 512 * 1024;
/** Statuses by which a page refuses the request itself, and not a robot or a browser without a session. */
const REFUSING: ReadonlySet<number> = new Set([400, 404, 410, 422]);

/** A client as it is or is about to be configured. */
export type ProbeTarget = {
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly optionalScopes: readonly string[];
  readonly authorizationParams?: Readonly<Record<string, string>> | undefined;
  /** Of the integration, and where it has none of a name, those of a connection. */
  readonly variables: Readonly<Record<string, string>>;
  readonly redirectUrl: string;
};

/** Asks authorization endpoints as a browser without cookies would. */
export function createAuthorizationProbe({
  outbound,
  timeoutMs,
}: {
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}) {
  async function ask(target: ProbeTarget, signal: AbortSignal): Promise<AuthorizationResponse | null> {
    const { provider, client, variables } = target;
    const { clientId } = client;
    const redirectUri = redirectUriFor(provider, target.redirectUrl, variables);
    const base = resolveUrl(
      provider.authorizationUrl ?? '',
      provider,
      templateValues({ integration: variables, gateway: { clientId } }),
    );
    if (provider.auth !== 'oauth2' || !base.ok || redirectUri === undefined) return null;
    const parameters = buildAuthorizationParameters({
      provider,
      integration: { ...target, clientId },
      redirectUri,
      state: randomBytes(32).toString('base64url'),
      nonce: randomBytes(16).toString('base64url'),
      variables,
      ...(provider.pkce && { codeChallenge: randomBytes(32).toString('base64url') }),
    });
    const url = authorizationRequestUrl(base.url, parameters, provider.authorizationFragment);
    const { origin } = new URL(url);
    const answer = await fetchPage(url, signal);
    if (answer instanceof OutboundError) {
      const isReached = answer.kind === 'too_large';
      const verdict = isReached ? 'unprovable' : 'unreachable';
      return {
        verdict,
        origin,
        code: null,
        status: null,
        failure: describeFailure(answer),
        words: null,
        isSameForOthers: null,
      };
    }
    return {
      ...judgeAuthorizationResponse(answer, redirectUri),
      words: readPageWords(answer, [clientId, parameters.state]),
      isSameForOthers: null,
      origin,
      status: answer.status,
      failure: null,
    };
  }

  /**
   * A log-in page says nothing of the client, unless a client that cannot exist gets something else: then this one is
   * known, and a refusal at the token endpoint is about its secret. A page that refuses the request may do so for every
   * client, which the same comparison shows.
   */
  async function compare(
    target: ProbeTarget,
    answer: AuthorizationResponse,
    signal: AbortSignal,
  ): Promise<AuthorizationResponse> {
    if (answer.status === null || !['unprovable', 'not_found'].includes(answer.verdict)) return answer;
    if (answer.status >= 400 && !REFUSING.has(answer.status)) return answer;
    const clientId = resemble(target.client.clientId);
    const control = await ask({ ...target, client: { ...target.client, clientId } }, signal);
    if (REFUSING.has(answer.status)) {
      const isSame = control?.status === answer.status && control.words === answer.words;
      return { ...answer, verdict: 'page_refused', isSameForOthers: isSame };
    }
    const isRefused =
      control?.verdict === 'client_unknown' ||
      (control?.status != null && control.status >= 400 && control.status < 500 && control.status !== 429);
    return isRefused && answer.status < 400 ? { ...answer, verdict: 'accepted' } : answer;
  }

  async function fetchPage(url: string, signal: AbortSignal): Promise<OutboundResponse | OutboundError> {
    try {
      const headers = { Accept: 'text/html, */*;q=0.5' };
      const limits = { timeoutMs, responseBytesMax: PAGE_BYTES_MAX };
      return await outbound.request({ url, headers, signal, ...limits });
    } catch (error) {
      if (error instanceof OutboundError) return error;
      throw error;
    }
  }

  return { ask, compare };
}

/** A made-up id of the same shape, which servers that look at the shape first do not distinguish from a real one. */
function resemble(clientId: string): string {
  const random = (letters: string) => letters.charAt(randomInt(letters.length));
  return clientId
    .replace(/[0-9]/g, () => random('0123456789'))
    .replace(/[a-z]/g, () => random('abcdef'))
    .replace(/[A-Z]/g, () => random('ABCDEF'));
}

/** Names of the resolver's and Node's for a name without an address. */
const NAME_FAILURES = /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EAI_\w+|EBADNAME|ENONAME)$/;

/** `dns`, `network`, `tls`, `timeout` and so on, with the code that Node gives: `network ECONNREFUSED`. */
export function describeFailure({ kind, code }: Pick<OutboundError, 'kind' | 'code'>): string {
  const name = kind === 'network' && code !== undefined && NAME_FAILURES.test(code) ? 'dns' : kind;
  return code === undefined ? name : `${name} ${code}`;
}
