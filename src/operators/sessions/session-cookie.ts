import type { IncomingMessage } from 'node:http';
import { hostCookie, hostCookieName, readCookie } from '../../http/cookies.ts';
import { SESSION_LIFETIME_SECONDS } from './sessions.store.ts';

const NAME = 'gateway_session';
/** As createOpaqueToken makes them without a prefix. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The name of the cookie of signed-in operators at this address, for the API description. */
function sessionCookieName(publicUrl: string): string {
  return hostCookieName(NAME, publicUrl);
}

/** The token of the request's session cookie, `''` for one that cannot be a token; undefined without a cookie. */
export function readSessionCookie(
  request: Pick<IncomingMessage, 'headers'>,
  publicUrl: string,
): string | undefined {
  const value = readCookie(request, sessionCookieName(publicUrl));
  if (value === undefined) return undefined;
  return TOKEN.test(value) ? value : '';
}

/** `Set-Cookie` for a new session. */
export function sessionCookie(token: string, publicUrl: string): string {
  return hostCookie(NAME, token, publicUrl, SESSION_LIFETIME_SECONDS);
}

/** `Set-Cookie` that removes the cookie of a session that has ended. */
export function endedSessionCookie(publicUrl: string): string {
  return hostCookie(NAME, '', publicUrl, 0);
}
