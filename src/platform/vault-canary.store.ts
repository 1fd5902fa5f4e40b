import type { Db } from './postgres/database.ts';
import { type Vault, VaultError } from './vault.ts';
import { EncryptionKeysError } from './vault-keys.ts';
import { countRowsByKeyId } from './vault-rotation.store.ts';

const CANARY = 'integration-gateway';

/**
 * Proves that the vault's keys are those that the store was sealed with: each key sealed a canary when it was first
 * active, and must open it for ever. Puts the canary of the active key in place if there is none; of several processes
 * with different keys of one id, one wins and the others refuse to start. A key that is no longer configured may be missing
 * once nothing needs it.
 * Throws EncryptionKeysError, which names the key id and what to do. Rejects as queries do.
 */
export async function checkCanary(db: Db, vault: Vault): Promise<void> {
  await db.raw('INSERT INTO vault_canaries (key_id, sealed) VALUES (?, ?) ON CONFLICT (key_id) DO NOTHING', [
    vault.activeKeyId,
    vault.seal(CANARY, context(vault.activeKeyId)),
  ]);
  const { rows } = await db.raw<{ rows: { key_id: string; sealed: string }[] }>(
    'SELECT key_id, sealed FROM vault_canaries ORDER BY key_id',
  );
  for (const row of rows) {
    if (vault.keyIds.includes(row.key_id)) assertOpens(vault, row.key_id, row.sealed);
  }
  const retired = rows.map((row) => row.key_id).filter((id) => !vault.keyIds.includes(id));
  if (retired.length > 0) await assertUnused(db, retired);
}

function assertOpens(vault: Vault, keyId: string, sealed: string): void {
  try {
    if (vault.open(sealed, context(keyId)) === CANARY) return;
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
  }
  throw new EncryptionKeysError(
    `the key ${keyId} is not the one that this store was sealed with. Put the original key back; ` +
      'a new key needs an id of its own. The embedded store keeps its key in a file under DATA_DIR.',
  );
}

async function assertUnused(db: Db, retired: readonly string[]): Promise<void> {
  const counts = await countRowsByKeyId(db);
  for (const id of retired) {
    const count = counts.get(id) ?? 0;
    if (count === 0) continue;
    throw new EncryptionKeysError(
      `the key ${id} is missing, and ${count} sealed values need it. Put it back behind the active key ` +
        `(<active id>:<key>,${id}:<key>). The embedded store keeps its key in a file under DATA_DIR.`,
    );
  }
}

function context(keyId: string) {
  return { table: 'vault_canaries', column: 'sealed', rowId: keyId, projectId: '' };
}
