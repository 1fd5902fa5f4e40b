import { createHmac } from 'node:crypto';

/** What HubSpot writes out in the address before it signs, and no other escape. The `?` that opens the query stays. */
const DECODED: Readonly<Record<string, string>> = {
  '%3A': ':',
  '%2F': '/',
  '%3F': '?',
  '%40': '@',
  '%21': '!',
  '%24': '$',
  '%27': "'",
  '%28': '(',
  '%29': ')',
  '%2A': '*',
  '%2C': ',',
  '%3B': ';',
};

export type SignedRequest = {
  readonly method: string;
  /** The whole address, with its query. */
  readonly url: string;
  readonly body: string;
  readonly timestampMs: number;
};

/**
 * HubSpot's signature v3: Base64 of HMAC-SHA256, by the client secret, over method, address, body and time
 * (https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests).
 */
export function signV3(clientSecret: string, { method, url, body, timestampMs }: SignedRequest): string {
  const address = url.replace(/%[0-9A-Fa-f]{2}/g, (code) => DECODED[code.toUpperCase()] ?? code);
  return createHmac('sha256', clientSecret)
    .update(`${method}${address}${body}${timestampMs}`)
    .digest('base64');
}
