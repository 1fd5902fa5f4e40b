import { HttpError } from '../../http/errors.ts';
import type { PrincipalOf } from '../../http/principal.ts';
import type { Profile } from '../accounts/operators.store.ts';
import type { BrowserRequest } from './browser-sessions.ts';
import type { SessionsStore } from './sessions.store.ts';
import type { SignIn } from './sign-in.ts';

const RECENT_MINUTES = 10;

export type ProvePresence = ReturnType<typeof createProvePresence>;

/**
 * Proof that the operator is there, and not only a browser that was left signed in: the password, or, of an operator
 * without one, a sign-in of the last ten minutes.
 */
export function createProvePresence(deps: { sessions: SessionsStore; signIn: SignIn }) {
  const { sessions, signIn } = deps;

  /** Throws `sign_in_too_old` where the operator of this session did not sign in within the last ten minutes. */
  async function assertRecentSignIn({ operatorId, sessionId }: PrincipalOf<['operator']>): Promise<void> {
    const isRecent =
      sessionId !== undefined && (await sessions.isProvedWithin(RECENT_MINUTES, operatorId, sessionId));
    if (!isRecent) throw new HttpError('sign_in_too_old');
  }

  return {
    assertRecentSignIn,

    /** Throws `invalid_request` for a missing or wrong password, `sign_in_too_old`, `rate_limited` or `overloaded`. */
    async assertPresent(
      principal: PrincipalOf<['operator']>,
      request: BrowserRequest,
      { hasPassword, email }: Profile,
      password: string | undefined,
    ): Promise<void> {
      if (!hasPassword) return assertRecentSignIn(principal);
      if (password === undefined) throw refuse('required');
      try {
        await signIn.provePassword(request, { email, password });
      } catch (error) {
        // A 401 would sign a signed-in browser's page out.
        throw error instanceof HttpError && error.code === 'sign_in_refused'
          ? refuse('Not your password')
          : error;
      }
    },
  };
}

function refuse(message: string): HttpError {
  return new HttpError('invalid_request', { errors: [{ path: 'body.password', message }] });
}
