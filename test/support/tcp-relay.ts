import { connect, createServer, type Socket } from 'node:net';
import { findFreePort } from './ports.ts';

export type TcpRelay = {
  readonly port: number;
  /** Ends every connection and refuses new ones. */
  readonly cut: () => Promise<void>;
  /** Lets connections through again, on the same port. */
  readonly mend: () => Promise<void>;
  /** Makes what the server sends take this much longer, from now on. */
  readonly slow: (delayMs: number) => void;
  readonly close: () => Promise<void>;
};

export type RelayTarget = { readonly host: string; readonly port: number } | { readonly path: string };

/** Carries TCP connections to `target` until it is cut: a network, or a server behind it, that goes away. */
export async function startTcpRelay(target: RelayTarget): Promise<TcpRelay> {
  const sockets = new Set<Socket>();
  let delayMs = 0;
  const carry = (near: Socket) => {
    const far = connect(target);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    near.pipe(far);
    let dueAt = 0;
    far.on('data', (chunk) => {
      // Never before what came earlier.
      dueAt = Math.max(dueAt, Date.now() + delayMs);
      if (dueAt <= Date.now()) near.write(chunk);
      else setTimeout(() => near.write(chunk), dueAt - Date.now());
    });
  };
  const server = createServer(carry);
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  const cut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  // Not one of the system's own ports, which another connection may have taken while this one was cut.
  const port = await findFreePort();
  await listen(port);
  return {
    port,
    cut,
    mend: () => listen(port),
    slow: (ms) => {
      delayMs = ms;
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}

/** Where the server of a Postgres URL listens; a `host` parameter that is a directory holds its unix socket. */
export function readRelayTarget(databaseUrl: string): RelayTarget {
  const url = new URL(databaseUrl);
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = Number(url.searchParams.get('port') ?? (url.port || 5432));
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port };
}

/** The same database by way of a relay. */
export function urlThroughRelay(databaseUrl: string, relayPort: number): string {
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.searchParams.delete('port');
  url.hostname = '127.0.0.1';
  url.port = String(relayPort);
  return url.href;
}
