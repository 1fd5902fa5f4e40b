import { randomUUID } from 'node:crypto';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { fillCallTemplate, fillJsonTemplate, type TemplateSource } from '../lib/call-template.ts';
import { isRecord } from '../lib/is-record.ts';
import { readPrivateKey } from '../lib/private-key.ts';
import { signJwt } from '../lib/sign-jwt.ts';

type JwtRules = NonNullable<Provider['jwt']>;

/**
 * The JWT of a log-in (RFC 7523 section 3), signed with the key that `source` holds. Claims and header members that name
 * an optional value which is not there are left out; `{random}` differs in every JWT. Undefined where the key is none, is
 * of another kind than the algorithm wants, or is not between 2048 and 4096 bits (RSA).
 */
export function signLoginJwt(rules: JwtRules, source: TemplateSource): string | undefined {
  const passphrase = rules.passphrase === undefined ? undefined : fillCallTemplate(rules.passphrase, source);
  const key = readPrivateKey(fillCallTemplate(rules.key, source) ?? '', passphrase);
  const claims = fillJsonTemplate(rules.claims, source);
  const header = fillJsonTemplate(rules.header, source);
  if (key === undefined || !isRecord(claims) || !isRecord(header)) return undefined;
  return signJwt(rules, { claims, header }, key, source.nowMs);
}

/** A source of values in which `{random}` is one that was never used before. */
export function withRandom(source: TemplateSource): TemplateSource {
  return { ...source, lookUp: (name) => (name === 'random' ? randomUUID() : source.lookUp(name)) };
}
