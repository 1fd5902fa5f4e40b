import { randomUUID } from 'node:crypto';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { readPrivateKey } from '../lib/private-key.ts';
import { signJwt } from '../lib/sign-jwt.ts';
import { fillTemplate } from '../lib/template.ts';

/**
 * The JWT by which a client proves that it holds a private key (RFC 7523 section 3): `privateKeyPem` is what stands
 * in the place of its secret, `values` fill the claims' templates. Undefined where the key is none, does not fit the
 * algorithm, or a claim names a value that is not known.
 */
export function signClientAssertion(
  assertion: NonNullable<Provider['clientAssertion']>,
  privateKeyPem: string,
  values: Readonly<Record<string, string>>,
  nowMs: number,
): string | undefined {
  const key = readPrivateKey(privateKeyPem);
  const { alg, lifetimeSeconds, header: extra, ...templates } = assertion;
  const filled = (template: string) => fillTemplate(template, values);
  const iss = filled(templates.issuer);
  const sub = filled(templates.subject);
  const aud = filled(templates.audience);
  const keyid = templates.keyId === undefined ? null : filled(templates.keyId);
  const header = Object.entries(extra).map(([name, template]) => [name, filled(template)] as const);
  if (header.some(([, value]) => value === undefined)) return undefined;
  if (!key || iss === undefined || sub === undefined || aud === undefined || keyid === undefined) {
    return undefined;
  }
  const claims = { iss, sub, aud, jti: randomUUID() };
  const fullHeader = { ...Object.fromEntries(header), ...(keyid !== null && { kid: keyid }) };
  return signJwt({ alg, lifetimeSeconds, issuedSecondsAgo: 0 }, { claims, header: fullHeader }, key, nowMs);
}
