import { createServer, type Server } from 'node:http';

export type ListeningServer = {
  /** Answers nothing until it has a request listener. */
  readonly server: Server;
  /** Where it listens. */
  readonly url: string;
  /** Ends the connections that are open, too. */
  readonly close: () => Promise<void>;
};

/** A server whose address is known before its application is made. Port 0 takes a free one. */
export async function startListening({ port = 0, host = '127.0.0.1' } = {}): Promise<ListeningServer> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no TCP port');
  const close = () =>
    new Promise<void>((resolve, reject) => {
      server.close((error) => (error ? reject(error) : resolve()));
      server.closeAllConnections();
    });
  return { server, url: `http://${host}:${address.port}`, close };
}
