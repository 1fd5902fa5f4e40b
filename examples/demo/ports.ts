import { createServer } from 'node:net';

/** The port asked for if nobody listens there, otherwise one that the system gives. */
export async function findPort(wanted: number, host = '127.0.0.1'): Promise<number> {
  return (
    (await tryPort(wanted, host)) ?? (await tryPort(0, host)) ?? Promise.reject(new Error('No port is free'))
  );
}

function tryPort(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      const free = typeof address === 'object' && address !== null ? address.port : undefined;
      server.close(() => resolve(free));
    });
  });
}
