import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const IDLE_SWEEP_MS = 50;
/** Long enough for balancers that look at `/readyz` every second or two, and for Kubernetes to spread the word. */
const DELAY_MS = 5_000;
/** Balancers poll `/readyz` more often than this. */
const PROBE_INTERVAL_MS = 60_000;

/**
 * How long a process goes on accepting after `/readyz` has begun to say 503. Without a setting there is no delay where
 * no balancer polls, so that a gateway on a developer's machine ends at once. Any worker may have been polled last: all
 * wait.
 */
export function shutdownDelayMs(options: {
  configuredMs: number | undefined;
  isWorker: boolean;
  lastProbeAgoMs: number;
}): number {
  if (options.configuredMs !== undefined) return options.configuredMs;
  return options.isWorker || options.lastProbeAgoMs < PROBE_INTERVAL_MS ? DELAY_MS : 0;
}

/**
 * The connections that have never brought a whole request: a browser's connection in advance, a probe that only
 * connects. Node does not count them as idle, and would wait for them.
 */
export function trackSilentSockets(server: Server): ReadonlySet<Socket> {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  server.on('request', ({ socket }) => silent.delete(socket));
  return silent;
}

/** Stops accepting and waits for calls in flight; what is left after `timeoutMs` is cut. */
export async function closeServer(
  server: Server,
  silent: ReadonlySet<Socket>,
  timeoutMs: number,
): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // close() ends what is idle now; a connection whose answer began before would be kept open after it.
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
  }, IDLE_SWEEP_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(cut);
  clearInterval(sweep);
}
