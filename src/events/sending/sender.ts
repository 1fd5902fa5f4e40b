import type { AttemptError } from './attempt.ts';

/** A message for a destination, in the form that the destination wants. */
export type Message = {
  /** The event's id, the same in every attempt. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly string[];
};

/** What became of one attempt. */
export type Sent = {
  readonly durationMs: number;
  /** Undefined: the receiver has it. */
  readonly error?: AttemptError | undefined;
  /** Of an HTTP answer, where there was one. */
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  /** The start of the answer. */
  readonly answer?: string | undefined;
  /** How long the receiver asked to wait. */
  readonly retryAfterMs?: number | undefined;
};

/**
 * Hands messages to one kind of destination. HTTP is the first kind; a queue or a topic would be another. Never
 * rejects. `undefined`: given up because of the signal, so that nothing is known of it.
 */
export type Sender = {
  send(url: string, message: Message, signal: AbortSignal): Promise<Sent | undefined>;
};
