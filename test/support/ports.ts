import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';

const PORTS_FROM = 20_000;
/** As many as there may be at once; together below 32768. */
const WORKERS_MAX = 16;
const PORTS_PER_WORKER = 750;

const WORKER = Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS_MAX;
let lastTried = randomBytes(4).readUInt32BE();

/**
 * Below the ports that the system hands out by itself, another one each time and other ones in each of jest's workers,
 * so that no other process takes it before the gateway does.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    lastTried += 1;
    const port = PORTS_FROM + WORKER + WORKERS_MAX * (lastTried % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
}

/** For a demo, whose parts look for a port long before they listen on it. */
export async function findDemoPorts(): Promise<{ gateway: number; crm: number; app: number }> {
  return { gateway: await findFreePort(), crm: await findFreePort(), app: await findFreePort() };
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
