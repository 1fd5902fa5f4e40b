import 'server-only';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { cookies } from 'next/headers';
import { readSetting } from './settings';

export type User = { readonly id: string; readonly name: string };

/** Stands for the users of your own database. */
const USERS: Readonly<Record<string, string>> = { 'user-ada': 'Ada', 'user-ben': 'Ben' };
const COOKIE = 'session';
const LIFETIME_SECONDS = 8 * 60 * 60;

const sign = (value: string) => createHmac('sha256', readSetting('SESSION_SECRET')).update(value).digest();

/** Says in a cookie who is signed in, with an HMAC so that only this server can write one. */
export async function startSession(id: string): Promise<void> {
  if (!Object.hasOwn(USERS, id)) return;
  const value = `${id}.${Date.now() + LIFETIME_SECONDS * 1000}`;
  (await cookies()).set(COOKIE, `${value}.${sign(value).toString('base64url')}`, {
    httpOnly: true,
    sameSite: 'lax',
    secure: readSetting('APP_URL').startsWith('https:'),
    maxAge: LIFETIME_SECONDS,
  });
}

export async function endSession(): Promise<void> {
  (await cookies()).delete(COOKIE);
}

/** The user who is signed in, or nothing. */
export async function findUser(): Promise<User | undefined> {
  const [id = '', until = '', signature = ''] = ((await cookies()).get(COOKIE)?.value ?? '').split('.');
  const [given, expected] = [Buffer.from(signature, 'base64url'), sign(`${id}.${until}`)];
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const name = USERS[id];
  return name !== undefined && Number(until) > Date.now() ? { id, name } : undefined;
}
