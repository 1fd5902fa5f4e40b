import type { ConnectSession } from './connect-session.ts';
import type { WayOn } from './pages/outcome-page.ts';
import { RETRYABLE_ERRORS } from './refusals.ts';

/** Pages of a session whose address holds no secret: the session's cookie is the authority. */
export const SESSIONS_PATH = '/connect/sessions/';

type Ended = Pick<ConnectSession, 'id' | 'origin' | 'returnUrl' | 'expiresAt'>;

/**
 * Where the user of a session may go from a page that ends it. Back only to what was checked when the session was made:
 * its return URL, or its origin unless that is the gateway's own.
 */
export function findWayOn(
  session: Ended,
  about: {
    readonly application: string;
    readonly publicUrl: string;
    /** Why nothing came of it; undefined where something did, or where its browser is another one. */
    readonly error?: string | undefined;
    readonly nowMs: number;
  },
): WayOn {
  const { id, origin, returnUrl } = session;
  const isOwn = origin === new URL(about.publicUrl).origin;
  const backTo = returnUrl ?? (isOwn ? undefined : (origin ?? undefined));
  const isAlive = session.expiresAt.getTime() > about.nowMs;
  const mayRetry = isAlive && about.error !== undefined && RETRYABLE_ERRORS.includes(about.error);
  return {
    application: about.application,
    ...(backTo !== undefined && /^https?:\/\//.test(backTo) && { backTo }),
    ...(mayRetry && { again: { action: `${SESSIONS_PATH}${id}`, method: 'post' } }),
  };
}
