import { HttpError } from '../../http/errors.ts';
import type { TokenFault, TokenRefusal } from '../../http/token-refusal.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import { explainRefusal } from '../user-jwt/explain-refusal.ts';
import { findSigner } from '../user-jwt/token-signature.ts';
import type { VerificationKey } from '../user-jwt/verification-key.ts';

/** Refused tokens that are looked at: from one address, of one project, and of all in this process. */
const PER_NETWORK = { limit: 30, windowSeconds: 60 };
const PER_PROJECT = { limit: 60, windowSeconds: 60, keysMax: 5_000 };
const CLOSED_MS = 500;
const IN_ALL = { limit: 600, windowSeconds: 60, keysMax: 1 };

export type RefusedToken = {
  readonly projectId: string;
  readonly text: string;
  /** The address of the caller, or its /64. */
  networkOfCaller(): string;
};

export type TokenRefusals = ReturnType<typeof createTokenRefusals>;

/**
 * Finds out why a token was refused, for the project's operators: the answer stays the same error, which carries the
 * reason for the call's record. Only a few are looked at, so that a flood costs a look-up each and no stranger at one
 * address fills what is kept. Nothing that the token says is kept. `listKeys` gives the keys that are in memory;
 * undefined for a project that is not.
 */
export function createTokenRefusals(deps: {
  now(): number;
  elapsedMs(): number;
  listKeys(projectId: string): readonly VerificationKey[] | undefined;
  noteRefusedToken(projectId: string, refusal: TokenRefusal): void;
}) {
  const ofNetwork = createRateLimiter(PER_NETWORK);
  const ofProject = createRateLimiter(PER_PROJECT);
  const inAll = createRateLimiter(IN_ALL);
  const explained = new Map<string, HttpError>();
  /** A flood asks for each of its tokens: one number answers most of them. */
  let closed = { projectId: '', untilMs: 0 };

  function isWithinLimits({ projectId, networkOfCaller }: RefusedToken): boolean {
    const nowMs = deps.elapsedMs();
    if (closed.projectId === projectId && nowMs < closed.untilMs) return false;
    if (!ofProject.peek(projectId, nowMs).allowed || !inAll.peek('', nowMs).allowed) {
      closed = { projectId, untilMs: nowMs + CLOSED_MS };
      return false;
    }
    if (!ofNetwork.check(networkOfCaller(), nowMs).allowed) return false;
    ofProject.check(projectId, nowMs);
    inAll.check('', nowMs);
    return true;
  }

  /** Made once for each reason: with its stack, an error costs more than most of the checks. */
  function findError(code: 'token_invalid' | 'token_expired', refusal: TokenRefusal): HttpError {
    const name = `${code} ${refusal.fault} ${refusal.isSigned}`;
    const known = explained.get(name);
    if (known) return known;
    const made = new HttpError(code, { refusal });
    explained.set(name, made);
    return made;
  }

  function note(projectId: string, fault: TokenFault, isSigned: boolean): HttpError {
    const refusal = { fault, isSigned };
    if (fault !== 'unrelated') deps.noteRefusedToken(projectId, refusal);
    return findError(fault === 'expired' ? 'token_expired' : 'token_invalid', refusal);
  }

  return {
    /** `token_expired`, with its reason where it is looked at. */
    explainExpired(token: RefusedToken): HttpError {
      return isWithinLimits(token) ? note(token.projectId, 'expired', true) : TOKEN_EXPIRED;
    },

    /** The error that is to be thrown in the place of `token_invalid`; undefined where the token is not looked at. */
    explainInvalid(token: RefusedToken): Promise<HttpError> | undefined {
      const { projectId, text } = token;
      if (!isWithinLimits(token)) return undefined;
      const context = { projectId, nowMs: deps.now() };
      const { fault, signers } = explainRefusal(text, deps.listKeys(projectId), context);
      if (fault === undefined) return undefined;
      return findSigner(text, signers).then((signer) => note(projectId, fault, signer !== undefined));
    },
  };
}

export const TOKEN_EXPIRED = new HttpError('token_expired');
