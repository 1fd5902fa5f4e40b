import type { CallSigner } from '../request-signing/call-signer.ts';
import { bodyTooLargeToSignError } from '../request-signing/signing-errors.ts';
import { type AttemptsOptions, signRequest } from './attempt-requests.ts';
import type { CallOutcome } from './call-environment.ts';
import { isPromise } from './chain.ts';
import type { Credential, ProxyDependencies } from './contract.ts';
import type { ProviderRequest } from './provider-request.ts';

/** The attempts of one call, as far as signing needs them. */
type SignedAttempts = {
  readonly env: { readonly deps: Pick<ProxyDependencies, 'now'> };
  readonly options: AttemptsOptions;
  readonly credential: Credential;
  readonly outcome: Pick<CallOutcome, 'refuse'>;
  /** Set while the caller's body is waited for; no longer true where the call has ended meanwhile. */
  isAwaitingBody: boolean;
  send(request: ProviderRequest): void;
  guard(step: () => void): void;
};

/** Signs this attempt, after the whole body is here where the signature covers it. */
export function signAndSend(attempts: SignedAttempts, signer: CallSigner, made: ProviderRequest): void {
  const { intake, body } = attempts.options;
  const { announcedBytes, hasBody } = intake;
  const use = hasBody ? signer.bodyUse({ fields: made.fields, announcedBytes }) : 'streams';
  if (use === 'streams') {
    attempts.send(sign(attempts, signer, made, undefined));
    return;
  }
  const { call, letInAgain } = attempts.options;
  const isBodyAwaited = !call.request.complete;
  const refuse = (error: unknown) => attempts.outcome.refuse(error);
  attempts.isAwaitingBody = true;
  body.gather(signer.bodyBytesMax, (whole) => {
    const go = () => {
      if (!attempts.isAwaitingBody) return;
      attempts.isAwaitingBody = false;
      if (whole === undefined) throw bodyTooLargeToSignError(signer.bodyBytesMax);
      attempts.send(sign(attempts, signer, made, whole));
    };
    attempts.guard(() => {
      const asked = isBodyAwaited ? letInAgain?.() : undefined;
      if (isPromise(asked)) asked.then(() => attempts.guard(go), refuse);
      else go();
    });
  });
}

function sign(
  { env, options, credential }: SignedAttempts,
  signer: CallSigner,
  made: ProviderRequest,
  body: Buffer | undefined,
): ProviderRequest {
  return signRequest(options, made, { signer, credential, body, nowMs: env.deps.now() });
}
