import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';

/** Has the server listen on a free port of the loopback interface, which it answers. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('not listening');
  return address.port;
}

/** Ends every connection and the server. */
export async function closeServer(server: HttpServer): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve);
  });
  server.closeAllConnections();
  await closed;
}
