import type { JsonObject } from '../identity/user-jwt/claims.ts';

const CLIENT_NAME_LENGTH_MAX = 80;

/** `read`: whatever the mandate allows beyond that, nothing is changed. */
export type ConsentAccess = 'read' | 'all';

/** What a person has allowed a client to do as them. */
export type Consent = {
  readonly id: string;
  readonly projectId: string;
  readonly endUserId: string;
  /** The application's id of the user. */
  readonly userId: string;
  readonly clientId: string;
  readonly clientName: string | null;
  readonly access: ConsentAccess;
  /** Claims of the token that the person signed in with: what it may do, and who acts. */
  readonly rights: JsonObject;
  /** When that token was issued. */
  readonly signedInAt: Date;
  readonly createdAt: Date;
  /** When the client got its latest token. */
  readonly usedAt: Date;
};

/**
 * Who a client is, as far as its own address says: the name is the client's claim, the host is proved. One that has
 * registered itself has no address, and nothing of it is proved.
 */
export function describeClient(clientId: string, clientName: string | null) {
  return { name: clientName, host: URL.parse(clientId)?.host ?? null };
}

/** What would end the line, or turn the text that the page sets after the name. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu;

/** What a client calls itself, on one line; null where it does not. */
export function cutClientName(name: unknown): string | null {
  if (typeof name !== 'string') return null;
  const text = name.toWellFormed().replaceAll(UNSHOWN, ' ').trim();
  return text === '' ? null : [...text].slice(0, CLIENT_NAME_LENGTH_MAX).join('');
}
