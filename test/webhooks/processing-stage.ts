import type { Knex } from 'knex';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import { readFeed } from '../../src/events/stream/events.store.ts';
import { openEvents } from '../../src/events/stream/sealed-events.ts';
import { createEventStream } from '../../src/events/stream/stream.ts';
import { newId } from '../../src/lib/ids.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { createFingerprintsStore } from '../../src/polls/records/fingerprints.store.ts';
import type { WebhookDescription } from '../../src/webhooks/message/webhook.ts';
import { createBodyThreads } from '../../src/webhooks/processing/body-threads.ts';
import { createWaitingMatches } from '../../src/webhooks/processing/match-waiting.ts';
import { processReceipts } from '../../src/webhooks/processing/process-receipts.ts';
import type { ProjectAccount } from '../../src/webhooks/processing/unmatched.store.ts';
import { createReceiptWriter } from '../../src/webhooks/receipts/receipt-writer.ts';
import { insertReceipts } from '../../src/webhooks/receipts/receipts.store.ts';
import type { TestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

const vault = createTestVault();

/** Whose webhooks are stored and processed. */
export type ProcessingStage = Awaited<ReturnType<typeof createProcessingStage>>;

/** A project with one connection of the account `accountId`. */
export async function createProcessingStage({ knex }: TestDatabase, accountId = '1') {
  const projectId = await insertProject(knex);
  const integrationId = await insertIntegration(knex, vault, projectId, 'hub');
  const endUserId = await insertEndUser(knex, projectId, `user of ${projectId}`);
  const owner = { projectId, integrationId, endUserId };
  const connectionId = await insertConnection(knex, vault, owner, { accountId });
  return { ...owner, connectionId };
}

/** What one process of the gateway stores and processes with, on a pool of its own. */
export function createReceivingProcess(
  db: Knex,
  { projectId, integrationId }: ProcessingStage,
  description: WebhookDescription,
) {
  const dataKeys = createDataKeys({ vault });
  const notices = createAppendNotices({ notify: async () => undefined });
  const stream = createEventStream({ db, dataKeys, notices, log: { warn: () => undefined } });
  const bodyThreads = createBodyThreads();
  const log = { warn: () => undefined };
  const matching = createWaitingMatches({ db, kick: () => void processAll(), log });
  const deps = {
    dataKeys,
    append: stream.append,
    pseudonyms: { find: async () => undefined },
    settleChanges: createFingerprintsStore().settleWebhookChanges,
    extractPart: bodyThreads.extract,
    describe: async () => description,
    now: Date.now,
    limitItems: (most: number) => most,
    matchLater: (accounts: readonly ProjectAccount[]) => void matching.matchThese(accounts),
  };
  const run = (trx: Knex) => processReceipts(deps, trx, projectId);
  async function processAll(): Promise<void> {
    while ((await db.transaction(run)) !== 'done');
  }
  const { write } = createReceiptWriter({ insert: (receipts) => insertReceipts(db, dataKeys, receipts) });
  return {
    /** Resolves when the response to the provider would say that its webhook is stored. */
    store: (body: Buffer, headers: Readonly<Record<string, readonly string[]>> = {}) =>
      write({
        id: newId(),
        projectId,
        integrationId,
        connectionId: null,
        state: 'accepted',
        reason: null,
        method: 'POST',
        query: '',
        headers,
        body,
        bodyBytes: body.length,
      }),
    close: bodyThreads.close,
    processSome: (beforeCommit: () => Promise<unknown> = async () => undefined) =>
      db.transaction(async (trx) => {
        const outcome = await run(trx);
        await beforeCommit();
        return outcome;
      }),
    processAll,
    /** What follows when a connection has been made. */
    matchAll: matching.matchAll,
    /** Ids and payloads of the project's stream, in its order. */
    async readStream(): Promise<{ id: string; data: string }[]> {
      const all: { id: string; data: string }[] = [];
      for (let afterPosition = 0; ; ) {
        const { rows } = await readFeed(db, { projectId, afterPosition, limit: 1_000 });
        const texts = await openEvents(db, dataKeys, rows);
        all.push(...rows.map(({ id }, index) => ({ id, data: texts[index] ?? '' })));
        const last = rows.at(-1);
        if (last === undefined) return all;
        afterPosition = Number(last.position);
      }
    },
  };
}
