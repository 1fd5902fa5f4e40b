import type { ServerResponse } from 'node:http';
import { isResponseField } from '../../catalog/rules/webhook-response-rules.ts';

/** What goes back to the provider: `type` is the content type of a body that is not empty. */
export type WebhookResponse = {
  readonly status: number;
  /** Fields that the provider wants to see, such as `X-Hook-Secret`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string | undefined;
  readonly body: string;
};

/** Of characters that a header may hold (RFC 9110 section 5.5), and short. */
const HEADER_VALUE = /^[\x20-\x7e]{0,2000}$/;

/**
 * What every response of the receiver says to browsers, whatever its description is: it is no page, nothing of it is run,
 * kept, embedded or read by another origin.
 */
const SAFE_FIELDS: readonly (readonly [name: string, value: string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "sandbox; default-src 'none'; frame-ancestors 'none'; form-action 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
];

/** True for a value that a header field may have. */
export function isFieldValue(value: string): boolean {
  return HEADER_VALUE.test(value);
}

/** Sets the safe fields before anything can refuse the request, so that refusals of every kind have them. */
export function prepareWebhookResponse(_request: unknown, response: ServerResponse, next: () => void): void {
  setSafeFields(response);
  next();
}

/** Sends the response: of its fields those that a response to a webhook may have, and the safe ones, which win. */
export function sendWebhookResponse(
  response: ServerResponse,
  { status, headers, type, body }: WebhookResponse,
): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    if (isResponseField(name) && isFieldValue(value)) response.setHeader(name, value);
  }
  if (body !== '') response.setHeader('Content-Type', addCharset(type ?? 'text/plain'));
  setSafeFields(response);
  if (body === '') response.end();
  else response.setHeader('Content-Length', Buffer.byteLength(body)).end(body);
}

/** JSON is UTF-8 always, and has no such parameter (RFC 8259 section 11). */
function addCharset(type: string): string {
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}

/** Sets the fields by which browsers know that a response of the receiver is no page. */
export function setSafeFields(response: ServerResponse): void {
  for (const [name, value] of SAFE_FIELDS) response.setHeader(name, value);
}
