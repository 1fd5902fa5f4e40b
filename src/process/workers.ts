import cluster, { type Worker } from 'node:cluster';
import type { Config } from '../config.ts';
import type { Logger } from '../platform/logger.ts';
import type { Running } from './serve.ts';
import type { ReadyStore } from './store.ts';
import { answerWorker, readNewKeys, WORKER_ENVIRONMENT } from './worker-store.ts';

/** A worker that ends sooner than this after its start is started again after a pause only. */
const SHORT_LIFE_MS = 10_000;
const RESTART_PAUSE_MS = 1_000;

/**
 * Starts WEB_CONCURRENCY processes on one port and replaces each one that ends unexpectedly. The primary owns the store
 * (and the embedded Postgres); workers ask it for the address and the keys. It can be stopped before all of them
 * listen: the first one serves from then on.
 *
 * The workers accept from one listening socket that they share. With Node's other way the primary would accept and hand
 * connections over, and one that a worker dies with before it has taken it stays open, unanswered, in the primary.
 */
export function superviseWorkers(
  config: Config,
  log: Logger,
  store: ReadyStore,
): Running & { readonly listening: Promise<unknown> } {
  const stopping = { isStopping: false };
  let { encryptionKeys } = store;
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const workers = new Set<Worker>();
  const start = () => {
    const worker = cluster.fork(WORKER_ENVIRONMENT);
    const startedAt = Date.now();
    workers.add(worker);
    worker.on('message', (message) => {
      encryptionKeys = readNewKeys(message) ?? encryptionKeys;
      answerWorker(worker, message, { ...store, encryptionKeys });
    });
    const replace = (reason: object) => {
      if (!workers.delete(worker) || stopping.isStopping) return;
      log.error({ worker: worker.id, ...reason }, 'a worker ended: starting another');
      const pauseMs = Date.now() - startedAt < SHORT_LIFE_MS ? RESTART_PAUSE_MS : 0;
      setTimeout(() => stopping.isStopping || start(), pauseMs);
    };
    worker.once('exit', (code, signal) => replace({ code, signal }));
    // Of its channel, or of a start that the machine refused (no memory, no process left), which no `exit` event reports.
    worker.on('error', (error) => {
      if (worker.process.pid === undefined) replace({ err: error });
    });
    return worker;
  };
  const first = Array.from({ length: config.workers }, start);
  return {
    listening: Promise.all(first.map((worker) => waitUntilListening(worker, stopping))),
    async stop() {
      stopping.isStopping = true;
      await Promise.all([...workers].map(stopWorker));
    },
  };
}

function waitUntilListening(worker: Worker, stopping: { readonly isStopping: boolean }): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once('listening', () => resolve());
    worker.once('error', (error) => {
      if (worker.process.pid === undefined) reject(error);
    });
    worker.once('exit', (code) => {
      if (stopping.isStopping) resolve();
      else reject(new Error(`a worker ended with code ${code} before it listened`));
    });
  });
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill('SIGTERM');
  });
}
