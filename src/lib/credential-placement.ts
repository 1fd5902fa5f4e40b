import { fillTemplate } from './template.ts';

/**
 * Where a provider wants a credential. Templates are filled from the credential's values. `path` is for providers whose
 * base path holds the key (`/bot{apiKey}`): the filled template stands after the path of the host.
 */
export type CredentialPlacement =
  | { readonly in: 'header'; readonly name: string; readonly template: string }
  | { readonly in: 'query'; readonly name: string; readonly template: string }
  | { readonly in: 'path'; readonly template: string }
  | { readonly in: 'basic'; readonly username: string; readonly password: string }
  /** It is never sent: each call is signed with it. */
  | { readonly in: 'signature' };

/** A credential in its place. `value` of a query parameter is not encoded yet; `basePath` is. */
export type PlacedCredential =
  | { readonly in: 'header'; readonly name: string; readonly value: string }
  | { readonly in: 'query'; readonly name: string; readonly value: string }
  | { readonly in: 'path'; readonly basePath: string }
  | { readonly in: 'signature' };

/** Puts a credential into its place. Undefined where a value that the placement names is missing. */
export function placeCredential(
  placement: CredentialPlacement,
  values: Readonly<Record<string, string>>,
): PlacedCredential | undefined {
  if (placement.in === 'signature') return placement;
  if (placement.in === 'basic') return basicCredential(placement, values);
  if (placement.in === 'path') {
    const basePath = fillTemplate(placement.template, values, encodeURIComponent);
    return basePath === undefined ? undefined : { in: 'path', basePath };
  }
  const value = fillTemplate(placement.template, values);
  return value === undefined ? undefined : { in: placement.in, name: placement.name, value };
}

/** RFC 7617: UTF-8, one colon between the two. */
function basicCredential(
  placement: { readonly username: string; readonly password: string },
  values: Readonly<Record<string, string>>,
): PlacedCredential | undefined {
  const username = fillTemplate(placement.username, values);
  const password = fillTemplate(placement.password, values);
  if (username === undefined || password === undefined) return undefined;
  const encoded = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
  return { in: 'header', name: 'Authorization', value: `Basic ${encoded}` };
}
