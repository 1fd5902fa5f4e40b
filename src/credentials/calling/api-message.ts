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

/** A request of the gateway's own as it goes out. Throws `integration_misconfigured` where the credential is incomplete. */
export function buildApiMessage(
  request: ApiRequest,
  connection: Pick<ResolvedConnection, 'apiBase' | 'apiHeaders' | 'apiQuery' | 'placement'>,
  credential: Credential,
): OutboundRequest {
  const placed = callCredential(connection.placement, credential, undefined);
  if (placed === undefined) {
    throw new HttpError('integration_misconfigured', {
      detail: 'The credential of the connection is incomplete.',
    });
  }
  const target = { rawPath: request.path, rawQuery: request.query };
  const path = upstreamTarget(target, connection.apiBase, placed, connection.apiQuery);
  return {
    method: request.method,
    url: `${connection.apiBase.origin}${path}`,
    headers: {
      Accept: 'application/json',
      ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(connection.apiHeaders),
      ...request.headers,
      ...(placed.in === 'header' && { [placed.name]: placed.value }),
    },
    ...(request.body !== undefined && { body: request.body }),
  };
}
