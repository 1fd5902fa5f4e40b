import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import jwt from 'jsonwebtoken';
import type { WebhookSignature } from '../../src/catalog/schema/webhook-signature.schema.ts';
import { isRecord } from '../../src/lib/is-record.ts';
import { findAll, parsePath } from '../../src/lib/json-path.ts';
import { formatTimestamp } from '../../src/lib/timestamps.ts';
import { readMessage, splitPlace } from '../../src/webhooks/message/read-message.ts';
import type { WebhookDescription, WebhookRequest } from '../../src/webhooks/message/webhook.ts';
import { decodeSecretKey, encodeSignature } from '../../src/webhooks/signatures/signature-bytes.ts';
import { buildFullUrl, collectParts, type PartsContext } from '../../src/webhooks/signatures/signed-parts.ts';
import { computeHash } from '../../src/webhooks/signatures/verify-hash.ts';

type Described = Pick<WebhookDescription, 'signature' | 'payload'>;
type SignedScheme = Extract<WebhookSignature, { scheme: 'hmac' | 'digest' | 'public-key' }>;

/**
 * The request as the provider would send it: with the signature, and the time where one is signed, in headers, query or
 * body. `nowMs` is the signed time. The secret of an asymmetric scheme is the private key in PEM (PayPal's has its
 * webhook id in front, and a space). Throws where the secret is not of the scheme's form.
 */
export function signWebhook(
  description: Described,
  request: WebhookRequest,
  secret: string,
  nowMs: number,
): WebhookRequest {
  const { signature } = description;
  switch (signature.scheme) {
    case 'none':
      return request;
    case 'basic':
      return withValue(request, 'header:authorization', `Basic ${Buffer.from(secret).toString('base64')}`);
    case 'token':
      return withValue(request, signature.at, `${signature.prefix ?? ''}${secret}`);
    case 'jwt':
      return signJwt(signature, request, secret, nowMs);
    default:
      return signParts(signature, description, request, secret, nowMs);
  }
}

function signParts(
  scheme: SignedScheme,
  { payload }: Described,
  given: WebhookRequest,
  secret: string,
  nowMs: number,
): WebhookRequest {
  const { timestamp } = scheme;
  const text = timestamp === undefined ? undefined : formatTimestamp(nowMs, timestamp.unit);
  const isApart = timestamp !== undefined && text !== undefined && !timestamp.at.startsWith('list:');
  const request = isApart ? withValue(given, timestamp.at, text) : given;
  const message = readMessage(request, payload);
  const listed = listHeaderNames(scheme, request);
  const context = { message, timestamp: text, secret, url: buildFullUrl(request), elements: listed };
  if (scheme.scheme === 'hmac' && scheme.perItem) return signItems(scheme, request, context, payload.items);
  const keyName = scheme.afterKeyName === undefined ? '' : `key${scheme.afterKeyName}`;
  const written = `${keyName}${scheme.prefix ?? ''}${writeSignature(scheme, context)}`;
  if (scheme.listSeparator === undefined) return withValue(request, scheme.at, written);
  const time = timestamp?.at.startsWith('list:') ? [timeElement(timestamp.at, text ?? '')] : [];
  return withValue(request, scheme.at, [...time, ...listed, written].join(scheme.listSeparator));
}

/** Hook0's list of signed headers, which its signature covers. */
function listHeaderNames({ signed }: SignedScheme, { headers }: WebhookRequest): string[] {
  return signed.includes('{hook:namedHeaders}') ? [`h=${[...headers.keys()].slice(0, 2).join(' ')}`] : [];
}

function timeElement(at: string, text: string): string {
  const key = at.slice('list:'.length);
  return key === '0' ? text : `${key}${text}`;
}

function writeSignature(scheme: SignedScheme, context: PartsContext): string {
  if (scheme.scheme !== 'public-key') {
    const bytes = computeHash(scheme, context);
    if (typeof bytes === 'string') throw new Error(`cannot sign: ${bytes}`);
    return encodeSignature(bytes, scheme.encoding);
  }
  const { ownSecret, key: pem } = splitSecret(context.secret);
  const parts = collectParts(scheme.signed, { ...context, secret: ownSecret });
  if (parts === undefined) throw new Error('cannot sign: a part is missing');
  const signed = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const signature = encodeSignature(
    signBytes(scheme.algorithm, signed, createPrivateKey(pem)),
    scheme.encoding,
  );
  if (scheme.signaturePath === undefined) return signature;
  const held = { [scheme.key?.idInSignature ?? 'kid']: 'key-1', [scheme.signaturePath]: signature };
  return Buffer.from(JSON.stringify(held)).toString('base64');
}

