import type { ChildProcess } from 'node:child_process';
import cluster from 'node:cluster';
import { z } from 'zod';
import type { StoreAccess } from './store.ts';

const QUESTION = 'which store?';
const MESSAGE = z.object({
  store: z.object({
    databaseUrl: z.string(),
    directUrl: z.string(),
    isPooled: z.boolean(),
    encryptionKeys: z.string(),
  }),
});

/**
 * Secrets that a worker must not inherit: every process of the same user can read an environment, and programs that a
 * process starts get it. A worker asks its primary instead.
 */
export const WORKER_ENVIRONMENT = {
  DATABASE_URL: '',
  DATABASE_DIRECT_URL: '',
  ENCRYPTION_KEYS: '',
  SETUP_TOKEN: '',
};

/** The primary's side: answers a worker that asks for the store. */
export function answerWorker(
  worker: { readonly process: Pick<ChildProcess, 'send'> },
  message: unknown,
  store: StoreAccess,
): void {
  const { databaseUrl, directUrl, isPooled, encryptionKeys } = store;
  if (message !== QUESTION) return;
  // Without the callback, a failure is an `error` event. A worker that has gone is replaced on its `exit` event.
  worker.process.send({ store: { databaseUrl, directUrl, isPooled, encryptionKeys } }, () => undefined);
}

const KEYS_MESSAGE = z.object({ encryptionKeys: z.string() });

/** The worker's side: keys that came after the start, so that a worker which replaces this one has them too. */
export function tellPrimary(encryptionKeys: string): void {
  if (cluster.isWorker) process.send?.({ encryptionKeys }, () => undefined);
}

/** The primary's side: the keys of a worker's message; undefined where it is another one. */
export function readNewKeys(message: unknown): string | undefined {
  return KEYS_MESSAGE.safeParse(message).data?.encryptionKeys;
}

/** The worker's side: asks the primary over the channel between them. */
export function askForStore(): Promise<StoreAccess> {
  return new Promise((resolve) => {
    const take = (message: unknown) => {
      const parsed = MESSAGE.safeParse(message);
      if (!parsed.success) return;
      process.off('message', take);
      resolve(parsed.data.store);
    };
    process.on('message', take);
    // A worker without its primary ends on Node's event of the closed channel.
    process.send?.(QUESTION, () => undefined);
  });
}
