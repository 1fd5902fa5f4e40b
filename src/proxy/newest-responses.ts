import type { Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Finds the response to the newest request of each connection. Responses go out in the order of their requests, so once
 * that one is out, nothing is owed on the connection.
 */
export class NewestResponses {
  readonly #responses = new WeakMap<Duplex, ServerResponse>();

  watch(server: Server): void {
    server.on('request', (request, response) => this.#responses.set(request.socket, response));
  }

  /** The newest response where it is not out yet, or where its request is still arriving. */
  open(socket: Duplex): ServerResponse | undefined {
    const response = this.#responses.get(socket);
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
