import type { MandateEntry } from './api.ts';
import { GatewayError, toGatewayError } from './errors.ts';

export type ExchangeUserTokenInput = {
  /** The gateway's PUBLIC_URL. */
  readonly url: string;
  /** The user token to be narrowed. It is all that is needed: no API key. */
  readonly token: string;
  /** What the new token may do, within what this one may. Left out: the same. */
  readonly entries?: readonly MandateEntry[];
  /** In seconds; an hour by default, and never longer than the token's own life. */
  readonly expiresIn?: number;
  /** Who is to act with the new token: shown beside its calls. */
  readonly actor?: string;
  readonly signal?: AbortSignal;
};

export type ExchangedUserToken = {
  readonly token: string;
  readonly expiresAt: Date;
};

const PREFIX = 'urn:ietf:params:oauth';

/**
 * A narrower and shorter token for a user token (RFC 8693), for an agent that hands work to another. Rejects with a
 * GatewayError whose code is that of RFC 6749, such as `invalid_target` where an entry allows more than the token.
 */
export async function exchangeUserToken(input: ExchangeUserTokenInput): Promise<ExchangedUserToken> {
  const form = new URLSearchParams({
    grant_type: `${PREFIX}:grant-type:token-exchange`,
    subject_token: input.token,
    subject_token_type: `${PREFIX}:token-type:jwt`,
  });
  if (input.entries !== undefined) form.set('authorization_details', JSON.stringify(input.entries));
  if (input.expiresIn !== undefined) form.set('expires_in', String(input.expiresIn));
  if (input.actor !== undefined) form.set('requested_actor', input.actor);
  const response = await fetch(new URL('/oauth/token', input.url), {
    method: 'POST',
    body: form,
    redirect: 'error',
    ...(input.signal && { signal: input.signal }),
  });
  const text = await response.text();
  if (!response.ok) throw toError(response, text);
  const { access_token: token, expires_in: seconds } = JSON.parse(text);
  return { token, expiresAt: new Date(Date.now() + seconds * 1000) };
}

/** The refusal of RFC 6749 section 5.2. */
function toError(response: Response, text: string): GatewayError {
  try {
    const { error: code, error_description: detail } = JSON.parse(text);
    const { status, headers } = response;
    if (typeof code !== 'string' || typeof detail !== 'string') return toGatewayError(response, text);
    const requestId = headers.get('gateway-request-id') ?? undefined;
    const retryable = status === 429 || status === 503;
    return new GatewayError({ status, code, detail, remedy: undefined, retryable, requestId, errors: [] });
  } catch {
    return toGatewayError(response, text);
  }
}
