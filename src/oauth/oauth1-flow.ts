import { withClientCertificate } from '../catalog/facts/client-certificate.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { type Outbound, OutboundError } from '../platform/outbound.ts';
import { oauth1Authorization } from '../request-signing/oauth1.ts';
import type { OAuthClient } from './token-message.ts';

const TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 64 * 1024;
const VALUE_LENGTH_MAX = 4_000;

/** A token and its secret: temporary ones of a flow under way, or those of a user (RFC 5849 section 1.1). */
export type OAuth1Token = { readonly key: string; readonly secret: string };

export type OAuth1Response =
  | { readonly ok: true; readonly token: OAuth1Token; readonly raw: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly kind: 'refused' | 'unreachable'; readonly code: string };

export type OAuth1Context = {
  readonly provider: Provider;
  readonly client: OAuthClient;
  readonly variables: Readonly<Record<string, string>>;
};

/** Gets temporary credentials, for which the user is to be asked (RFC 5849 section 2.1). */
export function requestTemporaryToken(
  outbound: Outbound,
  context: OAuth1Context,
  callbackUrl: string,
): Promise<OAuth1Response> {
  const url = context.provider.oauth1?.requestTokenUrl ?? '';
  return askForToken(outbound, context, url, undefined, [['oauth_callback', callbackUrl]]);
}

/** Gets the user's token for temporary credentials that the user has authorized (RFC 5849 section 2.3). */
export function requestUserToken(
  outbound: Outbound,
  context: OAuth1Context,
  temporary: OAuth1Token,
  verifier: string,
): Promise<OAuth1Response> {
  const url = context.provider.tokenUrl ?? '';
  return askForToken(outbound, context, url, temporary, [['oauth_verifier', verifier]]);
}

async function askForToken(
  outbound: Outbound,
  { provider, client, variables }: OAuth1Context,
  template: string,
  token: OAuth1Token | undefined,
  parameters: readonly (readonly [string, string])[],
): Promise<OAuth1Response> {
  const url = resolveUrl(
    template,
    provider,
    templateValues({ connection: variables, gateway: { clientId: client.clientId } }),
  );
  if (!url.ok) return { ok: false, kind: 'refused', code: 'variable_missing' };
  const { origin, pathname, searchParams } = new URL(url.url);
  const authorization = oauth1Authorization({
    signatureMethod: provider.oauth1?.signatureMethod ?? 'HMAC-SHA1',
    consumer: { key: client.clientId, secret: client.clientSecrets[0] ?? '' },
    token,
    method: 'POST',
    url: origin + pathname,
    parameters: [...searchParams, ...parameters],
    nowMs: Date.now(),
  });
  const headers = { Authorization: authorization, Accept: '*/*' };
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: RESPONSE_BYTES_MAX };
  try {
    const values = templateValues({ integrationSecrets: client.secretVariables, connection: variables });
    const message = { url: url.url, method: 'POST', headers, body: '', ...limits };
    const answer = await outbound.request(withClientCertificate(message, provider, 'token', values));
    return readToken(answer.status, answer.body.toString('utf8'));
  } catch (error) {
    if (error instanceof OutboundError)
      return { ok: false, kind: 'unreachable', code: `connection_${error.kind}` };
    throw error;
  }
}

/** A form of `oauth_token` and `oauth_token_secret`, whatever type it says that it has (RFC 5849 section 2.1). */
function readToken(status: number, body: string): OAuth1Response {
  if (status >= 500) return { ok: false, kind: 'unreachable', code: `http_${status}` };
  const raw = Object.fromEntries(new URLSearchParams(body.trim()));
  const { oauth_token: key = '', oauth_token_secret: secret } = raw;
  const isUsable = key !== '' && secret !== undefined && key.length + secret.length <= VALUE_LENGTH_MAX;
  if (status < 200 || status >= 300 || !isUsable)
    return { ok: false, kind: 'refused', code: `http_${status}` };
  return { ok: true, token: { key, secret }, raw };
}
