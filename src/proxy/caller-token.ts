import type { CallerCredential } from './contract.ts';
import type { RequestFields } from './request-fields.ts';
import { type SignaturePlace, signedToken } from './signed-token.ts';

type BasicHalf = 'username' | 'password';

/** A provider's caller places, arranged for look-up; made once per provider. */
export type CallerPlaces = {
  readonly headers: readonly string[];
  /** Those of `headers` that take the real credential too. */
  readonly carriers: readonly string[];
  readonly schemes: readonly string[];
  readonly basic: readonly BasicHalf[];
  readonly signatures: readonly SignaturePlace[];
};

/** Lower-cases names and schemes; `bearer` is always among the schemes. */
export function indexCallerPlaces(credentials: readonly CallerCredential[]): CallerPlaces {
  const headers: string[] = [];
  const carriers: string[] = [];
  const schemes = ['bearer'];
  const signatures: SignaturePlace[] = [];
  const basic = new Set<BasicHalf>();
  for (const credential of credentials) {
    if (credential.in === 'scheme') schemes.push(credential.scheme.toLowerCase());
    else if (credential.in === 'basic') basic.add(credential.part);
    else if (credential.in === 'signature') signatures.push(credential);
    else {
      headers.push(credential.name.toLowerCase());
      if (credential.carriesCredential === true) carriers.push(credential.name.toLowerCase());
    }
  }
  const ownHeaders = headers.filter((name) => name !== 'authorization');
  return { headers: ownHeaders, carriers, schemes, basic: [...basic], signatures };
}

type TokenReading =
  /** `carrier`: the name of the field that takes the real credential, where it is not the provider's usual one. */
  | { readonly kind: 'token'; readonly token: string; readonly carrier: string | undefined }
  | { readonly kind: 'missing' }
  /** A place for the token without a token in it: `Authorization: Bearer`. */
  | { readonly kind: 'empty' }
  /** RFC 6750 section 3.1: more than one credential makes the request invalid, whichever of them is good. */
  | { readonly kind: 'several' };

const MISSING: TokenReading = { kind: 'missing' };
const EMPTY: TokenReading = { kind: 'empty' };
const SEVERAL: TokenReading = { kind: 'several' };

/** Finds the one user JWT of a request. It is not verified here. */
export function readToken(fields: RequestFields, places: CallerPlaces): TokenReading {
  if (fields.credentialCount > 1) return SEVERAL;
  const name = fields.forward[fields.credentialSlot];
  const value = fields.forward[fields.credentialSlot + 1];
  if (name === undefined || value === undefined) return MISSING;
  if (name.length !== 13 || name.toLowerCase() !== 'authorization') return inHeader(name, value, places);
  const space = value.indexOf(' ');
  const scheme = (space < 0 ? value : value.slice(0, space)).toLowerCase();
  const rest = space < 0 ? '' : value.slice(space + 1).trim();
  if (places.schemes.includes(scheme)) return tokenReading(rest);
  if (scheme === 'basic' && places.basic.length > 0) return readBasic(rest, places.basic);
  const signed = places.signatures.length === 0 ? undefined : signedToken(value, places.signatures);
  return signed === undefined ? MISSING : tokenReading(signed);
}

function inHeader(name: string, value: string, { carriers }: CallerPlaces): TokenReading {
  if (carriers.length === 0 || !carriers.includes(name.toLowerCase())) return tokenReading(value);
  return value === '' ? EMPTY : { kind: 'token', token: value, carrier: name };
}

function tokenReading(token: string): TokenReading {
  return token === '' ? EMPTY : { kind: 'token', token, carrier: undefined };
}

const TOKEN_SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** RFC 7617: user-id and password divide at the first colon. The other half does not travel on. */
function readBasic(encoded: string, halves: readonly BasicHalf[]): TokenReading {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) return MISSING;
  const username = decoded.slice(0, colon);
  const password = decoded.slice(colon + 1);
  const [half, other] = halves;
  if (other === undefined) return tokenReading(half === 'username' ? username : password);
  const tokens = [...new Set([username, password].filter((text) => TOKEN_SHAPE.test(text)))];
  return tokens.length > 1 ? SEVERAL : tokenReading(tokens[0] ?? '');
}
