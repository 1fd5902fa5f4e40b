import type { Kit } from '../../platform/kit.ts';
import { lockProject, lockWaiting, postponeReceipt } from './processing.store.ts';

/** Postpones the project's first receipt, of which no events could be made, unless another process is at work on it. */
export function createPostponeFirst({
  db,
  log,
}: Pick<Kit, 'db'> & { readonly log: { warn(fields: object, message: string): void } }) {
  return (projectId: string, error: unknown): Promise<void> =>
    db.transaction(async (trx) => {
      if (!(await lockProject(trx, projectId))) return;
      for (const receipt of await lockWaiting(trx, projectId, 1)) {
        const isGivenUp = await postponeReceipt(trx, receipt);
        log.warn({ err: error, receiptId: receipt.id, isGivenUp }, 'a webhook could not be split');
      }
    });
}
