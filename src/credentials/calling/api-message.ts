import { HttpError } from '../../http/errors.ts';
import type { OutboundRequest } from '../../platform/outbound.ts';
import { callCredential } from '../../proxy/call-credential.ts';
import type { Credential, ResolvedConnection } from '../../proxy/contract.ts';
import { upstreamTarget } from '../../proxy/provider-request.ts';

export type ApiRequest = {
  readonly method: string;
  /** Below the API's base, percent-encoded; `query` is empty or begins with a question mark. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** How long an answer may take, and how long it may be. */
export type RequestLimits = {
  readonly timeoutMs: number;
  readonly responseBytesMax: number;
  readonly signal: AbortSignal;
};

/** Where an API is, and what its requests carry. */
export type ApiAddress = Pick<
  ResolvedConnection,
  'apiBase' | 'apiHeaders' | 'apiQuery' | 'placement' | 'signer' | 'clientCertificate'
>;

/** A request of the gateway's own as it goes out. Throws `integration_misconfigured` where the credential is incomplete. */
export function buildApiMessage(
  request: ApiRequest,
  api: Omit<ApiAddress, 'signer' | 'clientCertificate'>,
  credential: Credential,
): OutboundRequest {
  const placed = callCredential(api.placement, credential, undefined);
  if (placed === undefined) {
    throw new HttpError('integration_misconfigured', {
      detail: 'The credential of the connection is incomplete.',
    });
  }
  const target = { rawPath: request.path, rawQuery: request.query };
  const path = upstreamTarget(target, api.apiBase, placed, api.apiQuery);
  return {
    method: request.method,
    url: `${api.apiBase.origin}${path}`,
    headers: {
      Accept: 'application/json',
      ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(api.apiHeaders),
      ...request.headers,
      ...(placed.in === 'header' && { [placed.name]: placed.value }),
    },
    ...(request.body !== undefined && { body: request.body }),
  };
}
