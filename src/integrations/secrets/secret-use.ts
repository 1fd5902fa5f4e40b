import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { SecretRecordsStore, SecretVerdict } from './secret-records.store.ts';

const WRITE_AGAIN_MS = 60 * 60 * 1_000;
const SECRETS_REMEMBERED_MAX = 10_000;

/** `of` tells one secret from another that has had the same record. */
export type NoteSecretVerdict = (secretId: string, verdict: SecretVerdict, of?: string) => void;

/**
 * Notes when providers accepted and refused a client secret: in the background, once an hour for each, or at once where
 * the verdict is another one than before.
 */
export function createSecretUse(deps: {
  db: Db;
  records: Pick<SecretRecordsStore, 'noteVerdict'>;
  now(): number;
  log: { warn(fields: object, message: string): void };
}): NoteSecretVerdict {
  const noted = new LRUCache<string, { verdict: SecretVerdict; atMs: number }>(
    entriesUpTo(SECRETS_REMEMBERED_MAX),
  );
  return (secretId, verdict, of = '') => {
    const key = `${secretId} ${of}`;
    const last = noted.get(key);
    if (last?.verdict === verdict && deps.now() - last.atMs < WRITE_AGAIN_MS) return;
    noted.set(key, { verdict, atMs: deps.now() });
    deps.records.noteVerdict(deps.db, secretId, verdict).catch((err: unknown) => {
      noted.delete(key);
      deps.log.warn({ err }, 'the last use of a client secret was not written down');
    });
  };
}
