import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  type KeyObject,
  randomBytes,
  randomFillSync,
} from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { Db } from './postgres/database.ts';
import type { Vault } from './vault.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 1;
/** A key is some hundred bytes in memory. */
const CACHED_MAX = 5_000;
const DAY_MS = 24 * 3_600_000;

export type DataKeys = ReturnType<typeof createDataKeys>;

/** A sealed payload whose key is gone with its project, or that was sealed for another place. */
class DataKeyError extends Error {
  override readonly name = 'DataKeyError';
}

/** Seals and opens payloads of one project and one day. */
export type DataKey = {
  /** Version, iv, ciphertext and tag in a row. `place` names the row and the column; it opens only there. */
  seal(plaintext: Buffer | string, place: string): Buffer;
  /** Throws DataKeyError for what was not sealed by this key for this place. */
  open(sealed: Buffer, place: string): Buffer;
};

/** The beginning of the UTC day of `timeMs`, as `YYYY-MM-DD`. */
export function formatDay(timeMs: number): string {
  return new Date(timeMs - (timeMs % DAY_MS)).toISOString().slice(0, 10);
}

/**
 * AES-256-GCM keys for payloads: one per project and day, wrapped by the vault. A key per payload, as the vault makes
 * them, costs two more encryptions and 90 bytes for each of millions of events; and deleting a project's keys makes its
 * payloads unreadable wherever copies of them are. A day of one project stays far below the 2^32 random IVs that NIST SP
 * 800-38D section 8.3 allows a key.
 */
export function createDataKeys({ vault }: { vault: Vault }) {
  const cache = new LRUCache<string, DataKey>(entriesUpTo(CACHED_MAX));

  const contextOf = (projectId: string, day: string) => ({
    table: 'data_keys',
    column: 'key_sealed',
    rowId: day,
    projectId,
  });

  async function read(db: Db, projectId: string, day: string): Promise<DataKey | undefined> {
    const [row] = await db<{ project_id: string; day: string; key_sealed: string }>('data_keys')
      .where({ project_id: projectId, day })
      .select('key_sealed');
    if (row === undefined) return undefined;
    const text = vault.open(row.key_sealed, contextOf(projectId, day));
    return toDataKey(createSecretKey(Buffer.from(text, 'base64')));
  }

  return {
    /**
     * The key to seal with; made where there is none. A key that was made in this very transaction is not remembered,
     * since the transaction may be rolled back. Throws what a query throws, where the project is gone too.
     */
    async keyFor(db: Db, projectId: string, day: string): Promise<DataKey> {
      const id = `${projectId} ${day}`;
      const cached = cache.get(id) ?? (await read(db, projectId, day));
      if (cached !== undefined) {
        cache.set(id, cached);
        return cached;
      }
      const fresh = randomBytes(KEY_BYTES);
      const inserted = await db('data_keys')
        .insert({
          project_id: projectId,
          day,
          key_sealed: vault.seal(fresh.toString('base64'), contextOf(projectId, day)),
        })
        .onConflict()
        .ignore()
        .returning('day');
      if (inserted.length > 0) return toDataKey(createSecretKey(fresh));
      const other = await read(db, projectId, day);
      if (other === undefined) throw new DataKeyError('the data key was deleted meanwhile');
      return other;
    },

    /** The key to open with; undefined where it is gone, which it is with its project. */
    async findKey(db: Db, projectId: string, day: string): Promise<DataKey | undefined> {
      const id = `${projectId} ${day}`;
      const key = cache.get(id) ?? (await read(db, projectId, day));
      if (key !== undefined) cache.set(id, key);
      return key;
    },
  };
}

const ivs = Buffer.alloc(IV_BYTES * 512);
let ivsUsed = ivs.length;

/** Random bytes that nothing else has had; taken from the system some hundred at a time, since each call costs much. */
function nextIv(): Buffer {
  if (ivsUsed === ivs.length) {
    randomFillSync(ivs);
    ivsUsed = 0;
  }
  ivsUsed += IV_BYTES;
  return Buffer.from(ivs.subarray(ivsUsed - IV_BYTES, ivsUsed));
}

function toDataKey(key: KeyObject): DataKey {
  return {
    seal(plaintext, place) {
      const iv = nextIv();
      const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(place));
      const head =
        typeof plaintext === 'string' ? cipher.update(plaintext, 'utf8') : cipher.update(plaintext);
      return Buffer.concat([Buffer.of(VERSION), iv, head, cipher.final(), cipher.getAuthTag()]);
    },
    open(sealed, place) {
      if (sealed.length < 1 + IV_BYTES + TAG_BYTES || sealed[0] !== VERSION) {
        throw new DataKeyError(`${place} is no sealed payload`);
      }
      const textEnd = sealed.length - TAG_BYTES;
      const iv = sealed.subarray(1, 1 + IV_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(textEnd));
      const head = decipher.update(sealed.subarray(1 + IV_BYTES, textEnd));
      try {
        return Buffer.concat([head, decipher.final()]);
      } catch {
        throw new DataKeyError(`${place} was not sealed here, or was changed since`);
      }
    },
  };
}

/** Erases keys of days before `day`, whose payloads are gone. */
export async function deleteOldDataKeysOfAnyProject(db: Db, day: string): Promise<number> {
  return db('data_keys').where('day', '<', day).delete();
}
