import { createBoundBrowsers, type OwnPage } from '../http/bound-browser.ts';
import type { Db } from '../platform/postgres/database.ts';
import { PORTAL_SECONDS, type PortalSession, portalSessionsStore } from './portal-sessions.store.ts';

export type OwnPortal = OwnPage<PortalSession>;

export type PortalBrowsers = ReturnType<typeof createPortalBrowsers>;

/** Binds the page to one browser: its link opens once, and a cookie from then on. */
export function createPortalBrowsers({ db, publicUrl }: { readonly db: Db; readonly publicUrl: string }) {
  return createBoundBrowsers<PortalSession>({
    ...{ cookiePrefix: 'gateway_portal_', cookieSeconds: PORTAL_SECONDS, publicUrl },
    idOf: ({ id }) => id,
    findByToken: (tokenHash) => portalSessionsStore.findByTokenOfAnyProject(db, tokenHash),
    find: (id) => portalSessionsStore.findOfAnyProject(db, id),
    bind: (tokenHash, browserHash) => portalSessionsStore.bindBrowser(db, tokenHash, browserHash),
  });
}
