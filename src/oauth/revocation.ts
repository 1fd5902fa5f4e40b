import { z } from 'zod';
import { clientCertificateFor } from '../catalog/facts/client-certificate.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { OutboundResponse } from '../platform/outbound.ts';
import { findReportedError } from './token-error.ts';
import type { RevocableToken } from './token-message.ts';
import { readTokenResponse, type TokenRefusal } from './token-response.ts';

/**
 * A revocation, ready to be sent at any later time: by then the connection, its integration and its project may be
 * gone. It holds tokens and client secrets, so it is kept sealed.
 */
export const revocationRequest = z.strictObject({
  /** One to try after the other, while the provider refuses the client: newest client secret first. */
  messages: z.array(
    z.strictObject({
      method: z.enum(['GET', 'POST', 'DELETE']),
      url: z.string(),
      headers: z.record(z.string(), z.string()),
      body: z.string().optional(),
    }),
  ),
  /** How the provider's answers are read. */
  reading: z.strictObject({
    errorCode: z.union([z.string(), z.array(z.string())]),
    errorMeanings: z.record(z.string(), z.enum(['invalid_grant', 'client', 'transient', 'rejected'])),
    okMember: z
      .strictObject({ path: z.string(), value: z.union([z.string(), z.boolean(), z.number()]) })
      .optional(),
    /** Statuses by which the provider says that there is nothing left to end. */
    endedStatuses: z.array(z.number()).optional(),
  }),
});

/** PEM of the certificate that the requests show in the handshake. */
export const revocationCertificate = z.strictObject({
  certificate: z.string(),
  privateKey: z.string(),
  passphrase: z.string().optional(),
});

export type RevocationRequest = z.infer<typeof revocationRequest> & {
  /** Kept in a column of its own, which earlier releases leave alone. */
  readonly clientCertificate?: z.infer<typeof revocationCertificate> | undefined;
};

/** The certificate that a revocation needs when connection and integration may be gone. */
export function certificateToKeep(
  provider: Pick<Provider, 'clientCertificate'>,
  values: Readonly<Record<string, string>>,
): Pick<RevocationRequest, 'clientCertificate'> {
  const clientCertificate = clientCertificateFor(provider, 'token', values)?.reveal();
  return clientCertificate === undefined ? {} : { clientCertificate };
}

/** Which of a connection's tokens ends the grant at this provider; undefined where the connection has none. */
export function tokenToRevoke(
  { revocation }: Pick<Provider, 'revocation'>,
  tokens: { readonly accessToken: string | null; readonly refreshToken: string | null },
): RevocableToken | undefined {
  const { accessToken, refreshToken } = tokens;
  if (revocation.token === 'refresh_token' && refreshToken !== null) {
    return { token: refreshToken, accessToken };
  }
  return accessToken === null ? undefined : { token: accessToken, accessToken };
}

/** Codes by which providers say that there is nothing left to revoke. */
const ALREADY_REVOKED = new Set([
  'invalid_token',
  'token_revoked',
  'token_expired',
  'invalid_grant',
  'invalid_auth',
]);

/**
 * Judges an answer of a revocation endpoint (RFC 7009 section 2.2). A token that is unknown or dead counts as revoked,
 * and the body of a success means nothing unless the provider reports failures under 200. Pure.
 */
export function judgeRevocation(
  { messages, reading }: RevocationRequest,
  response: OutboundResponse,
): { readonly ok: true } | TokenRefusal {
  const { status } = response;
  // What was to be deleted is not there (RFC 9110 sections 9.3.5 and 15.5.5).
  if (messages[0]?.method === 'DELETE' && (status === 404 || status === 410)) return { ok: true };
  if (reading.endedStatuses?.includes(status)) return { ok: true };
  if (status >= 500 || status < 200 || (status >= 300 && status < 400) || [408, 425, 429].includes(status)) {
    return { ok: false, kind: 'transient', errorCode: `http_${status}` };
  }
  const answer = readTokenResponse(response);
  const source = { tokenResponse: reading };
  const error = answer && findReportedError(source, answer, { status, use: 'issue', secrets: [] });
  if (error !== undefined) {
    if (ALREADY_REVOKED.has(error.errorCode)) return { ok: true };
    // By now the gateway does not know which parts of the request are secret.
    const isRepeated = messages.some((message) => textsOf(message).includes(error.errorCode));
    return { ok: false, ...error, ...(isRepeated && { errorCode: 'unspecified_error' }) };
  }
  if (status < 400) return { ok: true };
  return { ok: false, kind: status === 401 ? 'client' : 'rejected', errorCode: `http_${status}` };
}

/** All that a request carries, with HTTP Basic decoded. */
function textsOf({ url, headers, body = '' }: RevocationRequest['messages'][number]): string {
  const texts = [url, body, ...Object.values(headers)];
  const pairs = texts.flatMap((text) => {
    const [, encoded] = /^Basic (\S+)$/.exec(text) ?? [];
    return encoded === undefined ? [] : [Buffer.from(encoded, 'base64').toString('utf8')];
  });
  return [...texts, ...pairs].join('\n');
}
