import { createHmac, randomBytes } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { withDefaults } from '../catalog/facts/template-values.ts';
import type { OAuth1Rules } from '../catalog/schema/provider-signing.schema.ts';
import { fillTemplate } from '../lib/template.ts';
import type { BodyQuestion, CallSigner, SignedRequest, UnsignedRequest } from './call-signer.ts';
import { fieldValue, isSendable, withLength, withoutFields } from './fields.ts';
import {
  bodyTooLargeToSignError,
  incompleteCredentialError,
  unreadableTargetError,
} from './signing-errors.ts';

const AUTHORIZATION: ReadonlySet<string> = new Set(['authorization']);
const HASHES = { 'HMAC-SHA1': 'sha1', 'HMAC-SHA256': 'sha256', PLAINTEXT: undefined } as const;

/** What one request is signed with (RFC 5849 section 3.1). `token` is left out before there is one. */
type OAuth1Signing = {
  readonly signatureMethod: OAuth1Rules['signatureMethod'];
  readonly consumer: { readonly key: string; readonly secret: string };
  readonly token?: { readonly key: string; readonly secret: string } | undefined;
  readonly realm?: string | undefined;
  readonly method: string;
  /** Without a query. */
  readonly url: string;
  /** Of the query and of a form, decoded, and `oauth_` parameters of the flow. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  readonly nowMs: number;
  /** For the published examples; a random one when left out. */
  readonly nonce?: string;
};

/** The Authorization field of a request (RFC 5849 section 3.5.1). */
export function oauth1Authorization(signing: OAuth1Signing): string {
  const { signatureMethod, consumer, token, realm, method, url, nowMs } = signing;
  const hash = HASHES[signatureMethod];
  const oauth = new OAuth({
    consumer,
    signature_method: signatureMethod,
    ...(realm !== undefined && { realm }),
    hash_function: (text, key) =>
      hash === undefined ? key : createHmac(hash, key).update(text).digest('base64'),
  });
  oauth.getNonce = () => signing.nonce ?? randomBytes(16).toString('hex');
  oauth.getTimeStamp = () => Math.floor(nowMs / 1000);
  const data: Record<string, string | string[]> = {};
  for (const [name, value] of signing.parameters) {
    // A parameter may be called `toString`.
    const known = Object.hasOwn(data, name) ? data[name] : undefined;
    data[name] = known === undefined ? value : [...[known].flat(), value];
  }
  return oauth.toHeader(oauth.authorize({ url, method, data }, token)).Authorization;
}

/**
 * Signs calls by OAuth 1.0a through oauth-1.0a. Signed are method, address, query and a form in the body (RFC 5849
 * section 3.4.1); other bodies stream. `defaults` are values of variables that a connection lacks.
 */
export function createOAuth1Signer(
  rules: OAuth1Rules,
  defaults: Readonly<Record<string, string>>,
): CallSigner {
  return {
    bodyBytesMax: rules.bodyBytesMax,
    bodyUse: (question) => bodyUse(rules, question),
    sign: (request) => sign(rules, withDefaults(defaults, request.values), request),
  };
}

function bodyUse({ bodyBytesMax }: OAuth1Rules, { fields, announcedBytes }: BodyQuestion) {
  if (!isForm(fields)) return 'streams';
  if ((announcedBytes ?? 0) > bodyBytesMax) throw bodyTooLargeToSignError(bodyBytesMax);
  return 'whole';
}

function isForm(fields: readonly string[]): boolean {
  const type = fieldValue(fields, 'content-type') ?? '';
  return /^\s*application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

function sign(
  rules: OAuth1Rules,
  values: Readonly<Record<string, string>>,
  request: UnsignedRequest,
): SignedRequest {
  const filled = (template: string) => fillTemplate(template, values);
  const [key, secret] = [filled(rules.consumerKey), filled(rules.consumerSecret)];
  const [token, tokenSecret] = [filled(rules.token), filled(rules.tokenSecret)];
  const realm = realmOf(rules, values);
  if (!key || secret === undefined || !token || tokenSecret === undefined || realm === undefined)
    throw incompleteCredentialError();
  const [path = '', ...rest] = request.target.split('?');
  const form = request.body !== undefined && isForm(request.fields) ? request.body.toString('latin1') : '';
  const authorization = oauth1Authorization({
    signatureMethod: rules.signatureMethod,
    consumer: { key, secret },
    token: { key: token, secret: tokenSecret },
    realm: realm === '' ? undefined : realm,
    method: request.method,
    url: `${request.origin.toLowerCase()}${path}`,
    parameters: [...parametersOf(rest.join('?')), ...parametersOf(form)],
    nowMs: request.nowMs,
  });
  if (!isSendable(authorization)) throw incompleteCredentialError();
  const fields = withLength(withoutFields(request.fields, AUTHORIZATION), request.body);
  return { target: request.target, fields: [...fields, 'Authorization', authorization] };
}

/** Empty where there is none; undefined where it lacks a value, or has one that would end its quotes. */
function realmOf({ realm }: OAuth1Rules, values: Readonly<Record<string, string>>): string | undefined {
  if (realm === undefined) return '';
  const filled = fillTemplate(realm.value, values);
  if (filled === undefined || /["\\]/.test(filled)) return undefined;
  const cased = realm.upperCase ? filled.toUpperCase() : filled;
  return [...cased].map((char) => realm.replace[char] ?? char).join('');
}

/** RFC 5849 section 3.4.1.3.1: as a form is decoded, so that a plus sign is a blank. */
function parametersOf(encoded: string): [name: string, value: string][] {
  if (encoded === '') return [];
  return encoded.split('&').flatMap((pair): [string, string][] => {
    if (pair === '') return [];
    const equals = pair.includes('=') ? pair.indexOf('=') : pair.length;
    return [[decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]];
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw unreadableTargetError();
  }
}
