import { createBoundBrowsers, type OwnPage as OwnBoundPage } from '../http/bound-browser.ts';
import { createOpaqueToken } from '../lib/opaque-tokens.ts';
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

export type PageSessions = ReturnType<typeof createPageSessions>;

export type OwnPage = OwnBoundPage<PageSession>;

/**
 * Sessions of a person's browser with the page of one approval. The application, which has signed the person in, makes the
 * link. The page's own address, which agents show, opens nothing without the cookie.
 */
export function createPageSessions({ db, publicUrl }: { readonly db: Db; readonly publicUrl: string }) {
  return {
    async create(trx: Db, { id }: Pick<Approval, 'id'>, locale: string | null) {
      const { token, hash } = createOpaqueToken('');
      const expiresAt = await replaceSession(trx, { approvalId: id, tokenHash: hash, locale });
      return { url: formatAddress(token, publicUrl), expiresAt };
    },

    ...createBoundBrowsers<PageSession>({
      ...{ cookiePrefix: 'gateway_approval_', cookieSeconds: COOKIE_SECONDS, publicUrl },
      idOf: ({ approvalId }) => approvalId,
      findByToken: (tokenHash) => findByTokenOfAnyProject(db, tokenHash),
      find: (approvalId) => findOfAnyProject(db, approvalId),
      bind: (tokenHash, browserHash) => bindBrowser(db, tokenHash, browserHash),
    }),
  };
}
