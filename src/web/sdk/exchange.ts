import type { Api } from './api.ts';
import type { MandateEntry } from './wire.ts';

export type ExchangeOptions = {
  /** What the new token may do, within what the user's token may. Left out: the same. */
  readonly entries?: readonly MandateEntry[];
  /** In seconds; an hour by default, and never longer than the life of the user's token. */
  readonly expiresIn?: number;
  /** Who is to act with the new token: shown beside its calls. */
  readonly actor?: string;
  readonly signal?: AbortSignal;
};

export type ExchangedToken = { readonly token: string; readonly expiresAt: Date };

const PREFIX = 'urn:ietf:params:oauth:';

/** A narrower token for the user's (RFC 8693), for a helper of the page. */
export async function exchangeToken(
  api: Pick<Api, 'postToken'>,
  options: ExchangeOptions,
): Promise<ExchangedToken> {
  const { entries, expiresIn, actor, signal } = options;
  const answer = await api.postToken(
    (token) =>
      new URLSearchParams({
        grant_type: `${PREFIX}grant-type:token-exchange`,
        subject_token: token,
        subject_token_type: `${PREFIX}token-type:jwt`,
        ...(entries && { authorization_details: JSON.stringify(entries) }),
        ...(expiresIn !== undefined && { expires_in: String(expiresIn) }),
        ...(actor !== undefined && { requested_actor: actor }),
      }),
    signal,
  );
  return { token: answer.access_token, expiresAt: new Date(Date.now() + answer.expires_in * 1000) };
}
