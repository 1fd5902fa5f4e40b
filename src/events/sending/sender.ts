import type { AttemptError } from './attempt.ts';
import type { KafkaPlace } from './kafka-place.ts';

/** A message for a destination, in the form that the destination wants. */
export type Message = {
  /** The event's id, the same in every attempt. */
  readonly id: string;
  readonly contentType: string;
  readonly body: string;
  /** Messages with the same key follow each other, where the kind of destination has keys. */
  readonly key: string;
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

/** Where messages of a destination go. */
export type Target = {
  /** The same as long as nothing of the destination has changed. */
  readonly key: string;
  readonly url: string;
  /** Null: by HTTP. */
  readonly kafka: KafkaTarget | null;
};

export type KafkaTarget = Omit<KafkaPlace, 'sasl'> & {
  readonly sasl: (NonNullable<KafkaPlace['sasl']> & { readonly password: string }) | null;
};

/**
 * Hands messages to one kind of destination. Never rejects. `undefined`: given up because of the signal, so that nothing
 * is known of it.
 */
export type Sender<To = Target> = {
  send(to: To, message: Message, signal: AbortSignal): Promise<Sent | undefined>;
};

/** Sends by the kind that the destination has. */
export function createSender(kinds: {
  readonly http: Sender<string>;
  readonly kafka: Sender<Target & { readonly kafka: KafkaTarget }>;
}): Sender {
  return {
    send: ({ key, url, kafka }, message, signal) =>
      kafka === null
        ? kinds.http.send(url, message, signal)
        : kinds.kafka.send({ key, url, kafka }, message, signal),
  };
}
