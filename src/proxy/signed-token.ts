/** Where a client that signs calls itself shows whose key it signs with. */
export type SignaturePlace = { readonly scheme: string; readonly parameter: string };

/** Three parts in base64url; a stand-in key id is nothing like it. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * The user JWT in the place of a key id (`AWS4-HMAC-SHA256 Credential=<token>/20261122/…`,
 * `OAuth oauth_token="<token>"`). Empty where another key id stands there, undefined where the scheme is another.
 */
export function signedToken(authorization: string, places: readonly SignaturePlace[]): string | undefined {
  const space = authorization.indexOf(' ');
  const scheme = (space < 0 ? authorization : authorization.slice(0, space)).toLowerCase();
  const place = places.find((candidate) => candidate.scheme.toLowerCase() === scheme);
  if (place === undefined) return undefined;
  for (const part of authorization.slice(scheme.length).split(',')) {
    const equals = part.indexOf('=');
    if (part.slice(0, equals).trim().toLowerCase() !== place.parameter.toLowerCase()) continue;
    const [id = ''] = part
      .slice(equals + 1)
      .trim()
      .replaceAll('"', '')
      .split('/', 1);
    return JWT.test(id) ? id : '';
  }
  return '';
}
