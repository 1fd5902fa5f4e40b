import { Worker } from 'node:worker_threads';
import type { Operation } from './read-operations.ts';

/** A document that needs more ends its thread, and nothing else. */
const HEAP_MIB = 512;
const TIMEOUT_MS = 30_000;

/** The operations of a document, read in a thread. Rejects where it is no such document, or takes too long. */
export function readDocument(text: string): Promise<Operation[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Operation[]>();
  const operations: Operation[] = [];
  const thread = new Worker(new URL('./document.thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    env: {},
    workerData: text,
  });
  const timer = setTimeout(() => {
    reject(new Error('the document takes too long to read'));
    void thread.terminate();
  }, TIMEOUT_MS);
  thread.on('message', (part: { operations: Operation[] }) => operations.push(...part.operations));
  thread.on('error', reject);
  thread.on('exit', () => {
    clearTimeout(timer);
    if (operations.length > 0) resolve(operations);
    else reject(new Error('the document describes no operation'));
  });
  return promise;
}
