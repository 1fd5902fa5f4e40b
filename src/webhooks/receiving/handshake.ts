import type { WebhookHandshake } from '../../catalog/schema/provider-webhooks.schema.ts';
import { readMessage, type WebhookMessage } from '../message/read-message.ts';
import { isFieldValue, type WebhookResponse } from '../message/response.ts';
import type { HandshakeResponse, WebhookDescription, WebhookRequest } from '../message/webhook.ts';
import { encodeSignature, equalBytes } from '../signatures/signature-bytes.ts';
import { buildFullUrl } from '../signatures/signed-parts.ts';
import { verifyMessage } from '../signatures/verify.ts';
import { computeHash } from '../signatures/verify-hash.ts';

/** A longer body is no handshake: it is not parsed only to find that out. */
const BODY_BYTES_MAX = 16 * 1024;
/** What comes back to the sender unproven is short. */
const VALUE_LENGTH_MAX = 2_000;
const REGISTRATION_ID = /^[\x21-\x7e]{1,100}$/;

export type HandshakeTools = {
  readonly now: () => number;
  /** Those that the provider may bring (Meta's hub.verify_token), newest first. */
  readonly verifyTokens: readonly string[];
  /** The gateway may be registering the address, which the store that keeps the secret finds out. */
  readonly mayBeAwaited?: boolean;
};

/**
 * The response to a handshake; undefined for everything else, which then is verified as a webhook. A handshake that
 * brings a secret is one only while there are no `secrets`, unless it is for one registration or may be awaited.
 */
export function respondToHandshake(
  description: WebhookDescription,
  request: WebhookRequest,
  secrets: readonly string[],
  tools: HandshakeTools,
): HandshakeResponse | undefined {
  if (description.handshake === undefined) return undefined;
  const message = readMessage(request, description.payload);
  for (const handshake of description.handshake) {
    if (!matches(handshake, message)) continue;
    const proof = judgeProof(handshake, description, message, secrets, tools);
    if (proof === undefined && handshake.refusal !== undefined) return buildRefusal(handshake.refusal);
    if (proof === undefined) continue;
    return buildResponse(handshake, message, secrets, proof.verified);
  }
  return undefined;
}

/** Whether a handshake brings one secret for every webhook to an address, which then is the integration's own as well. */
export function takesSharedSecret({ handshake = [] }: Pick<WebhookDescription, 'handshake'>): boolean {
  return handshake.some(bringsSharedSecret);
}

/** What the addresses of the entry take: webhooks, and its handshakes. */
export function listMethods({ handshake = [] }: Pick<WebhookDescription, 'handshake'>): string[] {
  const taken = new Set(['POST', ...handshake.flatMap(({ methods }) => methods)]);
  return ['GET', 'POST', 'HEAD'].filter((method) => taken.has(method));
}

function bringsSharedSecret({ keepSecret, registration }: WebhookHandshake): boolean {
  return keepSecret !== undefined && registration === undefined;
}

function buildRefusal(status: number): HandshakeResponse {
  return { status, headers: {}, type: undefined, body: '', verified: false };
}

function matches({ methods, when }: WebhookHandshake, message: WebhookMessage): boolean {
  return (
    methods.some((method) => method === message.request.method) &&
    when.every((condition) => holds(condition, message))
  );
}

/** `!body:type` or `header:X-Event=ping`. */
function holds(condition: string, message: WebhookMessage): boolean {
  const isAbsence = condition.startsWith('!');
  const [place = '', ...rest] = (isAbsence ? condition.slice(1) : condition).split('=');
  const isInBody = place.startsWith('body:') || place.startsWith('form:');
  if (isInBody && message.request.body.length > BODY_BYTES_MAX) return false;
  const value = message.read(place);
  const isThere = value.state === 'found' && (rest.length === 0 || value.text === rest.join('='));
  return isThere !== isAbsence;
}

/** Whether the provider proved that it asks; undefined where a proof that is wanted fails. */
function judgeProof(
  handshake: WebhookHandshake,
  description: WebhookDescription,
  message: WebhookMessage,
  secrets: readonly string[],
  { now, verifyTokens, mayBeAwaited = false }: HandshakeTools,
): { readonly verified: boolean } | undefined {
  if (bringsSharedSecret(handshake) && secrets.length > 0) {
    // What is signed with a known secret is an ordinary webhook.
    if (!mayBeAwaited || verifyMessage(description, message, secrets, now()).ok) return undefined;
  }
  if (handshake.signed) {
    const isRight = verifyMessage(description, message, secrets, now()).ok;
    return isRight ? { verified: true } : undefined;
  }
  if (handshake.verifyToken === undefined) return { verified: false };
  const given = message.read(handshake.verifyToken);
  if (given.state !== 'found') return undefined;
  const bytes = Buffer.from(given.text);
  const isKnown = verifyTokens.some((token) => token !== '' && equalBytes(bytes, Buffer.from(token)));
  return isKnown ? { verified: true } : undefined;
}

