import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { createServer as createPlainServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts';
import { KafkaReader, KafkaWriter } from './kafka-wire.ts';
import { listen } from './listen.ts';

/** Keys of requests (kafka.apache.org/protocol), and the versions that this broker has. */
const VERSIONS: readonly (readonly [key: number, min: number, max: number])[] = [
  [0, 3, 3],
  // It reads nothing out; clients send batches of version 2 to who has version 4 of this.
  [1, 4, 4],
  [3, 0, 1],
  [17, 0, 1],
  [18, 0, 0],
  [36, 0, 0],
];
const [PRODUCE, METADATA, HANDSHAKE, API_VERSIONS, AUTHENTICATE] = [0, 3, 17, 18, 36];

export const KAFKA_ERRORS = {
  unknownTopic: 3,
  notLeader: 6,
  tooLarge: 10,
  unsupportedMechanism: 33,
  unsupportedVersion: 35,
  authentication: 58,
} as const;

export type KafkaRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
};

export type BrokerOptions = {
  readonly tls?: boolean;
  /** Partitions by topic. Default: `events` with 3. */
  readonly topics?: Readonly<Record<string, number>>;
  readonly user?: { readonly name: string; readonly password: string; readonly iterations?: number };
  /** What the cluster says where its one broker is. */
  readonly advertised?: { readonly host: string; readonly port: number };
  readonly valueBytesMax?: number;
};

export type KafkaBroker = Awaited<ReturnType<typeof startKafkaBroker>>;

/**
 * One broker that keeps what it is given in memory, written from the published protocol and none of the client's code. kcat
 * is another client of it in `npm run test:deploy`.
 */
export async function startKafkaBroker(options: BrokerOptions = {}) {
  const records: KafkaRecord[] = [];
  const connections = new Set<Socket>();
  const broker = {
    records,
    requests: [] as number[],
    acks: new Set<number>(),
    /** What the next produce requests get in the place of success. */
    refusals: [] as number[],
    /** Takes what comes and says nothing. */
    isSilent: false,
    /** Says this in the place of every answer. */
    nonsense: undefined as Buffer | undefined,
    port: 0,
    address: '',
    connections,
    closeConnections(): void {
      for (const socket of connections) socket.destroy();
    },
    async close(): Promise<void> {
      broker.closeConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const serve = (socket: Socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => undefined);
    serveConnection(socket, options, broker);
  };
  const server: Server = options.tls
    ? createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, serve)
    : createPlainServer(serve);
  broker.port = await listen(server);
  broker.address = `${options.tls ? 'localhost' : '127.0.0.1'}:${broker.port}`;
  return broker;
}

type BrokerState = Pick<
  Awaited<ReturnType<typeof startKafkaBroker>>,
  'records' | 'requests' | 'acks' | 'refusals' | 'isSilent' | 'nonsense' | 'port'
>;
type Session = { isKnown: boolean; scram: ((message: string) => string | undefined) | undefined };

function serveConnection(socket: Socket, options: BrokerOptions, broker: BrokerState): void {
  const session: Session = { isKnown: options.user === undefined, scram: undefined };
  let held = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readInt32BE(0)) {
      const end = 4 + held.readInt32BE(0);
      const request = new KafkaReader(held.subarray(4, end));
      held = held.subarray(end);
      if (broker.isSilent) continue;
      if (broker.nonsense !== undefined) {
        socket.write(broker.nonsense);
        continue;
      }
      const [key, version, correlation] = [request.int16(), request.int16(), request.int32()];
      request.string();
      broker.requests.push(key);
      const body = answer({ key, version, request }, options, broker, session);
      if (body === undefined) socket.destroy();
      else socket.write(body.frame(correlation));
    }
  });
}

