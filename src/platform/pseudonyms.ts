import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { Db } from './postgres/database.ts';
import type { Vault } from './vault.ts';

const KEY_BYTES = 32;
const CACHED_MAX = 5_000;

/** What stands for a value of a project: the same for the same value, and nothing leads back without the project's key. */
export type Pseudonymize = (kind: 'user' | 'user_id' | 'organization' | 'account', value: string) => string;

export type Pseudonyms = ReturnType<typeof createPseudonyms>;

/**
 * Names for persons who were erased: HMAC-SHA256 with a random key of the project, which stands sealed in the store. A
 * plain hash would be found by trying all user ids.
 */
export function createPseudonyms({ vault }: { vault: Pick<Vault, 'seal' | 'open'> }) {
  const cache = new LRUCache<string, Pseudonymize>(entriesUpTo(CACHED_MAX));

  const contextOf = (projectId: string) => ({
    table: 'project_pseudonym_keys',
    column: 'key_sealed',
    rowId: projectId,
    projectId,
  });

  /** Undefined for a project in which no person was erased. */
  async function find(db: Db, projectId: string): Promise<Pseudonymize | undefined> {
    const known = cache.get(projectId);
    if (known !== undefined) return known;
    const row = await db<{ project_id: string; key_sealed: string }>('project_pseudonym_keys')
      .where({ project_id: projectId })
      .first('key_sealed');
    if (row === undefined) return undefined;
    const key = Buffer.from(vault.open(row.key_sealed, contextOf(projectId)), 'base64');
    const pseudonymize: Pseudonymize = (kind, value) =>
      formatUuid(createHmac('sha256', key).update(`${kind} ${value}`).digest());
    cache.set(projectId, pseudonymize);
    return pseudonymize;
  }

  /** The project's, with a key that is made where there is none yet. */
  async function findOrCreate(trx: Db, projectId: string): Promise<Pseudonymize> {
    const known = await find(trx, projectId);
    if (known !== undefined) return known;
    const sealed = vault.seal(randomBytes(KEY_BYTES).toString('base64'), contextOf(projectId));
    await trx('project_pseudonym_keys')
      .insert({ project_id: projectId, key_sealed: sealed })
      .onConflict()
      .ignore();
    const made = await find(trx, projectId);
    // Before the commit: rolled back, the key is none.
    cache.delete(projectId);
    if (made === undefined) throw new Error('a project has no key for pseudonyms');
    return made;
  }

  return { find, findOrCreate };
}

/** 122 bits of the digest, as a UUID of version 8 (RFC 9562). */
function formatUuid(digest: Buffer): string {
  const bytes = Buffer.from(digest.subarray(0, 16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
