import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostCookie, hostCookieName, readCookie } from '../http/cookies.ts';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Approval } from './approval.ts';
import { formatAddress } from './approval-changes.ts';
import {
  bindBrowser,
  findByTokenOfAnyProject,
  findOfAnyProject,
  type PageSession,
  replaceSession,
} from './page-sessions.store.ts';

const COOKIE_SECONDS = 30 * 60;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export type PageSessions = ReturnType<typeof createPageSessions>;

/** A page in the browser of the person: what a link opens once, and a cookie from then on. */
export type OwnPage = {
  readonly session: PageSession;
  /** Has to come back with the form, so that no other site's page can send it. */
  readonly formToken: string;
};

/**
 * Sessions of a person's browser with the page of one approval. The application, which has signed the person in, makes the
 * link. The page's own address, which agents show, opens nothing without the cookie.
 */
export function createPageSessions({ db, publicUrl }: { readonly db: Db; readonly publicUrl: string }) {
  const nameOf = (approvalId: string) => `gateway_approval_${approvalId.replaceAll('-', '')}`;

  function isOwn(request: IncomingMessage, session: PageSession): boolean {
    const value = readCookie(request, hostCookieName(nameOf(session.approvalId), publicUrl));
    if (value === undefined || session.browserHash === null) return false;
    return timingSafeEqual(sha256(value), session.browserHash);
  }

  return {
    async create(trx: Db, { id }: Pick<Approval, 'id'>, locale: string | null) {
      const { token, hash } = createOpaqueToken('');
      const expiresAt = await replaceSession(trx, { approvalId: id, tokenHash: hash, locale });
      return { url: formatAddress(token, publicUrl), expiresAt };
    },

    isToken: (text: string) => TOKEN.test(text),

    /** Takes the link for this browser: whose approval it is, and the cookie, unless the browser has it. */
    async open(
      request: IncomingMessage,
      token: string,
    ): Promise<{ readonly approvalId: string; readonly cookie: string | undefined } | undefined> {
      const tokenHash = sha256(token);
      const session = await findByTokenOfAnyProject(db, tokenHash);
      if (session === undefined) return undefined;
      const { approvalId } = session;
      if (isOwn(request, session)) return { approvalId, cookie: undefined };
      const { token: value, hash } = createOpaqueToken('');
      if (!(await bindBrowser(db, tokenHash, hash))) return undefined;
      return { approvalId, cookie: hostCookie(nameOf(approvalId), value, publicUrl, COOKIE_SECONDS) };
    },

    async findOwn(request: IncomingMessage, approvalId: string): Promise<OwnPage | undefined> {
      const session = await findOfAnyProject(db, approvalId);
      if (session === undefined || !isOwn(request, session)) return undefined;
      const value = readCookie(request, hostCookieName(nameOf(approvalId), publicUrl)) ?? '';
      return { session, formToken: sha256(`form ${value}`).toString('base64url') };
    },
  };
}
