export const ALGORITHMS = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

export function isAlgorithm(value: unknown): value is Algorithm {
  return ALGORITHMS.some((algorithm) => algorithm === value);
}

/** Whether this is, or holds, the private half of a key: as PEM, or as a JWK with the member `d`. */
export function isPrivateKey(text: string): boolean {
  if (/PRIVATE KEY/.test(text)) return true;
  const jwk = readJwk(text);
  return jwk !== undefined && ('d' in jwk || 'k' in jwk);
}

const CURVES: Readonly<Record<string, Algorithm>> = { 'P-256': 'ES256', 'P-384': 'ES384', 'P-521': 'ES512' };

/** The algorithm that the key is most likely for; undefined where it cannot be read. */
export async function guessAlgorithm(text: string): Promise<Algorithm | undefined> {
  const jwk = readJwk(text);
  if (jwk !== undefined) {
    if (isAlgorithm(jwk.alg)) return jwk.alg;
    if (jwk.kty === 'RSA') return 'RS256';
    return typeof jwk.crv === 'string' ? CURVES[jwk.crv] : undefined;
  }
  if (/BEGIN RSA PUBLIC KEY/.test(text)) return 'RS256';
  const der = readPem(text);
  if (der === undefined) return undefined;
  for (const [namedCurve, algorithm] of Object.entries(CURVES))
    if (await canImport(der, { name: 'ECDSA', namedCurve })) return algorithm;
  return (await canImport(der, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' })) ? 'RS256' : undefined;
}

function readJwk(text: string): Record<string, unknown> | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function readPem(text: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = /-----BEGIN PUBLIC KEY-----([\sA-Za-z0-9+/=]+)-----END PUBLIC KEY-----/.exec(text)?.[1];
  if (base64 === undefined) return undefined;
  try {
    return Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** False too on plain http, where browsers have no `crypto.subtle`: then the operator chooses. */
async function canImport(
  der: Uint8Array<ArrayBuffer>,
  algorithm: EcKeyImportParams | RsaHashedImportParams,
): Promise<boolean> {
  try {
    await crypto.subtle.importKey('spki', der, algorithm, false, ['verify']);
    return true;
  } catch {
    return false;
  }
}
