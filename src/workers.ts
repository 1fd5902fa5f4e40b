import cluster, { type Worker } from 'node:cluster';
import { type Config, workerEnvironment } from './config.ts';
import type { Logger } from './platform/logger.ts';
import type { Running } from './serve.ts';
import type { ReadyStore } from './store.ts';

const RESTART_PAUSE_MS = 1_000;

/**
 * Starts WEB_CONCURRENCY processes on one port and starts a new one for each that ends unasked. The primary owns the
 * store (and the embedded Postgres); workers get its address, and the keys, by their environment.
 */
export async function superviseWorkers(config: Config, log: Logger, store: ReadyStore): Promise<Running> {
  const stopping = { isStopping: false };
  const env = workerEnvironment(store);
  cluster.on('exit', (worker, code, signal) => {
    if (stopping.isStopping) return;
    log.error({ worker: worker.id, code, signal }, 'a worker ended: starting another');
    setTimeout(() => stopping.isStopping || cluster.fork(env), RESTART_PAUSE_MS);
  });
  const first = Array.from({ length: config.workers }, () => cluster.fork(env));
  await Promise.all(first.map(untilListening));
  return {
    async stop() {
      stopping.isStopping = true;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(workers.map(ended));
    },
  };
}

function untilListening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve());
    worker.once('exit', (code) => reject(new Error(`a worker ended with code ${code} before it listened`)));
  });
}

function ended(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill('SIGTERM');
  });
}
