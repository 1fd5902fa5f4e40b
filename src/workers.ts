import cluster, { type Worker } from 'node:cluster';
import type { Server } from 'node:http';
import { type Config, workerEnvironment } from './config.ts';
import type { Logger } from './platform/logger.ts';
import type { Running } from './serve.ts';
import type { ReadyStore } from './store.ts';

const RESTART_PAUSE_MS = 1_000;
/** A worker's word that it wants no more connections. */
const ENOUGH = 'no more connections';

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
  const workers = new Set<Worker>();
  cluster.on('fork', (worker) => workers.add(worker));
  cluster.on('exit', (worker, code, signal) => {
    workers.delete(worker);
    if (stopping.isStopping) return;
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
      await Promise.all([...workers].map(ended));
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
