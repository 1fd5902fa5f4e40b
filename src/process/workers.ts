import cluster, { type Worker } from 'node:cluster';
import type { Server } from 'node:http';
import { type Config, workerEnvironment } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Running } from './serve.ts';
import type { ReadyStore } from './store.ts';

const RESTART_PAUSE_MS = 1_000;
/** A worker's word that it wants no more connections. */
const ENOUGH = 'no more connections';

/** The connection of each server that a worker was handed last, and may not have taken yet. */
type InHand = Map<unknown, { close(): void }>;

/**
 * Starts WEB_CONCURRENCY processes on one port and starts a new one for each that ends unasked. The primary owns the
 * store (and the embedded Postgres); workers get its address, and the keys, by their environment. It can be stopped
 * before all of them listen: the first one serves from then on.
 */
export function superviseWorkers(
  config: Config,
  log: Logger,
  store: ReadyStore,
): Running & { readonly listening: Promise<unknown> } {
  const stopping = { isStopping: false };
  const env = workerEnvironment(store);
  // Not cluster.workers, which loses those that want no more connections.
  const workers = new Map<Worker, InHand>();
  cluster.on('fork', (worker) => workers.set(worker, watchConnections(worker)));
  cluster.on('exit', (worker, code, signal) => {
    const inHand = workers.get(worker);
    workers.delete(worker);
    if (stopping.isStopping) return;
    for (const connection of inHand?.values() ?? []) connection.close();
    log.error({ worker: worker.id, code, signal }, 'a worker ended: starting another');
    setTimeout(() => stopping.isStopping || cluster.fork(env), RESTART_PAUSE_MS);
  });
  cluster.on('message', (worker, message) => {
    if (message === ENOUGH) worker.disconnect();
  });
  const first = Array.from({ length: config.workers }, () => cluster.fork(env));
  return {
    listening: Promise.all(first.map((worker) => untilListening(worker, stopping))),
    async stop() {
      stopping.isStopping = true;
      await Promise.all([...workers.keys()].map(ended));
    },
  };
}

/**
 * Closes the server: by way of the primary in a worker, so that nothing is sent to a server that is closed already. The
 * primary would keep such a connection, unanswered, for as long as it lives.
 */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.once('close', () => resolve());
    if (cluster.isWorker) process.send?.(ENOUGH);
    else server.close();
  });
}

/**
 * The primary hands a worker one connection at a time and lets go of it when the worker answers. Node does not look at
 * the one that a dead worker never answered for: the client would wait for as long as the primary lives.
 */
function watchConnections({ process: child }: Worker): InHand {
  const inHand: InHand = new Map();
  const { send } = child;
  child.send = (message: unknown, ...rest: unknown[]): boolean => {
    const [handle] = rest;
    // Closing it once more does nothing where the worker has taken it.
    if (isConnection(handle)) inHand.set(serverOf(message), handle);
    return Reflect.apply(send, child, [message, ...rest]);
  };
  return inHand;
}

function isConnection(handle: unknown): handle is { close(): void } {
  return typeof handle === 'object' && handle !== null && 'close' in handle;
}

/** Under which name the primary knows the server that a message is about. */
function serverOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'key' in message ? message.key : undefined;
}

function untilListening(worker: Worker, stopping: { readonly isStopping: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve());
    worker.once('exit', (code) => {
      if (stopping.isStopping) resolve();
      else reject(new Error(`a worker ended with code ${code} before it listened`));
    });
  });
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill('SIGTERM');
  });
}
