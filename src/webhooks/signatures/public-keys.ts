import { createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import { findValue, parsePath, toText } from '../../lib/json-path.ts';
import { parseJson } from '../../lib/parse-json.ts';
import type { KeyRequest } from '../message/webhook.ts';
import { decodeBase64, decodeHex } from './signature-bytes.ts';

const PEM = /-----BEGIN ([A-Z ]{1,30})-----([A-Za-z0-9+/=\s]{1,20000})-----END/;
/** What stands before the 32 bytes of an Ed25519 key in its DER form (RFC 8410 section 4). */
const ED25519_DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');
const ED25519_KEY_LENGTH = 32;

/**
 * A public key from text: PEM (also on one line), a certificate that is valid now, the bare 32 bytes of Ed25519, or
 * Base64 of DER. Undefined where the text is none of them.
 */
export function readPublicKey(text: string, nowMs: number): KeyObject | undefined {
  try {
    const [, label, base64] = PEM.exec(text) ?? [];
    if (label !== undefined && base64 !== undefined) return decodePem(label, base64, nowMs);
    const bytes = decodeHex(text.trim()) ?? decodeBase64(text.trim());
    if (bytes === undefined) return undefined;
    const der = bytes.length === ED25519_KEY_LENGTH ? Buffer.concat([ED25519_DER_HEAD, bytes]) : bytes;
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/**
 * The key of the first certificate in a text, if it is valid now and of this name, in the subject or an alternative name.
 * Its authority is not judged: PayPal's own clients bring the intermediate certificates along, which the answer lacks.
 */
function readCertifiedKey(text: string, name: string, nowMs: number): KeyObject | undefined {
  try {
    const [, label, base64 = ''] = PEM.exec(text) ?? [];
    if (label !== 'CERTIFICATE') return undefined;
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
    const isNamed = certificate.checkHost(name, { subject: 'always', wildcards: false }) !== undefined;
    return isNamed ? readValidKey(certificate, nowMs) : undefined;
  } catch {
    return undefined;
  }
}

function readValidKey(certificate: X509Certificate, nowMs: number): KeyObject | undefined {
  const isValid = certificate.validFromDate.getTime() <= nowMs && nowMs <= certificate.validToDate.getTime();
  return isValid ? certificate.publicKey : undefined;
}

function decodePem(label: string, base64: string, nowMs: number): KeyObject | undefined {
  const der = Buffer.from(base64, 'base64');
  if (label === 'CERTIFICATE') return readValidKey(new X509Certificate(der), nowMs);
  if (label.includes('PRIVATE')) return undefined;
  return createPublicKey({ key: der, format: 'der', type: label === 'RSA PUBLIC KEY' ? 'pkcs1' : 'spki' });
}

const JWKS_KEYS_MAX = 100;

/**
 * The key of an answer of the provider: the one with this id in a JWKS (RFC 7517; without an id the only one), the text
 * at a path of a JSON document, or the text itself, which is a certificate of `certificateName` where that is given.
 */
export function readKeyResponse(
  answer: string,
  {
    keyId,
    keyPath,
    expiredPath,
    certificateName,
    nowMs,
  }: {
    keyId: string | undefined;
    keyPath?: string | undefined;
    expiredPath?: string | undefined;
    certificateName?: string | undefined;
    nowMs: number;
  },
): KeyObject | undefined {
  if (certificateName !== undefined) return readCertifiedKey(answer, certificateName, nowMs);
  const json = parseJson(answer);
  if (expiredPath !== undefined && findValue(json, parsePath(expiredPath)) !== undefined) return undefined;
  if (keyPath !== undefined) return readKeyAt(json, keyPath, nowMs);
  if (!isRecord(json) || !Array.isArray(json.keys)) return readPublicKey(answer, nowMs);
  const keys = json.keys.slice(0, JWKS_KEYS_MAX).filter(isRecord);
  const [only, ...others] = keyId === undefined ? keys : keys.filter(({ kid }) => kid === keyId);
  return only === undefined || others.length > 0 ? undefined : importJwk(only);
}

function readKeyAt(json: unknown, path: string, nowMs: number): KeyObject | undefined {
  const value = findValue(json, parsePath(path))?.value;
  return isRecord(value) ? importJwk(value) : readPublicKey(toText(value) ?? '', nowMs);
}

function importJwk(jwk: Record<string, unknown>): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

/** Where a key is fetched; undefined where what the webhook names is no address of the provider. */
export function findKeyAddress(
  key: {
    readonly url?: string | undefined;
    readonly hosts?: readonly string[] | undefined;
    readonly path?: string | undefined;
  },
  keyId: string | undefined,
): string | undefined {
  if (key.url === undefined) return isOwnAddress(keyId, key.hosts ?? [], key.path) ? keyId : undefined;
  if (!key.url.includes('{keyId}')) return key.url;
  return isKeyId(keyId) ? key.url.replace('{keyId}', keyId) : undefined;
}

function isKeyId(keyId: string | undefined): keyId is string {
  return keyId !== undefined && /^[A-Za-z0-9._~-]{1,200}$/.test(keyId) && !/^\.{1,2}$/.test(keyId);
}

/** How the key is asked for; undefined where the request names an id that what the webhook names is none of. */
export function buildKeyRequest(
  {
    authorization,
    body,
  }: Pick<KeyRequest, 'authorization'> & { readonly body?: Readonly<Record<string, string>> | undefined },
  keyId: string | undefined,
): KeyRequest | undefined {
  if (body === undefined) return { authorization };
  const texts = Object.entries(body);
  if (!isKeyId(keyId) && texts.some(([, text]) => text.includes('{keyId}'))) return undefined;
  const filled = texts.map(([name, text]) => [name, text.replace('{keyId}', keyId ?? '')]);
  return { authorization, body: JSON.stringify(Object.fromEntries(filled)) };
}

function isOwnAddress(address: string | undefined, hosts: readonly string[], path = '/'): boolean {
  const url = address === undefined ? null : URL.parse(address);
  if (url === null || url.protocol !== 'https:') return false;
  // An escape could mean another path to the server than it does here.
  if (!url.pathname.startsWith(path) || (path !== '/' && /[%\\]|\/\//.test(url.pathname))) return false;
  return hosts.includes(url.hostname) && url.port === '' && url.username === '' && url.password === '';
}
