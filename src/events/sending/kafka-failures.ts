import { FORBIDDEN_ADDRESS } from '../../platform/address-guard.ts';
import { NOT_KAFKA } from '../../platform/broker-socket.ts';
import { isTlsFailure } from '../../platform/handshake-failures.ts';
import type { AttemptError } from './attempt.ts';
import { UNKNOWN_NAME } from './http-sender.ts';
import { AuthenticationRefused } from './kafka-sasl.ts';

/** What a connection to a broker ended with. */
export type LineFault = { readonly broker: string; readonly error: NodeJS.ErrnoException };

export type Failure = {
  readonly error: AttemptError;
  readonly code?: string | undefined;
  readonly answer?: string | undefined;
};

/** What Kafka's own errors mean, by their names; every other one is a refusal. */
const MEANINGS: Readonly<Record<string, AttemptError>> = {
  UNKNOWN_TOPIC_OR_PARTITION: 'topic_not_found',
  INVALID_TOPIC_EXCEPTION: 'topic_not_found',
  MESSAGE_TOO_LARGE: 'message_too_large',
  RECORD_LIST_TOO_LARGE: 'message_too_large',
  SASL_AUTHENTICATION_FAILED: 'authentication_failed',
  UNSUPPORTED_SASL_MECHANISM: 'authentication_failed',
  REQUEST_TIMED_OUT: 'timeout',
};

/** Names of errors of the client itself. */
const CLIENT_MEANINGS: Readonly<Record<string, AttemptError>> = {
  KafkaJSSASLAuthenticationError: 'authentication_failed',
  KafkaJSRequestTimeoutError: 'timeout',
  KafkaJSLockTimeout: 'timeout',
  // Without a fault of the line it is the client's limit for connecting.
  KafkaJSConnectionError: 'timeout',
  KafkaJSConnectionClosedError: 'connection_failed',
  RangeError: 'answer_invalid',
  TypeError: 'answer_invalid',
  KafkaJSPartialMessageError: 'answer_invalid',
  KafkaJSServerDoesNotSupportApiKey: 'answer_invalid',
};

const CAUSES_MAX = 10;

/**
 * Why an attempt failed. A refused address comes before anything else, since the client goes on to other brokers and then
 * names what these said.
 */
export function describeFailure(
  thrown: unknown,
  faults: readonly LineFault[],
  { isTimeout }: { readonly isTimeout: boolean },
): Failure {
  const causes = listCauses(thrown);
  const forbidden = faults.find(({ error }) => error.code === FORBIDDEN_ADDRESS);
  if (forbidden !== undefined) return describeLine(forbidden);
  const type = causes.map(typeOf).find((one) => one !== undefined);
  if (type !== undefined) return { error: MEANINGS[type] ?? 'refused_by_receiver', code: type };
  if (causes.some((cause) => cause instanceof AuthenticationRefused))
    return { error: 'authentication_failed' };
  const [fault] = faults;
  if (fault !== undefined) return describeLine(fault);
  if (isTimeout) return { error: 'timeout' };
  const known = causes.map(({ name }) => CLIENT_MEANINGS[name]).find((one) => one !== undefined);
  return { error: known ?? 'connection_failed' };
}

function describeLine({ broker, error }: LineFault): Failure {
  const answer = broker;
  const code = /^[A-Z][A-Z0-9_]{2,60}$/.test(error.code ?? '') ? error.code : undefined;
  if (code === FORBIDDEN_ADDRESS) return { error: 'address_refused', answer };
  if (code === NOT_KAFKA) return { error: 'answer_invalid', answer };
  if (isTlsFailure(error)) return { error: 'tls_failed', code, answer };
  if (code !== undefined && UNKNOWN_NAME.test(code)) return { error: 'name_not_found', code, answer };
  return { error: 'connection_failed', code, answer };
}

function listCauses(thrown: unknown): Error[] {
  const causes: Error[] = [];
  for (let next = thrown; next instanceof Error && causes.length < CAUSES_MAX; next = next.cause)
    causes.push(next);
  return causes.toReversed();
}

/** Kafka's name of the error, as the client gives it. */
function typeOf(error: Error): string | undefined {
  const type = 'type' in error ? error.type : undefined;
  return typeof type === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(type) ? type : undefined;
}
