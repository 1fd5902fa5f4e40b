import type { Worker } from 'node:cluster';
import { z } from 'zod';

/** What a worker process needs of the store that its primary prepared. */
export type WorkerStore = { readonly databaseUrl: string; readonly encryptionKeys: string };

const QUESTION = 'which store?';
const MESSAGE = z.object({ store: z.object({ databaseUrl: z.string(), encryptionKeys: z.string() }) });

/**
 * Secrets that a worker must not inherit: every process of the same user can read an environment, and programs that a
 * process starts get it. A worker asks its primary instead.
 */
export const WORKER_ENVIRONMENT = { DATABASE_URL: '', ENCRYPTION_KEYS: '', SETUP_TOKEN: '' };

/** The primary's side: answers a worker that asks for the store. */
export function answerWorker(worker: Worker, message: unknown, store: WorkerStore): void {
  const { databaseUrl, encryptionKeys } = store;
  if (message === QUESTION) worker.send({ store: { databaseUrl, encryptionKeys } });
}

/** The worker's side: asks the primary over the channel between them. */
export function askForStore(): Promise<WorkerStore> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      const parsed = MESSAGE.safeParse(message);
      if (!parsed.success) return;
      process.off('message', take);
      resolve(parsed.data.store);
    };
    process.on('message', take);
    process.send?.(QUESTION);
  });
}
