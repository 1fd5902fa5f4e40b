import { parentPort } from 'node:worker_threads';
import { readDelivery } from '../message/read-message.ts';
import { verifyDelivery } from '../signatures/verify.ts';
import { type LargeBodyJob, type LargeBodyResult, splitPart } from './body-threads.ts';

/** A thread that reads bodies which would hold up the event loop. */
parentPort?.on('message', ({ id, job }: { id: number; job: LargeBodyJob }) => {
  parentPort?.postMessage({ id, result: work(job) } satisfies { id: number; result: LargeBodyResult });
});

function work(job: LargeBodyJob): LargeBodyResult {
  const { description } = job;
  // A Buffer arrives as the plain bytes that it is.
  const { buffer, byteOffset, byteLength } = job.request.body;
  const request = { ...job.request, body: Buffer.from(buffer, byteOffset, byteLength) };
  if (job.what === 'verify') {
    const delivery = readDelivery(request, description.payload);
    return { what: 'verify', verification: verifyDelivery(description, delivery, job.secrets, job.nowMs) };
  }
  return { what: 'split', split: splitPart(description, request, job) };
}
