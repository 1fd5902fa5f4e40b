import pLimit from 'p-limit';
import { type IdentifiedReceipt, identifyReceipt, type NewReceipt } from './receipt.ts';
import { REJECTED_BODY_BYTES_MAX } from './receipts.store.ts';
import type { WebhookTally } from './webhook-numbers.store.ts';

/** Rejected webhooks that wait to be written: of one integration, and of all. */
const REJECTED_PER_INTEGRATION_MAX = 100;
const REJECTED_MAX = 1_000;
/** More integrations than any gateway has under attack between two flushes. */
const TALLIES_MAX = 50_000;

type Owner = { readonly integrationId: string; readonly projectId: string };

export type RejectedReceipts = ReturnType<typeof createRejectedReceipts>;

/**
 * Collects what is worth knowing of webhooks and may be lost in a crash: when the last one came, how many signatures were
 * refused, and the last rejected ones. `flush` writes it down, so that a flood of forged requests costs no write each.
 */
export function createRejectedReceipts(deps: {
  insert(receipts: readonly IdentifiedReceipt[]): Promise<void>;
  trim(integrationId: string): Promise<void>;
  addTallies(tallies: readonly WebhookTally[]): Promise<void>;
  now(): number;
}) {
  let tallies = new Map<string, WebhookTally>();
  let rejected: IdentifiedReceipt[] = [];
  const oneAtATime = pLimit(1);

  async function write(): Promise<void> {
    if (tallies.size === 0 && rejected.length === 0) return;
    const batch = { tallies, rejected };
    tallies = new Map();
    rejected = [];
    await deps.addTallies([...batch.tallies.values()]);
    if (batch.rejected.length === 0) return;
    await deps.insert(batch.rejected);
    for (const integrationId of new Set(batch.rejected.map((receipt) => receipt.integrationId))) {
      await deps.trim(integrationId);
    }
  }

  return {
    /** A webhook came whose signature fits. */
    noteVerified(owner: Owner): void {
      const tally = openTally(tallies, owner);
      tally.lastWebhookAt = new Date(deps.now());
      tally.failures = 0;
    },

    /** A webhook was rejected; `isMismatch`: for a signature that fits no secret. */
    noteRejected(receipt: NewReceipt, isMismatch: boolean): void {
      const tally = openTally(tallies, receipt);
      tally.rejected += 1;
      if (isMismatch) {
        tally.failures += 1;
        tally.lastFailureAt = new Date(deps.now());
      }
      keepRejected(rejected, receipt);
    },

    /** Writes down what was collected, after what another flush is still writing. */
    flush: () => oneAtATime(write),
  };
}

function openTally(tallies: Map<string, WebhookTally>, { integrationId, projectId }: Owner): WebhookTally {
  const known = tallies.get(integrationId);
  if (known) return known;
  const created = {
    integrationId,
    projectId,
    lastWebhookAt: null,
    failures: 0,
    lastFailureAt: null,
    rejected: 0,
  };
  if (tallies.size < TALLIES_MAX) tallies.set(integrationId, created);
  return created;
}

/** Adds the receipt; where there is no room for it, the oldest one of its integration goes. */
function keepRejected(rejected: IdentifiedReceipt[], receipt: NewReceipt): void {
  const isOfIntegration = (other: NewReceipt) => other.integrationId === receipt.integrationId;
  const isFull =
    rejected.length >= REJECTED_MAX ||
    rejected.filter(isOfIntegration).length >= REJECTED_PER_INTEGRATION_MAX;
  if (isFull) {
    const oldest = rejected.findIndex(isOfIntegration);
    if (oldest === -1) return;
    rejected.splice(oldest, 1);
  }
  // A copy: the slice alone would keep all of a large body in memory.
  const body = Buffer.from(receipt.body.subarray(0, REJECTED_BODY_BYTES_MAX));
  rejected.push(identifyReceipt({ ...receipt, body }));
}
