import type { Vault } from '../platform/vault.ts';

/** Seals the replies that are kept for repeats of a request, each for its row. */
export function createReplySeals(vault: Vault) {
  const context = (rowId: string) => ({
    table: 'idempotency_keys',
    column: 'reply_sealed',
    rowId,
    projectId: '',
  });
  return {
    seal: (plaintext: string, rowId: string) => vault.seal(plaintext, context(rowId)),
    open: (sealed: string, rowId: string) => vault.open(sealed, context(rowId)),
  };
}
