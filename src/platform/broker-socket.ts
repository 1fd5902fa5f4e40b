import { connect as connectPlain, isIP, type LookupFunction, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { forbiddenAddress, isPrivateLiteral } from './address-guard.ts';

/** Larger than any answer to a producer; metadata of a topic with thousands of partitions come near. */
const FRAME_BYTES_MAX = 1024 * 1024;
const LENGTH_BYTES = 4;
/** An answer begins with the number of its request. */
const FRAME_BYTES_MIN = 4;

/** Error code of a broker whose bytes are no frames of Kafka's protocol. */
export const NOT_KAFKA = 'ERR_NOT_KAFKA';

export type BrokerAddress = {
  readonly host: string;
  readonly port: number;
  /** Null: without TLS. */
  readonly tls: { readonly ca: string | null } | null;
};

/**
 * A connection to a broker of Kafka whose address is judged like every other one, however the client came to know it: the
 * cluster itself names brokers. It hands on whole frames of a bounded size alone, since the client takes any length that
 * a broker announces.
 */
export class BrokerSocket extends Socket {
  readonly #line: Socket;
  #bytesNeeded = LENGTH_BYTES;
  #chunks: Buffer[] = [];
  #bytesHeld = 0;

  constructor(line: Socket) {
    super();
    this.#line = line;
    line.on('data', (chunk: Buffer) => this.#take(chunk));
    line.on('end', () => this.push(null));
    line.on('error', (error) => this.destroy(error));
    line.on('close', () => this.destroy());
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytesHeld += chunk.length;
    while (this.#bytesHeld >= this.#bytesNeeded && !this.destroyed) {
      // Joined once for all frames that it holds: a broker may send thousands of tiny ones at a time.
      const [first, ...others] = this.#chunks;
      const held = first === undefined || others.length > 0 ? Buffer.concat(this.#chunks) : first;
      this.#chunks = [held];
      const length = held.readInt32BE(0);
      if (length < FRAME_BYTES_MIN || length > FRAME_BYTES_MAX) {
        this.destroy(Object.assign(new Error('No frame of Kafka’s protocol'), { code: NOT_KAFKA }));
        return;
      }
      const end = LENGTH_BYTES + length;
      this.#bytesNeeded = end;
      if (held.length < end) return;
      this.push(held.subarray(0, end));
      this.#chunks = [held.subarray(end)];
      this.#bytesHeld -= end;
      this.#bytesNeeded = LENGTH_BYTES;
    }
  }

  override _read(): void {
    // What comes is handed on at once.
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#line.write(chunk, encoding, done);
  }

  override _writev(
    chunks: { chunk: Buffer; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    this.#line.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#line.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#line.destroy();
    done(error);
  }

  override unref(): this {
    this.#line.unref();
    return this;
  }
}

/** Connects to a broker, unless its address is not public and private networks are not allowed. */
export function connectBroker(
  { host, port, tls }: BrokerAddress,
  guard: { readonly lookup: LookupFunction; readonly allowPrivateNetworks: boolean },
  onConnect: () => void,
): BrokerSocket {
  if (!guard.allowPrivateNetworks && isPrivateLiteral(host)) {
    const refused = new BrokerSocket(new Socket());
    process.nextTick(() => refused.destroy(forbiddenAddress()));
    return refused;
  }
  const { lookup } = guard;
  if (tls === null) return new BrokerSocket(connectPlain({ host, port, lookup }, onConnect));
  const options = {
    ...(isIP(host) === 0 && { servername: host }),
    ...(tls.ca !== null && { ca: tls.ca }),
  };
  return new BrokerSocket(connectTls({ host, port, lookup, ...options }, onConnect));
}
