import { readMessage } from '../message/read-message.ts';
import type { VerifiedReason } from '../message/verified-reasons.ts';
import type { Verification, WebhookDescription, WebhookItem, WebhookRequest } from '../message/webhook.ts';
import { verifyMessage } from '../signatures/verify.ts';
import { extractEvents } from './extract-events.ts';

type Request = Omit<WebhookRequest, 'body'> & { readonly body: Uint8Array<ArrayBufferLike> };

/** Which events of a webhook are wanted: `count` from `from` on. */
export type EventRange = { readonly from: number; readonly count: number };

/** Some of the events of a webhook, and how many there are. */
export type ExtractedPart =
  | { readonly ok: true; readonly items: readonly WebhookItem[]; readonly total: number }
  | { readonly ok: false; readonly reason: VerifiedReason };

/** What a thread does with a large body. */
export type BodyJob = { readonly description: WebhookDescription; readonly request: Request } & (
  | { readonly what: 'verify'; readonly secrets: readonly string[]; readonly nowMs: number }
  | ({ readonly what: 'extract' } & EventRange)
);

export type BodyResult =
  | { readonly what: 'verify'; readonly verification: Verification }
  | { readonly what: 'extract'; readonly part: ExtractedPart };

export function runBodyJob(job: BodyJob): BodyResult {
  const { description } = job;
  // A Buffer arrives as the plain bytes that it is.
  const { buffer, byteOffset, byteLength } = job.request.body;
  const request = { ...job.request, body: Buffer.from(buffer, byteOffset, byteLength) };
  if (job.what === 'extract') return { what: 'extract', part: extractPart(description, request, job) };
  const message = readMessage(request, description.payload);
  return { what: 'verify', verification: verifyMessage(description, message, job.secrets, job.nowMs) };
}

/** Some of the events of a webhook, extracted in this thread. */
export function extractPart(
  description: WebhookDescription,
  request: WebhookRequest,
  { from, count }: EventRange,
): ExtractedPart {
  const extracted = extractEvents(description, request);
  if (!extracted.ok) return extracted;
  const { items } = extracted;
  return { ok: true, items: items.slice(from, from + count), total: items.length };
}
