import type { Producer } from 'kafkajs';
import { describeFailure } from './kafka-failures.ts';
import { type BrokerGuard, createProducers, type HeldProducer } from './kafka-producers.ts';
import type { KafkaTarget, Message, Sender, Sent, Target } from './sender.ts';
import { signatureFields } from './standard-webhooks.ts';

const ATTEMPT_LIMIT_MS = 15_000;
/** How long the brokers may take to have a message on all replicas in sync. */
const ACK_LIMIT_MS = 10_000;
const ALL_REPLICAS = -1;
/** Failures of one message, which leave the connections as they are. */
const OF_MESSAGE: ReadonlySet<string | undefined> = new Set(['message_too_large']);

type KafkaSender = Sender<Target & { readonly kafka: KafkaTarget }> & { stop(): void };

/**
 * Sends to a topic of Kafka: the same body and the same signed fields as by HTTP, and a key for the partition. Success is the
 * word of all replicas in sync. An attempt takes 15 s at most, connecting included.
 */
export function createKafkaSender(
  deps: BrokerGuard & {
    now(): number;
    /** Default: 15 s. */
    readonly attemptLimitMs?: number;
  },
): KafkaSender {
  const { now, attemptLimitMs = ATTEMPT_LIMIT_MS } = deps;
  const producers = createProducers(deps);

  async function attempt(
    held: HeldProducer,
    topic: string,
    message: Message,
    ending: AbortSignal,
  ): Promise<Omit<Sent, 'durationMs'>> {
    try {
      const producer = await orAborted(held.ready, ending);
      const answer = await orAborted(produce(producer, topic, message, now()), ending);
      held.lines.faults.length = 0;
      producers.release(held, { isBroken: false });
      return { answer };
    } catch (error) {
      const failure = describeFailure(error, held.lines.faults, { isTimeout: ending.aborted });
      producers.release(held, { isBroken: !OF_MESSAGE.has(failure.error) });
      return failure;
    }
  }

  return {
    async send({ key, kafka }, message, signal) {
      if (signal.aborted) return undefined;
      const startedAtMs = performance.now();
      const ending = AbortSignal.any([signal, AbortSignal.timeout(attemptLimitMs)]);
      const sent = await attempt(producers.take(key, kafka), kafka.topic, message, ending);
      if (signal.aborted && sent.error !== undefined) return undefined;
      return { ...sent, durationMs: Math.round(performance.now() - startedAtMs) };
    },
    stop: producers.closeAll,
  };
}

/** Where the record stands, in words that kcat takes. */
async function produce(
  producer: Producer,
  topic: string,
  message: Message,
  nowMs: number,
): Promise<string | undefined> {
  const value = Buffer.from(message.body);
  const [record] = await producer.send({
    topic,
    acks: ALL_REPLICAS,
    timeout: ACK_LIMIT_MS,
    messages: [
      {
        key: message.key,
        value,
        headers: {
          'content-type': message.contentType,
          ...signatureFields({ ...message, body: value, sentAtMs: nowMs }),
        },
      },
    ],
  });
  return record && `partition ${record.partition}, offset ${record.baseOffset}`;
}

/** The result, or a rejection once the signal says so: the client itself knows no way to stop. */
function orAborted<Value>(result: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const giveUp = () => reject(new Error('aborted'));
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
  result.then(resolve, reject);
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
}
