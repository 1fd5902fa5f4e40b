import { parentPort } from 'node:worker_threads';
import { type BodyJob, type BodyResult, runBodyJob } from './body-jobs.ts';

/** A thread that reads bodies which would hold up the event loop. */
parentPort?.on('message', ({ id, job }: { id: number; job: BodyJob }) => {
  parentPort?.postMessage({ id, result: runBodyJob(job) } satisfies { id: number; result: BodyResult });
});