function answer(
  { key, version, request }: { key: number; version: number; request: KafkaReader },
  options: BrokerOptions,
  broker: BrokerState,
  session: Session,
): KafkaWriter | undefined {
  if (key === API_VERSIONS) {
    const writer = new KafkaWriter().int16(version === 0 ? 0 : KAFKA_ERRORS.unsupportedVersion);
    return writer.array(VERSIONS, (to, [api, min, max]) => to.int16(api).int16(min).int16(max));
  }
  if (key === HANDSHAKE) {
    const mechanism = request.string();
    const isKnown = options.user !== undefined && /^(PLAIN|SCRAM-SHA-(256|512))$/.test(mechanism);
    if (isKnown) session.scram = createExchange(mechanism, options.user);
    const error = isKnown ? 0 : KAFKA_ERRORS.unsupportedMechanism;
    return new KafkaWriter()
      .int16(error)
      .array(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'], (to, one) => to.string(one));
  }
  if (key === AUTHENTICATE) {
    const said = session.scram?.(request.bytes().toString('utf8'));
    session.isKnown = said !== undefined;
    const error = said === undefined ? KAFKA_ERRORS.authentication : 0;
    return new KafkaWriter()
      .int16(error)
      .string(error === 0 ? null : 'no such user')
      .bytes(Buffer.from(said ?? ''));
  }
  if (!session.isKnown) return undefined;
  if (key === METADATA) return describeCluster(version, request, options, broker);
  return key === PRODUCE ? keep(request, options, broker) : undefined;
}

function describeCluster(version: number, request: KafkaReader, options: BrokerOptions, broker: BrokerState) {
  const { topics = { events: 3 }, advertised } = options;
  const { host, port } = advertised ?? { host: options.tls ? 'localhost' : '127.0.0.1', port: broker.port };
  const asked = request.array((from) => from.string());
  const writer = new KafkaWriter().array([0], (to) => {
    to.int32(7).string(host).int32(port);
    if (version > 0) to.string(null);
  });
  if (version > 0) writer.int32(7);
  return writer.array(asked.length > 0 ? asked : Object.keys(topics), (to, topic) => {
    const count = topics[topic];
    to.int16(count === undefined ? KAFKA_ERRORS.unknownTopic : 0).string(topic);
    if (version > 0) to.int8(0);
    const partitions = Array.from({ length: count ?? 0 }, (_, index) => index);
    to.array(partitions, (of, index) => {
      of.int16(0).int32(index).int32(7);
      of.array([7], (ids, id) => ids.int32(id)).array([7], (ids, id) => ids.int32(id));
    });
  });
}

function keep(request: KafkaReader, { valueBytesMax = 1_000_000 }: BrokerOptions, broker: BrokerState) {
  request.string();
  broker.acks.add(request.int16());
  request.int32();
  const refusal = broker.refusals.shift();
  const results = request.array((from) => {
    const topic = from.string();
    const partitions = from.array((of) => {
      const partition = of.int32();
      const read = of.records();
      const isLarge = read.some(({ value }) => value.length > valueBytesMax);
      const error = refusal ?? (isLarge ? KAFKA_ERRORS.tooLarge : 0);
      const offset = broker.records.filter((one) => one.partition === partition).length;
      if (error === 0) broker.records.push(...read.map((record) => ({ topic, partition, ...record })));
      return { partition, error, offset };
    });
    return { topic, partitions };
  });
  return new KafkaWriter()
    .array(results, (to, { topic, partitions }) => {
      to.string(topic).array(partitions, (of, { partition, error, offset }) => {
        of.int32(partition).int16(error).int64(BigInt(offset)).int64(-1n);
      });
    })
    .int32(0);
}

/** The server's side of PLAIN (RFC 4616) and SCRAM (RFC 5802): undefined is a refusal. */
function createExchange(
  mechanism: string,
  user: BrokerOptions['user'],
): (message: string) => string | undefined {
  const { name = '', password = '', iterations = 4_096 } = user ?? {};
  if (mechanism === 'PLAIN') return (text) => (text === `\0${name}\0${password}` ? '' : undefined);
  const digest = mechanism === 'SCRAM-SHA-256' ? 'sha256' : 'sha512';
  const hmac = (key: Buffer, text: string) => createHmac(digest, key).update(text).digest();
  const salt = randomBytes(16);
  let [first, challenge] = ['', ''];
  return (message) => {
    if (challenge === '') {
      first = message.slice('n,,'.length);
      const nonce = /,r=(.*)$/.exec(first)?.[1] ?? '';
      challenge = `r=${nonce}${randomBytes(9).toString('base64')},s=${salt.toString('base64')},i=${iterations}`;
      const known = name.replaceAll('=', '=3D').replaceAll(',', '=2C');
      return first.startsWith(`n=${known},`) ? challenge : undefined;
    }
    const salted = pbkdf2Sync(password, salt, iterations, digest === 'sha256' ? 32 : 64, digest);
    const [, bound = '', proof = ''] = /^(.*),p=(.*)$/.exec(message) ?? [];
    const signed = `${first},${challenge},${bound}`;
    const storedKey = createHash(digest).update(hmac(salted, 'Client Key')).digest();
    const signature = hmac(storedKey, signed);
    const clientKey = Buffer.from(proof, 'base64').map((byte, index) => byte ^ (signature[index] ?? 0));
    if (!createHash(digest).update(clientKey).digest().equals(storedKey)) return undefined;
    return `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}`;
  };
}
