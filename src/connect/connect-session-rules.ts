import { timingSafeEqual } from 'node:crypto';
import { HttpError } from '../http/errors.ts';
import { type Principal, type PrincipalOf, readLineage } from '../http/principal.ts';
import { sha256 } from '../lib/opaque-tokens.ts';
import type { ConnectSession } from './connect-session.ts';
import type { CreateConnectSession } from './connect-sessions.schema.ts';

/**
 * The same user, or the operator or API key that made the session (the attack: draft-ietf-oauth-security-topics-update, cross-user
 * session fixation). A key is the same as those it was rotated from and to, by the lineage of the session's maker.
 */
export function mayComplete(
  principal: Principal,
  session: ConnectSession,
  makerLineageId: string | null,
): boolean {
  switch (principal.kind) {
    case 'end_user':
      return isPersonOf(principal, session);
    case 'api_key':
      return session.madeByKind === 'api_key' && makerLineageId === readLineage(principal);
    case 'operator':
      return session.madeByKind === 'operator' && session.madeById === principal.operatorId;
  }
}

/**
 * A user who has left the organization meanwhile, or may not manage its connections any more, completes nothing for it. What an
 * API key has begun for the organization takes no role.
 */
function isPersonOf(
  { endUserId, organization }: PrincipalOf<['end_user']>,
  session: ConnectSession,
): boolean {
  if (session.endUserId === endUserId) return true;
  if (session.personId !== endUserId || session.endUserId !== organization?.id) return false;
  return organization.isManaged || session.madeByKind !== 'end_user';
}

/** In constant time. False where no code was handed out. */
export function matchesCode(hash: Buffer | null, completionCode: string): boolean {
  return hash !== null && timingSafeEqual(hash, sha256(completionCode));
}

/** Refuses a return URL that is not registered to the letter. */
export function assertReturnUrl(returnUrl: string | undefined, registered: readonly string[]): void {
  if (returnUrl !== undefined && !registered.includes(returnUrl)) throw new HttpError('invalid_return_url');
}

/**
 * The origin that the closing page may hand the completion code to. A page sends its own origin, a backend may name
 * one. Left out, it is the project's first, or else the gateway's own: a session without an origin could not be
 * completed.
 */
export function originFor(
  { kind }: Principal,
  body: CreateConnectSession,
  header: string | undefined,
  allowed: readonly string[],
  publicUrl: string,
): string {
  const own = kind === 'api_key' ? undefined : header;
  const usual = kind === 'operator' ? publicUrl : (allowed[0] ?? publicUrl);
  const named = own ?? body.origin ?? usual;
  const isOther = body.origin !== undefined && body.origin !== named;
  if (isOther || (!allowed.includes(named) && named !== publicUrl)) throw new HttpError('invalid_origin');
  return named;
}
