import type { WebhookHandshake } from '../../catalog/schema/provider-webhooks.schema.ts';
import { isFieldValue } from '../message/answer.ts';
import { readMessage, type WebhookMessage } from '../message/read-message.ts';
import type { HandshakeAnswer, WebhookDescription, WebhookRequest } from '../message/webhook.ts';
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
};

/**
 * The answer to a handshake; undefined for everything else, which then is verified as a webhook. A handshake that
 * brings a secret is one only while there are no `secrets`, unless it is for one registration.
 */
export function answerHandshake(
  description: WebhookDescription,
  request: WebhookRequest,
  secrets: readonly string[],
  tools: HandshakeTools,
): HandshakeAnswer | undefined {
  if (description.handshake === undefined) return undefined;
  const message = readMessage(request, description.payload);
  for (const handshake of description.handshake) {
    if (!matches(handshake, message)) continue;
    const proof = judgeProof(handshake, description, message, secrets, tools);
    if (proof === undefined && handshake.refusal !== undefined) return buildRefusal(handshake.refusal);
    if (proof === undefined) continue;
    return buildAnswer(handshake, message, secrets, proof.verified);
  }
  return undefined;
}

/** Whether a handshake brings one secret for every webhook to an address, which then is the integration's own as well. */
export function takesSharedSecret({ handshake = [] }: Pick<WebhookDescription, 'handshake'>): boolean {
  return handshake.some(bringsSharedSecret);
}

function bringsSharedSecret({ keepSecret, registration }: WebhookHandshake): boolean {
  return keepSecret !== undefined && registration === undefined;
}

function buildRefusal(status: number): HandshakeAnswer {
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
  { now, verifyTokens }: HandshakeTools,
): { readonly verified: boolean } | undefined {
  if (bringsSharedSecret(handshake) && secrets.length > 0) return undefined;
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

function buildAnswer(
  handshake: WebhookHandshake,
  message: WebhookMessage,
  secrets: readonly string[],
  verified: boolean,
): HandshakeAnswer | undefined {
  const computed = computeValue(handshake, message, secrets);
  const [secret = ''] = secrets;
  const keyName = secret.slice(0, Math.max(secret.indexOf(':'), 0));
  if (handshake.computed !== undefined && computed === undefined) return undefined;
  const { status, headers, text, json } = handshake.answer;
  const fill = (template: string) => fillAnswer(template, message, { computed, keyName });
  const filled = Object.entries(headers).map(
    ([name, template]) => [name.toLowerCase(), fill(template)] as const,
  );
  const body = text !== undefined ? fill(text) : json !== undefined ? fillJson(json, fill) : '';
  const isPlain = filled.every(([, value]) => value !== undefined && isFieldValue(value));
  if (body === undefined || !isPlain) return undefined;
  const type = text === undefined && json !== undefined ? 'application/json' : 'text/plain';
  const own = Object.fromEntries(filled.map(([name, value]) => [name, value ?? '']));
  const kept = handshake.keepSecret === undefined ? undefined : message.read(handshake.keepSecret);
  if (kept !== undefined && (kept.state !== 'found' || !isKeepable(kept.text))) return undefined;
  const registrationId =
    handshake.registration === undefined ? undefined : readPlace(handshake.registration, message);
  if (handshake.registration !== undefined && !REGISTRATION_ID.test(registrationId ?? '')) return undefined;
  return {
    status,
    headers: own,
    type,
    body: message.request.method === 'HEAD' ? '' : body,
    ...(kept?.state === 'found' && { keepSecret: kept.text }),
    ...(registrationId !== undefined && { registrationId }),
    verified,
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

/** Forms that no body of a webhook has: an answer to another text would be a signature for it. */
const CHALLENGE = { token: /^[A-Za-z0-9+/=_.-]{1,100}$/, hex: /^[0-9a-f]{20,64}$/ };

function areChallenges(signed: readonly string[], form: RegExp, message: WebhookMessage): boolean {
  const places = signed
    .filter((part) => /^\{(?:query|header|json|form):/.test(part))
    .map((part) => part.slice(1, -1).replace(/^json:/, 'body:'));
  return places.every((place) => form.test(readPlace(place, message) ?? ''));
}

const PLACEHOLDER = /\{((?:query|header|body|form):[^{}]+|computed|keyName)\}/g;

function fillAnswer(
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
