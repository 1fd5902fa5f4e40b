import { isRecord } from '../../lib/is-record.ts';
import { findVerificationKey } from './jwks.ts';
import { defaultAlgorithm, keyOfJwk, parsePublicKey } from './key-material.ts';

/** A key of a key set, as an operator who tries its address sees it. */
export type KeyFacts = {
  readonly kid: string | null;
  /** What tokens of this key must name; null where it can be none that user tokens may have. */
  readonly alg: string | null;
  /** Why tokens of this key are refused; null for a key that verifies them. */
  readonly fault: string | null;
  /** PEM; null for a key that cannot verify user tokens. */
  readonly publicKey: string | null;
};

const ENTRIES_MAX = 100;
const TEXT_LENGTH_MAX = 128;
const NO_SOURCE = { signingKeyId: '', issuer: null, audience: null };

/** The keys of a JWK Set (RFC 7517 section 5), the first 100; undefined when the document is none. */
export function describeKeySet(document: unknown): KeyFacts[] | undefined {
  if (!isRecord(document) || !Array.isArray(document.keys)) return undefined;
  return document.keys.slice(0, ENTRIES_MAX).map(describeKey);
}

function describeKey(jwk: unknown): KeyFacts {
  if (!isRecord(jwk))
    return { kid: null, alg: null, fault: 'This entry is no JSON Web Key.', publicKey: null };
  const kid = shortText(jwk.kid);
  const usable = findVerificationKey(jwk, NO_SOURCE);
  if (usable !== undefined) {
    const publicKey = usable.key.export({ type: 'spki', format: 'pem' }).toString();
    return { kid, alg: usable.alg, fault: null, publicKey };
  }
  const alg = shortText(jwk.alg) ?? algorithmOf(jwk);
  const parsed = parsePublicKey({ alg: alg ?? '', publicKey: jwk });
  const fault = parsed.ok ? 'The key is not meant for checking signatures.' : parsed.message;
  return { kid, alg, fault, publicKey: null };
}

function algorithmOf(jwk: Record<string, unknown>): string | null {
  const key = keyOfJwk(jwk);
  return (key && defaultAlgorithm(key)) ?? null;
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX) : null;
}
