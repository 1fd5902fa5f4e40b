import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hostCookie, hostCookieName, readCookie } from '../http/cookies.ts';
import { createOpaqueToken, sha256 } from '../lib/opaque-tokens.ts';
import type { Db } from '../platform/postgres/database.ts';
import { PORTAL_SECONDS, type PortalSession, portalSessionsStore } from './portal-sessions.store.ts';

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

export type OwnPortal = {
  readonly session: PortalSession;
  /** Has to come back with every form, so that no other site's page can send one. */
  readonly formToken: string;
};

export type PortalBrowsers = ReturnType<typeof createPortalBrowsers>;

/** Binds the page to one browser: its link opens once, and a cookie from then on. */
export function createPortalBrowsers({ db, publicUrl }: { readonly db: Db; readonly publicUrl: string }) {
  const readOwn = (request: IncomingMessage, id: string) =>
    readCookie(request, hostCookieName(nameOf(id), publicUrl));

  function isOwn(request: IncomingMessage, { id, browserHash }: PortalSession): boolean {
    const value = readOwn(request, id);
    return value !== undefined && browserHash !== null && timingSafeEqual(sha256(value), browserHash);
  }

  return {
    isToken: (text: string) => TOKEN.test(text),

    /** Takes the link for this browser: which page it is, and the cookie, unless the browser has it. */
    async open(
      request: IncomingMessage,
      token: string,
    ): Promise<{ readonly id: string; readonly cookie: string | undefined } | undefined> {
      const tokenHash = sha256(token);
      const session = await portalSessionsStore.findByTokenOfAnyProject(db, tokenHash);
      if (session === undefined) return undefined;
      const { id } = session;
      if (isOwn(request, session)) return { id, cookie: undefined };
      const { token: value, hash } = createOpaqueToken('');
      if (!(await portalSessionsStore.bindBrowser(db, tokenHash, hash))) return undefined;
      return { id, cookie: hostCookie(nameOf(id), value, publicUrl, PORTAL_SECONDS) };
    },

    async findOwn(request: IncomingMessage, id: string): Promise<OwnPortal | undefined> {
      const session = await portalSessionsStore.findOfAnyProject(db, id);
      if (session === undefined || !isOwn(request, session)) return undefined;
      return { session, formToken: sha256(`form ${readOwn(request, id) ?? ''}`).toString('base64url') };
    },
  };
}

function nameOf(id: string): string {
  return `gateway_portal_${id.replaceAll('-', '')}`;
}
