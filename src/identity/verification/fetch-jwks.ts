import type { Kit } from '../../platform/kit.ts';

const JWKS_TIMEOUT_MS = 5_000;
const JWKS_BYTES_MAX = 256 * 1024;

/** Reads a JSON Web Key Set. Rejects with OutboundError, and where the answer is not a `200` with JSON. */
export function createFetchJwks({ outbound }: Pick<Kit, 'outbound'>) {
  return async (url: string): Promise<unknown> => {
    const { status, body } = await outbound.request({
      url,
      headers: { Accept: 'application/jwk-set+json, application/json' },
      timeoutMs: JWKS_TIMEOUT_MS,
      responseBytesMax: JWKS_BYTES_MAX,
    });
    if (status !== 200) throw new Error(`the key set answered ${status}`);
    return JSON.parse(body.toString('utf8'));
  };
}
