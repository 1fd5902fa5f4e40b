import { prepareRevocation, type TokenRevocation } from '../../src/oauth/prepare-revocation.ts';
import type { TokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import type { RevocationOutcome } from '../../src/oauth/token-outcome.ts';

/** Prepares a revocation and sends it; `unsupported` where the provider takes no such token back. */
export async function revoke(
  endpoint: TokenEndpoint,
  revocation: TokenRevocation,
): Promise<RevocationOutcome | 'unsupported'> {
  const request = prepareRevocation(revocation);
  return request === undefined ? 'unsupported' : endpoint.revoke(request);
}
