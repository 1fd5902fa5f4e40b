import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Event } from './api.ts';

/** A request of the gateway to your endpoint: of the web's `Request`, or as Node and its frameworks have it. */
export type WebhookRequest =
  | Request
  | {
      readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
      /** The raw body, before any parser: parsed and written again, it is another text. */
      readonly body: string | Uint8Array;
    };

/** Why a delivery must not be believed. */
export type WebhookFault = 'header_missing' | 'timestamp_invalid' | 'signature_invalid' | 'body_invalid';

/** Thrown for a request that the gateway did not sign for you now. Answer it with 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

const TOLERANCE_SECONDS = 5 * 60;
const SECRET_PREFIX = 'whsec_';

export type VerifyOptions = {
  /**
   * How far the time of the signature may be off yours. Default: 300. `Infinity` for what waits before it is read, as a
   * record in a topic does: what comes again is then to be noticed by its id alone.
   */
  readonly toleranceSeconds?: number;
};

/**
 * The event of a delivery (Standard Webhooks 1.0.0), once its signature and its time are proven. `secrets` are those of
 * the destination: two while it is rotated. Throws a WebhookVerificationError, and a TypeError for what is no secret.
 */
export async function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<Event> {
  const keys = (typeof secrets === 'string' ? [secrets] : secrets).map(keyOf);
  const id = headerOf(request, 'webhook-id');
  const timestamp = headerOf(request, 'webhook-timestamp');
  const signatures = headerOf(request, 'webhook-signature');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || age > toleranceSeconds)
    throw new WebhookVerificationError('timestamp_invalid', 'The delivery was not signed just now');
  const body = await bodyOf(request);
  const given = signatures.split(' ').flatMap((part) => (part.startsWith('v1,') ? [part.slice(3)] : []));
  const isSigned = keys.some((key) => {
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((text) => isSame(expected, Buffer.from(text, 'base64')));
  });
  if (!isSigned)
    throw new WebhookVerificationError('signature_invalid', 'The signature does not fit secret and body');
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new WebhookVerificationError('body_invalid', 'The body is not JSON');
  }
}

function keyOf(secret: string): Buffer {
  if (typeof secret === 'string' && secret.startsWith(SECRET_PREFIX)) {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    if (key.length >= 24) return key;
  }
  throw new TypeError('The secret must be that of the event destination (whsec_…)');
}

function headerOf({ headers }: WebhookRequest, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : recordValue(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('header_missing', `The header ${name} is missing`);
}

/** Node and its frameworks give names in lower case; others may not. */
function recordValue(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | readonly string[] | undefined {
  const [found] = Object.entries(headers).filter(([key]) => key.toLowerCase() === name);
  return found?.[1];
}

async function bodyOf(request: WebhookRequest): Promise<Buffer> {
  if (request instanceof Request) return Buffer.from(await request.arrayBuffer());
  const { body } = request;
  if (typeof body === 'string') return Buffer.from(body, 'utf8');
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  throw new TypeError('`body` must be the raw body, as text or bytes: verify before any parser reads it');
}

function isSame(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
