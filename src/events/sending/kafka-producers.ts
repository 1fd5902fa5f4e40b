import type { LookupFunction } from 'node:net';
import type { KafkaConfig, Producer } from 'kafkajs';
import { type BrokerSocket, connectBroker } from '../../platform/broker-socket.ts';
import type { LineFault } from './kafka-failures.ts';
import { createSasl } from './kafka-sasl.ts';
import type { KafkaTarget } from './sender.ts';

const CLIENT_ID = 'integration-gateway';
const CONNECT_LIMIT_MS = 5_000;
const REQUEST_LIMIT_MS = 12_000;
/** The client keeps a timer per connection busy, so that none stays open for longer than messages follow each other. */
const IDLE_MS = 1_000;
/** What no attempt uses is closed beyond so many, the oldest first. */
const IDLE_MAX = 100;
const FAULTS_MAX = 20;

export type BrokerGuard = { readonly lookup: LookupFunction; readonly allowPrivateNetworks: boolean };

type Lines = {
  readonly faults: LineFault[];
  readonly sockets: Set<BrokerSocket>;
  isClosed: boolean;
};

/** A connected client of one destination, with its connections. */
export type HeldProducer = {
  readonly key: string;
  readonly ready: Promise<Producer>;
  readonly lines: Lines;
  uses: number;
  timer: NodeJS.Timeout | undefined;
};

/** Clients that are connected, a client a destination; loaded with the first. */
export function createProducers(guard: BrokerGuard) {
  const held = new Map<string, HeldProducer>();

  function open(key: string, target: KafkaTarget): HeldProducer {
    const lines: Lines = { faults: [], sockets: new Set(), isClosed: false };
    const ready = connect(target, guard, lines);
    // Who takes it awaits it as well; this one is for a client that is closed before.
    ready.catch(() => undefined);
    return { key, ready, lines, uses: 0, timer: undefined };
  }

  function close(producer: HeldProducer): void {
    clearTimeout(producer.timer);
    producer.lines.isClosed = true;
    if (held.get(producer.key) === producer) held.delete(producer.key);
    for (const socket of producer.lines.sockets) socket.destroy(new Error('The connection is closed'));
  }

  function closeIdle(): void {
    const idle = [...held.values()].filter(({ uses }) => uses === 0);
    for (const producer of idle.slice(0, Math.max(0, idle.length - IDLE_MAX))) close(producer);
  }

  return {
    take(key: string, target: KafkaTarget): HeldProducer {
      const found = held.get(key);
      const producer = found === undefined || found.lines.isClosed ? open(key, target) : found;
      held.set(key, producer);
      clearTimeout(producer.timer);
      producer.uses += 1;
      return producer;
    },
    /** After an attempt; a client whose connections cannot be trusted any more is closed. */
    release(producer: HeldProducer, { isBroken }: { readonly isBroken: boolean }): void {
      producer.uses -= 1;
      if (isBroken) close(producer);
      if (producer.lines.isClosed || producer.uses > 0) return;
      producer.timer = setTimeout(() => close(producer), IDLE_MS);
      producer.timer.unref();
      closeIdle();
    },
    closeAll(): void {
      for (const producer of held.values()) close(producer);
    },
  };
}

async function connect(target: KafkaTarget, guard: BrokerGuard, lines: Lines): Promise<Producer> {
  const { default: kafkajs } = await import('kafkajs');
  const { brokers, sasl, tls } = target;
  const socketFactory: KafkaConfig['socketFactory'] = ({ host, port, onConnect }) => {
    const socket = connectBroker({ host, port, tls }, guard, onConnect);
    lines.sockets.add(socket);
    // What was under way when it was closed would have the client connect once more.
    if (lines.isClosed) process.nextTick(() => socket.destroy(new Error('The client is closed')));
    socket.on('close', () => lines.sockets.delete(socket));
    socket.on('error', (error) => {
      if (lines.faults.length < FAULTS_MAX) lines.faults.push({ broker: `${host}:${port}`, error });
    });
    return socket;
  };
  const client = new kafkajs.Kafka({
    clientId: CLIENT_ID,
    brokers: [...brokers],
    ...(sasl !== null && { sasl: createSasl(sasl) }),
    connectionTimeout: CONNECT_LIMIT_MS,
    requestTimeout: REQUEST_LIMIT_MS,
    // Each of its own retries takes another one of the brokers.
    retry: { retries: brokers.length, initialRetryTime: 50, maxRetryTime: 200 },
    socketFactory,
    // Its lines would name users and addresses; what an operator needs stands at the attempt.
    logCreator: () => () => undefined,
  });
  const producer = client.producer({
    allowAutoTopicCreation: false,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
    // A leader that has moved is found again; every other failure is for the schedule of the delivery.
    retry: { retries: 1, initialRetryTime: 100 },
  });
  await producer.connect();
  return producer;
}
