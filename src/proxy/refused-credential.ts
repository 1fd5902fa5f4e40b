import { HttpError } from '../http/errors.ts';
import type { AttemptsOptions } from './attempt-requests.ts';
import type { CallOutcome } from './call-environment.ts';
import type { CallRefusal, Credential, ProxyDependencies } from './contract.ts';
import type { Attempt, ProviderResponse } from './exchange.ts';
import { bodyFields, CopiedResponse, HeldResponse } from './peeked-response.ts';
import type { Repeats } from './retries.ts';

/** The attempts of one call, as far as what follows a refused credential needs them. */
type RefusedAttempts = {
  readonly current: Attempt | undefined;
  readonly env: { readonly deps: Pick<ProxyDependencies, 'refreshAfter401'> };
  readonly outcome: Pick<CallOutcome, 'refuse'>;
  readonly options: AttemptsOptions;
  readonly repeats: Repeats;
  readonly credential: Credential;
  /** Takes the place of the answer in hand. */
  replaceAnswer(answer: ProviderResponse): void;
  conclude(status: number, answer: ProviderResponse): void;
  relay(answer: ProviderResponse): void;
  repeatWith(fresh: Credential, attempt: Attempt, answer: ProviderResponse): void;
  guard(step: () => void): void;
  whenReplayable(step: () => void): void;
};

/** The provider refused the credential: one refresh, and one repeat where the body is here to be sent again. */
export function renewCredential(attempts: RefusedAttempts, attempt: Attempt, answer: ProviderResponse): void {
  if (attempts.options.body.mayBecomeReplayable)
    attempts.whenReplayable(() => refresh(attempts, attempt, answer));
  // The credential is refreshed even where the body cannot be sent again, for the next call.
  else attempts.guard(() => refresh(attempts, attempt, answer));
}

function refresh(attempts: RefusedAttempts, attempt: Attempt, answer: ProviderResponse): void {
  const { call, identified, body, timing, isOnce } = attempts.options;
  const { trace } = call;
  timing.endProvider();
  const next = (fresh: Credential | null): void => {
    if (attempt !== attempts.current) return;
    if (fresh === null || isOnce || !body.isReplayable) attempts.relay(answer);
    else attempts.repeatWith(fresh, attempt, answer);
  };
  const renew = () => attempts.env.deps.refreshAfter401(identified.connection, attempts.credential);
  (trace === undefined ? renew() : trace.within(renew)).then(
    (fresh) => attempts.guard(() => next(fresh)),
    (error: unknown) => {
      if (attempt === attempts.current) attempts.outcome.refuse(error);
    },
  );
}

/** Reads a short answer that may refuse the credential: before it is passed on where there may be a newer one. */
export function peekResponse(
  attempts: RefusedAttempts,
  attempt: Attempt,
  answer: ProviderResponse,
  { isRenewed, isRefused }: CallRefusal,
): void {
  const fields = bodyFields(answer.rawHeaders);
  const status = answer.status ?? 0;
  const { repeats } = attempts;
  if (isRenewed && !repeats.isRefreshTried) {
    const held = new HeldResponse(answer, (whole, body) =>
      attempts.guard(() => {
        if (attempt !== attempts.current) return;
        const isOver = body !== undefined && isRefused(fields, body);
        if (isOver && repeats.takeRefresh()) renewCredential(attempts, attempt, whole);
        else concludeHeld(attempts, status, whole);
      }),
    );
    attempts.replaceAnswer(held);
    held.hold();
    return;
  }
  const { connection } = attempts.options.identified;
  const used = attempts.credential;
  const copied = new CopiedResponse(answer, (body) => {
    if (!isRenewed && isRefused(fields, body))
      attempts.env.deps.refreshAfter401(connection, used).catch(() => undefined);
  });
  attempts.replaceAnswer(copied);
  attempts.conclude(status, copied);
}

function concludeHeld(attempts: RefusedAttempts, status: number, answer: ProviderResponse): void {
  try {
    attempts.conclude(status, answer);
  } catch (error) {
    // Node refused to write the head as the provider sent it.
    throw new HttpError('upstream_invalid_response', { cause: error });
  }
}
