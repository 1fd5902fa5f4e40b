import { createServer } from 'node:net';

/** Where a browser may look for `localhost`: a stranger on either one would be taken for the demo. */
const LOOPBACK = ['127.0.0.1', '::1'];

/** The port asked for if it is free, otherwise one that the system gives. */
export async function findPort(wanted: number): Promise<number> {
  for (const port of [wanted, 0, 0, 0]) {
    const found = await listenOnce(port, '127.0.0.1');
    const taken = await Promise.all(LOOPBACK.map(async (host) => (await listenOnce(found, host)) === -1));
    if (found > 0 && !taken.includes(true)) return found;
  }
  throw new Error('No port is free');
}

/**
 * The port that was listened on briefly; -1 if it is in use. It counts as free where the address does not exist.
 */
function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve('code' in error && error.code === 'EADDRINUSE' ? -1 : port);
    });
    server.listen(Math.max(0, port), host, () => {
      const address = server.address();
      const found = typeof address === 'object' && address !== null ? address.port : -1;
      server.close(() => resolve(found));
    });
  });
}