/** `WH-1 -----BEGIN …`: what a secret says beside its private key. */
function splitSecret(secret: string): { ownSecret: string; key: string } {
  const space = secret.startsWith('-----') ? -1 : secret.indexOf(' -----');
  return { ownSecret: secret.slice(0, Math.max(space, 0)), key: secret.slice(space + 1) };
}

function signBytes(algorithm: string, bytes: Buffer, key: KeyObject): Buffer {
  if (algorithm === 'ed25519') return sign(null, bytes, key);
  return sign(algorithm === 'ecdsa-sha1' ? 'sha1' : 'sha256', bytes, key);
}

function signItems(
  scheme: Extract<WebhookSignature, { scheme: 'hmac' }>,
  request: WebhookRequest,
  context: PartsContext,
  items: string | readonly string[] | undefined,
): WebhookRequest {
  const [path = '.'] = [items ?? []].flat();
  const json = structuredClone(context.message.json());
  for (const item of findAll(json, parsePath(path), Number.POSITIVE_INFINITY) ?? []) {
    setMember(item, scheme.at.slice('body:'.length).split('.'), writeSignature(scheme, { ...context, item }));
  }
  return { ...request, body: Buffer.from(JSON.stringify(json)) };
}

function signJwt(
  scheme: Extract<WebhookSignature, { scheme: 'jwt' }>,
  request: WebhookRequest,
  secret: string,
  nowMs: number,
): WebhookRequest {
  const issuedAt = Math.floor(nowMs / 1000);
  const { ownSecret, key: keyText } = splitSecret(secret);
  const fill = (value: string) =>
    value
      .replace('{url}', buildFullUrl(request))
      .replace('{endpoint}', request.url)
      .replace('{secret}', ownSecret);
  const { bodyHash } = scheme;
  const hash = createHash('sha256').update(request.body).digest();
  const inBody: unknown = scheme.at === 'body' ? JSON.parse(request.body.toString()) : undefined;
  const claims = {
    ...(isRecord(inBody) && inBody),
    iat: issuedAt,
    ...(scheme.maxAgeSeconds === undefined && { exp: issuedAt + 240 }),
    ...(scheme.issuer !== undefined && { iss: scheme.issuer }),
    ...(scheme.audience !== undefined && { aud: fill(scheme.audience) }),
    ...Object.fromEntries(
      Object.entries(scheme.claims).map(([name, value]) => [
        name,
        typeof value === 'string' ? fill(value) : value,
      ]),
    ),
    ...(bodyHash !== undefined && { [bodyHash.claim]: encodeSignature(hash, bodyHash.encoding) }),
  };
  const key = scheme.algorithm === 'HS256' ? decodeSecretKey(secret, scheme) : createPrivateKey(keyText);
  if (key === undefined) throw new Error('cannot sign: no_key');
  const token = jwt.sign(claims, key, { algorithm: scheme.algorithm, keyid: 'key-1' });
  if (scheme.at === 'body') return { ...request, body: Buffer.from(token) };
  return withValue(request, scheme.at, `${scheme.prefix?.[0] ?? ''}${token}`);
}

/** The request with a value at a place; into JSON a text is put in, at every element of a list. */
function withValue(request: WebhookRequest, place: string, value: string): WebhookRequest {
  const { kind, name } = splitPlace(place);
  if (kind === 'header') {
    return { ...request, headers: new Map([...request.headers, [name.toLowerCase(), [value]]]) };
  }
  if (kind === 'query') {
    const added = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    return { ...request, query: request.query === '' ? added : `${request.query}&${added}` };
  }
  const body = request.body.toString();
  if (kind === 'form') {
    const added = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    return { ...request, body: Buffer.from(body === '' ? added : `${body}&${added}`) };
  }
  return { ...request, body: Buffer.from(setInJson(body, name, value)) };
}

function setInJson(body: string, path: string, value: string): string {
  const json: unknown = JSON.parse(body);
  const [list, member] = path.includes('[].') ? path.split('[].', 2) : [undefined, path];
  const holders = list === undefined ? [json] : (findAll(json, parsePath(`${list}[]`), 10_000) ?? []);
  // A timestamp is written as a number, as providers write it.
  for (const holder of holders)
    setMember(holder, (member ?? '').split('.'), /^\d{10,13}$/.test(value) ? Number(value) : value);
  return JSON.stringify(json);
}

function setMember(holder: unknown, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (!isRecord(holder)) return;
  if (rest.length === 0) holder[name] = value;
  else {
    if (!isRecord(holder[name])) holder[name] = {};
    setMember(holder[name], rest, value);
  }
}
