import type { ClientCertificate } from '../platform/client-certificate.ts';
import { type Outbound, OutboundError, type OutboundResponse } from '../platform/outbound.ts';
import { BODY_BYTES_MAX } from './response-body.ts';
import type { Message } from './token-message.ts';

export type CertifiedMessage = Message & { readonly clientCertificate?: ClientCertificate };

export type Listening = {
  /** How long a request that timed out is listened to, in milliseconds; left out: not at all. */
  readonly lateAnswerMs?: number;
  /** Called before the first byte may go out. */
  readonly noteSending?: () => void;
};
export type Sent =
  | { readonly response: OutboundResponse }
  | { readonly error: OutboundError; readonly late: Promise<OutboundResponse | undefined> | undefined };

export type SendTokenRequest = ReturnType<typeof createTokenTransport>;

/** Sends requests to token and revocation endpoints, and listens to late answers where that is wanted. */
export function createTokenTransport({
  outbound,
  timeoutMs,
}: {
  readonly outbound: Outbound;
  readonly timeoutMs: number;
}) {
  return async function send(
    message: CertifiedMessage,
    signal?: AbortSignal,
    { lateAnswerMs, noteSending }: Listening = {},
  ): Promise<Sent> {
    const late = Promise.withResolvers<OutboundResponse | undefined>();
    const lateAnswer = lateAnswerMs !== undefined && {
      lateAnswer: {
        withinMs: lateAnswerMs,
        onAnswer: (response: OutboundResponse) => late.resolve(response),
        onLost: () => late.resolve(undefined),
      },
    };
    const limits = { timeoutMs, responseBytesMax: BODY_BYTES_MAX, ...(signal && { signal }) };
    // What has come of an answer says more than that it was too large, or broke off.
    const cuts = { isCutWhereTooLarge: true, isCutTaken: true };
    noteSending?.();
    try {
      return { response: await outbound.request({ ...message, ...limits, ...cuts, ...lateAnswer }) };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const isOpen = lateAnswer !== false && error.kind === 'timeout' && error.mayHaveBeenProcessed;
      return { error, late: isOpen ? late.promise : undefined };
    }
  };
}
