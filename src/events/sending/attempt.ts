export type Attempt = {
  /** ISO 8601. */
  readonly at: string;
  /** Undefined where there was no answer. */
  readonly status?: number | undefined;
  readonly durationMs: number;
  /** Undefined where the attempt delivered. */
  readonly error?: AttemptError | undefined;
  /** What Node or the resolver calls it, such as ECONNREFUSED. */
  readonly code?: string | undefined;
  /** The start of the answer's body. */
  readonly answer?: string | undefined;
};

export const ATTEMPT_ERRORS = [
  'refused_by_receiver',
  'redirect',
  'gone',
  'aborted_by_receiver',
  'timeout',
  'address_refused',
  'name_not_found',
  'tls_failed',
  'connection_failed',
  'authentication_failed',
  'topic_not_found',
  'message_too_large',
  'answer_invalid',
  'event_expired',
] as const;

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];
