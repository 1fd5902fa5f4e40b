import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Where a connection has it; a WeakMap costs the collector far more. */
const NEWEST = Symbol('newest response');

declare module 'node:stream' {
  interface Duplex {
    [NEWEST]?: ServerResponse | undefined;
  }
}

/**
 * Finds the response to the newest request of each connection. Responses go out in the order of their requests, so once
 * that one is out, nothing is owed on the connection.
 */
export class NewestResponses {
  watch(server: Server): void {
    server.on('request', ({ socket }, response) => {
      socket[NEWEST] = response;
      response.on('close', letGo);
    });
  }

  /** The newest response where it is not out yet, or where its request is still arriving. */
  open(socket: Duplex): ServerResponse | undefined {
    const response = socket[NEWEST];
    return response && (!response.writableFinished || !response.req.complete) ? response : undefined;
  }

  /** Runs `then` once nothing is owed on the connection; never where it is gone or closing by then. */
  whenOut(socket: Duplex, then: () => void): void {
    const response = this.open(socket);
    const runIfOpen = (): void => {
      if (socket.writable) then();
    };
    if (response === undefined) runIfOpen();
    else response.once('close', runIfOpen);
  }
}

/** A connection that stays must not keep all that its last call was made of. */
function letGo(this: ServerResponse): void {
  const { req } = this;
  if (req.complete && req.socket[NEWEST] === this) req.socket[NEWEST] = undefined;
}
