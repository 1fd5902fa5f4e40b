import { parentPort } from 'node:worker_threads';
import { readMessage } from '../message/read-message.ts';
import { verifyMessage } from '../signatures/verify.ts';
import { type BodyJob, type BodyResult, extractPart } from './body-threads.ts';

/** A thread that reads bodies which would hold up the event loop. */
parentPort?.on('message', ({ id, job }: { id: number; job: BodyJob }) => {
  parentPort?.postMessage({ id, result: work(job) } satisfies { id: number; result: BodyResult });
});

function work(job: BodyJob): BodyResult {
  const { description } = job;
  // A Buffer arrives as the plain bytes that it is.
  const { buffer, byteOffset, byteLength } = job.request.body;
  const request = { ...job.request, body: Buffer.from(buffer, byteOffset, byteLength) };
  if (job.what === 'verify') {
    const message = readMessage(request, description.payload);
    return { what: 'verify', verification: verifyMessage(description, message, job.secrets, job.nowMs) };
  }
  return { what: 'extract', part: extractPart(description, request, job) };
}
