import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { fillTemplate } from '../lib/template.ts';

type Signature = NonNullable<Provider['callback']['signature']>;

/**
 * True where the provider signed the authorization response: HMAC in hex, keyed with a client secret, over the other
 * parameters sorted by name and written as a query (Shopify, "Verify the installation request"). Any of `secrets`
 * will do, since one may be under rotation. Pure.
 */
export function isSignedCallback(
  signature: Signature,
  parameters: Readonly<Record<string, string>>,
  secrets: readonly string[],
): boolean {
  const { [signature.parameter]: given, ...others } = parameters;
  if (given === undefined || !/^[0-9a-f]{64}$/i.test(given)) return false;
  const sorted = Object.entries(others).sort(([left], [right]) => (left < right ? -1 : 1));
  const signed = new URLSearchParams(sorted).toString();
  const actual = Buffer.from(given, 'hex');
  return secrets.some((secret) =>
    timingSafeEqual(createHmac(signature.algorithm, secret).update(signed).digest(), actual),
  );
}

/** True where the response's issuer is the provider's, or is missing and not required (RFC 9207 2.4, mix-up). */
export function isFromIssuer(
  { issuer, issuerAlwaysSent }: Pick<Provider, 'issuer' | 'issuerAlwaysSent'>,
  variables: Readonly<Record<string, string>>,
  iss: string | undefined,
): boolean {
  if (iss === undefined) return !issuerAlwaysSent;
  return issuer === undefined || fillTemplate(issuer, variables) === iss;
}

/**
 * True where the response repeats what was asked for, as the provider's file says it does. A signature alone proves that
 * the provider answered, not that it answered for this shop or tenant.
 */
export function echoesRequestedValues(
  { callback }: Pick<Provider, 'callback'>,
  variables: Readonly<Record<string, string>>,
  parameters: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(callback.mustMatch).every(([name, template]) => {
    const given = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    const asked = fillTemplate(template, variables);
    return given !== undefined && given.toLowerCase() === asked?.toLowerCase();
  });
}
