import { type Endpoint, endpoint } from '../../http/endpoint.ts';
import { HttpError } from '../../http/errors.ts';
import type { Principal } from '../../http/principal.ts';
import { readPage } from '../../lib/cursor.ts';
import type { DataKeys } from '../../platform/data-keys.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { Receipt } from './receipt.ts';
import {
  receiptDetailSchema,
  receiptList,
  receiptParams,
  receiptSchema,
  receiptsQuery,
  toReceiptDetailWire,
  toReceiptWire,
} from './receipts.schema.ts';
import { findReceipt, listReceipts, openBody, openSealedBody, queueAgain } from './receipts.store.ts';
import { isReplayable } from './replayable.ts';

export type ReceiptsDependencies = {
  readonly db: Db;
  readonly access: Access;
  readonly dataKeys: DataKeys;
  /** Writes down what is in memory yet. */
  flush(): Promise<void>;
  kick(projectId: string): void;
};

const TAG = 'Webhooks';

/** What providers sent, as it is kept for some days. */
export function createReceiptsEndpoints(deps: ReceiptsDependencies): Endpoint[] {
  return [list(deps), get(deps), replay(deps)];
}

function find(
  { db, access }: ReceiptsDependencies,
  principal: Principal,
  id: string,
  mode: AccessMode,
): Promise<Receipt> {
  return access.find(principal, mode, 'webhook_receipt_not_found', (projectIds) =>
    findReceipt(db, id.toLowerCase(), projectIds),
  );
}

function list(deps: ReceiptsDependencies): Endpoint {
  return endpoint({
    operationId: 'listWebhookReceipts',
    method: 'get',
    path: '/webhook-receipts',
    summary: 'List received webhooks',
    description:
      'What providers sent to the gateway, with headers and body, kept for seven days. Of each integration the last hundred rejected ones are kept.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'anyone',
    keyScope: 'events:read',
    query: receiptsQuery,
    success: { status: 200, schema: receiptList, description: 'Receipts, newest first' },
    async handler({ principal, query }) {
      const { projectId, cursor, limit, ...filter } = query;
      const visible = await deps.access.projectsOf(principal);
      const projectIds =
        projectId === undefined ? visible : visible.filter((id) => id === projectId.toLowerCase());
      await deps.flush();
      const { items, nextCursor } = await readPage({ cursor, limit }, (window) =>
        listReceipts(deps.db, { ...filter, projectIds, ...window }),
      );
      const webhookReceipts = [];
      for (const { receipt, sealedBody } of items) {
        const body = sealedBody && (await openSealedBody(deps.db, deps.dataKeys, receipt, sealedBody));
        webhookReceipts.push(toReceiptDetailWire(receipt, body));
      }
      return { body: { webhookReceipts, receipts: webhookReceipts, nextCursor } };
    },
  });
}

function get(deps: ReceiptsDependencies): Endpoint {
  return endpoint({
    operationId: 'getWebhookReceipt',
    method: 'get',
    path: '/webhook-receipts/{id}',
    summary: 'Read a received webhook',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'viewer',
    keyScope: 'events:read',
    params: receiptParams,
    success: { status: 200, schema: receiptDetailSchema, description: 'The receipt with headers and body' },
    errors: ['webhook_receipt_not_found'],
    async handler({ principal, params }) {
      const found = await find(deps, principal, params.id, 'read');
      return { body: toReceiptDetailWire(found, await openBody(deps.db, deps.dataKeys, found)) };
    },
  });
}

function replay(deps: ReceiptsDependencies): Endpoint {
  return endpoint({
    operationId: 'replayWebhookReceipt',
    method: 'post',
    path: '/webhook-receipts/{id}/replay',
    summary: 'Match a webhook again',
    description:
      'Splits it again and matches it to the connections that there are now. Events that have entered the stream before do not enter it again. Takes effect shortly after the reply.',
    tag: TAG,
    principals: ['operator', 'api_key'],
    leastRole: 'admin',
    keyScope: 'events:manage',
    params: receiptParams,
    success: { status: 200, schema: receiptSchema, description: 'The receipt, which waits to be split' },
    errors: ['webhook_receipt_not_found', 'webhook_not_replayable'],
    async handler({ principal, params, commitReply }) {
      const found = await find(deps, principal, params.id, 'write');
      if (!isReplayable(found)) throw new HttpError('webhook_not_replayable');
      const reply = await commitReply(deps.db, async (trx) => {
        if (!(await queueAgain(trx, found))) throw new HttpError('webhook_not_replayable');
        return { body: toReceiptWire({ ...found, splitAt: null }) };
      });
      deps.kick(found.projectId);
      return reply;
    },
  });
}
