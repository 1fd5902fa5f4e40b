import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LoopbackServer = { readonly url: string; close(): void };

/** A server on a free port of this machine, whose handler knows its address. */
export async function listenOnLoopback(
  answer: (request: IncomingMessage, response: ServerResponse, url: string) => void,
): Promise<LoopbackServer> {
  let url = '';
  const server = createServer((request, response) => answer(request, response, url));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  return {
    url,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
