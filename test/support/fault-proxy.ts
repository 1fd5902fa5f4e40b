import { connect, createServer, type Server, type Socket } from 'node:net';
import { findFreePort } from './ports.ts';
import type { RelayTarget } from './tcp-relay.ts';

/**
 * What happens to the connections, those that are open included, until the next `inject`. `after` counts bytes of the server from then on: with 0
 * it has done what was asked, and nothing of its answer arrives.
 */
export type Fault =
  /** What the server sends comes so much later. */
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'bandwidth'; readonly bytesPerSecond: number }
  /** One byte at a time. */
  | { readonly kind: 'dribble'; readonly everyMs: number }
  /** RST: whatever is under way is gone for both sides. */
  | { readonly kind: 'reset'; readonly after: number }
  /** FIN, as of a server that ends in the middle: inside TLS without its farewell. */
  | { readonly kind: 'end'; readonly after: number }
  /** Nothing comes any more, and nothing ends: the far side has gone without a word. */
  | { readonly kind: 'silence'; readonly after: number }
  /** Connections are accepted, and nothing of what is sent arrives. */
  | { readonly kind: 'black hole' }
  /** These bytes in place of the server's, once for each connection. */
  | { readonly kind: 'garbage'; readonly bytes: string | Buffer; readonly ends?: boolean }
  /** Bits are turned over from there on. */
  | { readonly kind: 'corruption'; readonly after: number };

export type FaultProxy = {
  readonly port: number;
  /** Undefined: connections are carried as they are; those that a fault had touched end. */
  inject(fault: Fault | undefined): void;
  /** Ends every connection and refuses new ones, until `accept`. */
  refuse(): Promise<void>;
  accept(): Promise<void>;
  /** Connections of callers so far. */
  connections(): number;
  close(): Promise<void>;
};

/** TCP in front of `target`, which does to it what networks and dying servers do. */
export async function startFaultProxy(target: RelayTarget): Promise<FaultProxy> {
  const carried = new Set<Carried>();
  let fault: Fault | undefined;
  let connections = 0;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    connections += 1;
    const one = new Carried(near, target, () => fault);
    carried.add(one);
    near.once('close', () => carried.delete(one));
  });
  const port = await findFreePort();
  await listenAt(server, port);
  const refuse = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const one of carried) one.destroy();
    });
  return {
    port,
    inject(next) {
      fault = next;
      for (const one of carried) one.noteFault();
    },
    refuse,
    accept: () => listenAt(server, port),
    connections: () => connections,
    close: async () => {
      if (server.listening) await refuse();
    },
  };
}

function listenAt(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** One connection of a caller and the one to the server that belongs to it. */
class Carried {
  readonly #near: Socket;
  readonly #far: Socket;
  readonly #fault: () => Fault | undefined;
  /** Bytes of the server since the fault was injected. */
  #passed = 0;
  #isBroken = false;
  /** What the server sends goes out in its order, however long each part is held. */
  #sending: Promise<void> = Promise.resolve();

  constructor(near: Socket, target: RelayTarget, fault: () => Fault | undefined) {
    this.#near = near;
    this.#far = connect({ ...target, allowHalfOpen: true });
    this.#fault = fault;
    for (const [one, other] of [
      [near, this.#far],
      [this.#far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    near.on('data', (chunk) => this.#takeFromCaller(chunk));
    near.on('end', () => void (this.#isBroken || this.#far.end()));
    this.#far.on('data', (chunk) => {
      this.#sending = this.#sending.then(() => this.#takeFromServer(chunk));
    });
    this.#far.on('end', () => {
      this.#sending = this.#sending.then(() => void (this.#isBroken || near.end()));
    });
  }

  noteFault(): void {
    this.#passed = 0;
    // A connection of which something is missing cannot go on.
    if (this.#isBroken) this.destroy();
  }

  destroy(): void {
    this.#near.destroy();
    this.#far.destroy();
  }

  #takeFromCaller(chunk: Buffer): void {
    const fault = this.#fault();
    if (fault?.kind === 'black hole') this.#isBroken = true;
    if (fault?.kind === 'garbage') this.#answerGarbage(fault);
    else if (!this.#isBroken) this.#far.write(chunk);
  }

  #answerGarbage({ bytes, ends = true }: Extract<Fault, { kind: 'garbage' }>): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#near.write(bytes);
    if (ends) this.#near.end();
  }

  #break(fault: Extract<Fault, { after: number }>): void {
    if (this.#isBroken || fault.kind === 'corruption') return;
    this.#isBroken = true;
    if (fault.kind === 'reset') this.#near.resetAndDestroy();
    if (fault.kind === 'end') this.#near.end();
  }

  async #takeFromServer(chunk: Buffer): Promise<void> {
    const fault = this.#fault();
    const before = this.#passed;
    this.#passed += chunk.length;
    if (this.#isBroken || this.#near.destroyed) return;
    if (fault === undefined) return void this.#near.write(chunk);
    if (fault.kind === 'latency') await pause(fault.ms);
    if (fault.kind === 'dribble') return this.#slowly(chunk, 1, fault.everyMs);
    if (fault.kind === 'bandwidth')
      return this.#slowly(chunk, Math.max(1, Math.round(fault.bytesPerSecond / 20)), 50);
    if (!('after' in fault) || this.#passed <= fault.after) return void this.#near.write(chunk);
    const kept = Math.max(0, fault.after - before);
    if (fault.kind === 'corruption') {
      const turned = chunk.map((byte, index) => (index < kept ? byte : byte ^ 0x55));
      return void this.#near.write(turned);
    }
    if (kept > 0) await write(this.#near, chunk.subarray(0, kept));
    this.#break(fault);
  }

  /** Ends early where the caller goes, or the fault does. */
  async #slowly(chunk: Buffer, size: number, everyMs: number): Promise<void> {
    const fault = this.#fault();
    for (let start = 0; start < chunk.length && !this.#near.destroyed; start += size) {
      this.#near.write(chunk.subarray(start, start + size));
      if (this.#fault() === fault) await pause(everyMs);
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Resolves when the bytes have gone to the system, so that an end after them overtakes none. */
function write(socket: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    socket.write(bytes, () => resolve());
  });
}
