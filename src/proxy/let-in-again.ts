import { isDeepStrictEqual } from 'node:util';
import { HttpError } from '../http/errors.ts';
import type { UserMandate } from '../mandates/user-mandate.ts';
import type { Permit } from './admission.ts';
import type { CallOptions } from './call-environment.ts';
import { chain } from './chain.ts';
import { connectionChoice } from './connection-choice.ts';
import type { MaybePromise, ProxyDependencies } from './contract.ts';
import { refusalError } from './mandate-check.ts';

type Needs = Pick<ProxyDependencies, 'verifyUserToken' | 'isFrozen' | 'resolve'>;
type LetIn = Pick<Permit, 'verifiedUser' | 'mandateEntries' | 'connection'>;
type AwaitedCall = Pick<CallOptions, 'request' | 'target' | 'fields'>;

/**
 * Looks again at what a call was let in by, once a body is here that the gateway needs as a whole and that the caller may
 * have kept back for hours. Throws or rejects where the token is revoked by now, the project frozen, the mandate another,
 * or the connection gone.
 */
export function letInAgain(deps: Needs, before: LetIn, call: AwaitedCall, token: string): MaybePromise<void> {
  const { request, target, fields } = call;
  return chain(deps.verifyUserToken(target.projectId, token, request), (user) => {
    if (deps.isFrozen?.(target.projectId)) throw new HttpError('project_frozen');
    if (user.mandate !== before.verifiedUser?.mandate) assertStillAllowed(before, call, user.mandate);
    return chain(deps.resolve(connectionChoice(target, fields, user)), ({ connectionId }) => {
      if (connectionId !== before.connection?.connectionId) throw new HttpError('connection_not_found');
    });
  });
}

/** Each part of the mandate has to have the entry still by which it allowed the call. */
function assertStillAllowed(
  { verifiedUser, mandateEntries = [] }: LetIn,
  call: AwaitedCall,
  now: UserMandate | undefined,
): void {
  if (now?.refusal !== undefined) throw refusalError(now.refusal, call);
  const isAllowed = now?.parts.every(({ entries }, index) => {
    const entry = verifiedUser?.mandate?.parts[index]?.entries[mandateEntries[index] ?? -1];
    return entry !== undefined && entries.some((one) => isDeepStrictEqual(one, entry));
  });
  if (isAllowed !== false) return;
  const detail = 'the mandate was changed while the body of the call was on its way. Send the call again.';
  throw refusalError({ code: 'mandate_denied', detail }, call);
}
