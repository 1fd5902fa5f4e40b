import type { IncomingHttpHeaders } from 'node:http';
import { assertScopes } from './assert-scopes.ts';
import { maskToNetwork } from './client-address.ts';
import type { KeyScope } from './key-scopes.ts';
import type { Authenticate, Principal } from './principal.ts';

/** Of a request, which knows its address no more once its caller has left. */
type Brought = {
  readonly rawHeaders: readonly string[];
  readonly headers: IncomingHttpHeaders;
  readonly ip?: string | undefined;
};

/**
 * Who calls, of a request that is answered for a while: credentials are revoked or may do less, and sessions end. Throws as
 * `Authenticate`, and `scope_missing`.
 */
export async function authenticateAgain(
  authenticate: Authenticate,
  { rawHeaders, headers, ip = 'unknown' }: Brought,
  scope: KeyScope,
): Promise<Principal> {
  const caller = await authenticate({
    ...{ rawHeaders, headers, isSuspect: false },
    ...{ address: ip, network: maskToNetwork(ip) },
  });
  assertScopes(caller, scope);
  return caller;
}