function buildResponse(
  handshake: WebhookHandshake,
  message: WebhookMessage,
  secrets: readonly string[],
  verified: boolean,
): HandshakeResponse | undefined {
  const response = fillResponse(handshake, message, secrets);
  const brought = readBrought(handshake, message);
  return response && brought && { ...response, ...brought, verified };
}

/** Undefined where a value is missing, or is none that a header field may have. */
function fillResponse(
  handshake: WebhookHandshake,
  message: WebhookMessage,
  secrets: readonly string[],
): WebhookResponse | undefined {
  const computed = computeValue(handshake, message, secrets);
  if (handshake.computed !== undefined && computed === undefined) return undefined;
  const [secret = ''] = secrets;
  const keyName = secret.slice(0, Math.max(secret.indexOf(':'), 0));
  const { status, headers, text, json } = handshake.answer;
  const fill = (template: string) => fillResponseText(template, message, { computed, keyName });
  const body = text !== undefined ? fill(text) : json !== undefined ? fillJson(json, fill) : '';
  const filled = Object.entries(headers).map(([name, template]) => [name, fill(template)] as const);
  const isPlain = filled.every(([, value]) => value !== undefined && isFieldValue(value));
  if (body === undefined || !isPlain) return undefined;
  return {
    status,
    headers: Object.fromEntries(filled.map(([name, value]) => [name.toLowerCase(), value ?? ''])),
    type: text === undefined && json !== undefined ? 'application/json' : 'text/plain',
    body: message.request.method === 'HEAD' ? '' : body,
  };
}

/** The secret that the handshake brought, and for which registration; undefined where one of them is not as it should be. */
function readBrought(
  { keepSecret, registration }: WebhookHandshake,
  message: WebhookMessage,
): Pick<HandshakeResponse, 'keepSecret' | 'registrationId'> | undefined {
  const secret = keepSecret === undefined ? undefined : readPlace(keepSecret, message);
  if (keepSecret !== undefined && !isKeepable(secret ?? '')) return undefined;
  const registrationId = registration === undefined ? undefined : readPlace(registration, message);
  if (registration !== undefined && !REGISTRATION_ID.test(registrationId ?? '')) return undefined;
  return {
    ...(secret !== undefined && { keepSecret: secret }),
    ...(registrationId !== undefined && { registrationId }),
  };
}

function isKeepable(secret: string): boolean {
  return secret.length >= 6 && secret.length <= 500;
}

/** The HMAC or digest with the newest secret, where the handshake has one. */
function computeValue(
  { computed }: WebhookHandshake,
  message: WebhookMessage,
  secrets: readonly string[],
): string | undefined {
  const [secret] = secrets;
  if (computed === undefined || secret === undefined) return undefined;
  if (!areChallenges(computed.signed, CHALLENGE[computed.challenge], message)) return undefined;
  const url = buildFullUrl(message.request);
  const bytes = computeHash(computed, { message, timestamp: undefined, secret, url, elements: [] });
  return typeof bytes === 'string'
    ? undefined
    : `${computed.prefix ?? ''}${encodeSignature(bytes, computed.encoding)}`;
}

/** Forms that no body of a webhook has: a response to another text would be a signature for it. */
const CHALLENGE = { token: /^[A-Za-z0-9+/=_.-]{1,100}$/, hex: /^[0-9a-f]{20,64}$/ };

function areChallenges(signed: readonly string[], form: RegExp, message: WebhookMessage): boolean {
  const places = signed
    .filter((part) => /^\{(?:query|header|json|form):/.test(part))
    .map((part) => part.slice(1, -1).replace(/^json:/, 'body:'));
  return places.every((place) => form.test(readPlace(place, message) ?? ''));
}

const PLACEHOLDER = /\{((?:query|header|body|form):[^{}]+|computed|keyName)\}/g;

function fillResponseText(
  template: string,
  message: WebhookMessage,
  own: { readonly computed: string | undefined; readonly keyName: string },
): string | undefined {
  let isWhole = true;
  const filled = template.replace(PLACEHOLDER, (_whole, name: string) => {
    const isOwn = name === 'computed' || name === 'keyName';
    const value = isOwn ? own[name] : readPlace(name, message);
    if (value === undefined || value.length > VALUE_LENGTH_MAX) isWhole = false;
    return value ?? '';
  });
  return isWhole ? filled : undefined;
}

function readPlace(place: string, message: WebhookMessage): string | undefined {
  const value = message.read(place);
  return value.state === 'found' ? value.text : undefined;
}

function fillJson(
  members: Readonly<Record<string, string | number>>,
  fill: (template: string) => string | undefined,
): string | undefined {
  const filled = Object.entries(members).map(
    ([name, template]) => [name, typeof template === 'number' ? template : fill(template)] as const,
  );
  const isWhole = filled.every(([, value]) => value !== undefined);
  return isWhole ? JSON.stringify(Object.fromEntries(filled)) : undefined;
}
