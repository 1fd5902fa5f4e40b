import { z } from 'zod';
import { listQuery } from '../../lib/cursor.ts';
import { splitReason } from './mismatch-reasons.ts';
import { RECEIPT_STATES, type Receipt } from './receipt.ts';

const receiptFields = {
  id: z.uuid(),
  projectId: z.uuid(),
  integrationId: z.uuid(),
  connectionId: z
    .uuid()
    .nullable()
    .meta({ description: 'Of a webhook that came to the address of one connection.' }),
  state: z.enum(RECEIPT_STATES).meta({
    description:
      '`unmatched`: no connection has the account; it is matched again when one appears. `duplicate`: each of its events had come before. `rejected`: nothing shows that the provider sent it, or it is no webhook of the provider.',
  }),
  reason: z.string().nullable().meta({
    description:
      'Why it was rejected: `signature_missing`, `signature_mismatch`, `signature_expired`, `malformed` and the like. `signature_other_integration`: it is signed for another integration of the project. `signature_other_scheme`: it is signed for the same address with http in the place of https, or the other way round.',
  }),
  signedForIntegrationId: z.uuid().nullable().meta({
    description: 'The integration whose secret fits, with the reason `signature_other_integration`.',
  }),
  receivedAt: z.iso.datetime(),
  method: z.string(),
  bodyBytes: z.number(),
  isBodyCut: z.boolean().meta({ description: 'Of rejected webhooks the first 16 KiB are kept.' }),
  events: z
    .object({
      total: z.number(),
      matched: z.number(),
      unmatched: z.number(),
      duplicates: z.number(),
    })
    .nullable()
    .meta({ description: 'What it was split into; null until it is.' }),
  splitAt: z.iso.datetime().nullable(),
};

export const receiptSchema = z.object(receiptFields).meta({ id: 'WebhookReceipt' });

const detailFields = {
  ...receiptFields,
  query: z.string().meta({ description: 'Without secrets.' }),
  headers: z
    .record(z.string(), z.array(z.string()))
    .meta({ description: 'Credentials left out, signatures cut.' }),
  body: z.string().nullable().meta({ description: 'As it came; null where its key is gone.' }),
  bodyEncoding: z.enum(['text', 'base64']).meta({ description: '`base64` where the body is no UTF-8 text.' }),
};

export const receiptDetailSchema = z.object(detailFields).meta({ id: 'WebhookReceiptDetail' });

const listedReceiptSchema = z
  .object({
    ...detailFields,
    body: detailFields.body.meta({
      description:
        'As it came; null where it is longer than 2 KiB (read the receipt by its id), or its key is gone.',
    }),
  })
  .meta({ id: 'ListedWebhookReceipt' });

export const receiptList = z
  .object({
    webhookReceipts: z.array(listedReceiptSchema),
    receipts: z.array(listedReceiptSchema).meta({ description: 'The same under an earlier name.' }),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'WebhookReceiptList' });

export const receiptParams = z.strictObject({ id: z.uuid() });

export const receiptsQuery = z.strictObject({
  ...listQuery,
  projectId: z.uuid().optional(),
  integrationId: z.uuid().optional(),
  connectionId: z.uuid().optional(),
  state: z.enum(RECEIPT_STATES).optional().meta({
    description:
      '`unmatched` also lists accepted ones of which some events wait for a connection: `events.unmatched` is not 0.',
  }),
});

export function toReceiptWire(receipt: Receipt): z.input<typeof receiptSchema> {
  const { events, matched, unmatched, duplicates } = receipt;
  return {
    id: receipt.id,
    projectId: receipt.projectId,
    integrationId: receipt.integrationId,
    connectionId: receipt.connectionId,
    state: receipt.state,
    ...splitReason(receipt.reason),
    receivedAt: receipt.createdAt.toISOString(),
    method: receipt.method,
    bodyBytes: receipt.bodyBytes,
    isBodyCut: receipt.isBodyCut,
    events: events === null ? null : { total: events, matched, unmatched, duplicates },
    splitAt: receipt.splitAt?.toISOString() ?? null,
  };
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The receipt with its body, as text where it is text. */
export function toReceiptDetailWire(
  receipt: Receipt,
  body: Buffer | undefined,
): z.input<typeof receiptDetailSchema> {
  const { query, headers } = receipt;
  const shared = {
    ...toReceiptWire(receipt),
    query,
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [...values]])),
  };
  if (body === undefined) return { ...shared, body: null, bodyEncoding: 'text' };
  try {
    return { ...shared, body: utf8.decode(body), bodyEncoding: 'text' };
  } catch {
    return { ...shared, body: body.toString('base64'), bodyEncoding: 'base64' };
  }
}
