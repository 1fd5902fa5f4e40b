import { randomUUID } from 'node:crypto';
import jwt, { type JwtHeader } from 'jsonwebtoken';
import type { Provider } from '../catalog/provider.schema.ts';
import { fillCallTemplate, fillJsonTemplate, type TemplateSource } from '../lib/call-template.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPrivateKey } from '../lib/private-key.ts';

type JwtRules = NonNullable<Provider['jwt']>;

/**
 * The JWT of a log-in (RFC 7523 section 3), signed with the key that `source` holds. Claims and header members that name
 * an optional value which is not there are left out; `{random}` differs in every JWT. Undefined where the key is none, is
 * of another kind than the algorithm wants, or is not between 2048 and 4096 bits (RSA).
 */
export function signLoginJwt(rules: JwtRules, source: TemplateSource): string | undefined {
  const { nowMs } = source;
  const { alg, lifetimeSeconds, issuedSecondsAgo } = rules;
  const passphrase = rules.passphrase === undefined ? undefined : fillCallTemplate(rules.passphrase, source);
  const key = readPrivateKey(fillCallTemplate(rules.key, source) ?? '', passphrase);
  const claims = fillJsonTemplate(rules.claims, source);
  const extra = fillJsonTemplate(rules.header, source);
  if (key === undefined || !isRecord(claims) || !isRecord(extra)) return undefined;
  const now = Math.floor(nowMs / 1000);
  const payload = { iat: now - issuedSecondsAgo, exp: now + lifetimeSeconds, ...claims };
  const header: JwtHeader = { typ: 'JWT', ...extra, alg };
  try {
    return jwt.sign(payload, key, { algorithm: alg, header });
  } catch {
    // The library throws for a key of another kind, or on another curve.
    return undefined;
  }
}

/** A source of values in which `{random}` is one that was never used before. */
export function withRandom(source: TemplateSource): TemplateSource {
  return { ...source, lookUp: (name) => (name === 'random' ? randomUUID() : source.lookUp(name)) };
}
