import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostCookie, hostCookieName, readCookie } from '../http/cookies.ts';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';

/** `value` goes to the browser, `hash` into the session's row. */
export type BrowserBinding = { readonly cookie: string; readonly hash: Buffer };

/**
 * The cookie that ties a session to one browser (RFC 9700 4.7). One per session, so that two popups at once do not
 * disturb each other. Over https its name has the __Host- prefix, so that no sibling host can set it.
 */
export function createBrowserBinding(
  sessionId: string,
  publicUrl: string,
  maxAgeSeconds: number,
): BrowserBinding {
  const { token, hash } = createOpaqueToken('');
  const seconds = Math.max(1, Math.ceil(maxAgeSeconds));
  return { cookie: hostCookie(nameOf(sessionId), token, publicUrl, seconds), hash };
}

/** The hash of the browser's cookie for this session; undefined where it has none. */
export function readBrowserBinding(
  request: IncomingMessage,
  sessionId: string,
  publicUrl: string,
): Buffer | undefined {
  const value = readCookie(request, hostCookieName(nameOf(sessionId), publicUrl));
  return value === undefined ? undefined : sha256(value);
}

/**
 * The browser's own cookie with a new lifetime, for a session that lives longer than was known when it was opened.
 * Undefined where the browser has none.
 */
export function renewBrowserBinding(
  request: IncomingMessage,
  sessionId: string,
  publicUrl: string,
  maxAgeSeconds: number,
): string | undefined {
  const value = readCookie(request, hostCookieName(nameOf(sessionId), publicUrl));
  return value === undefined ? undefined : hostCookie(nameOf(sessionId), value, publicUrl, maxAgeSeconds);
}

/** True in the browser that the session is bound to. */
export function isSameBrowser(
  request: IncomingMessage,
  session: { readonly id: string; readonly browserHash: Buffer | null },
  publicUrl: string,
): boolean {
  const hash = readBrowserBinding(request, session.id, publicUrl);
  return hash !== undefined && session.browserHash !== null && timingSafeEqual(hash, session.browserHash);
}

function nameOf(sessionId: string): string {
  return `gateway_connect_${sessionId.replaceAll('-', '')}`;
}
