import { createHmac, timingSafeEqual } from 'node:crypto';
import { APP_URL, SESSION_SECRET } from '$app/env/private';

/** Stands for the users of your own database. */
const USERS = { 'user-ada': 'Ada', 'user-ben': 'Ben' };
const COOKIE = 'session';
const LIFETIME_SECONDS = 8 * 60 * 60;

function sign(value) {
  // An empty key signs as well, so that any caller could.
  if (!SESSION_SECRET) throw new Error('SESSION_SECRET is not set; see .env.example');
  return createHmac('sha256', SESSION_SECRET).update(value).digest();
}

/** Says in a cookie who is signed in, with an HMAC so that only this server can write one. */
export function signIn(cookies, id) {
  if (!Object.hasOwn(USERS, id)) return;
  const value = `${id}.${Date.now() + LIFETIME_SECONDS * 1000}`;
  // SvelteKit makes it HttpOnly, SameSite=Lax, and Secure but on localhost.
  cookies.set(COOKIE, `${value}.${sign(value).toString('base64url')}`, {
    path: '/',
    maxAge: LIFETIME_SECONDS,
    secure: APP_URL.startsWith('https:'),
  });
}

export function signOut(cookies) {
  cookies.delete(COOKIE, { path: '/' });
}

/** The user who is signed in, or nothing. */
export function findUser(cookies) {
  const [id = '', until = '', signature = ''] = (cookies.get(COOKIE) ?? '').split('.');
  const [given, expected] = [Buffer.from(signature, 'base64url'), sign(`${id}.${until}`)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  return Number(until) > Date.now() && Object.hasOwn(USERS, id) ? { id, name: USERS[id] } : undefined;
}
