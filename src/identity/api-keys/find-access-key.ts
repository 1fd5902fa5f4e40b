import { LRUCache } from 'lru-cache';
import { HttpError } from '../../http/errors.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { sha256 } from '../../lib/opaque-tokens.ts';
import { countSharedStoreTime, withoutStoreLimit } from '../../platform/postgres/store-time.ts';

/** A credential of the gateway's own, as its store finds it by its SHA-256; a revoked one is not found. */
type FoundAccessKey = { readonly isExpired: boolean };

const REMEMBERED_MAX = 10_000;
const REFUSED_MS = 60_000;
/** In one query; some milliseconds of work for the store. */
const BATCH_MAX = 500;
const BATCHES_WAITING_MAX = 10;

/**
 * Finds API keys or personal access tokens. Each use asks the store, so that a revoked one is dead at once. What comes
 * from a network that keeps sending wrong ones (`isSuspect`) is refused from memory where it was wrong within the last
 * minute, and looked up together with all others of that kind, one query at a time, where it is unknown: a flood of
 * wrong credentials causes a few queries, and a good one among them waits for some milliseconds. Credentials that were
 * good lately are looked up at once; that memory never authorizes anything.
 *
 * Throws HttpError `token_invalid`, `token_expired`, or `overloaded` where too many wait.
 */
export function createFindAccessKey<Found extends FoundAccessKey>(deps: {
  find(hash: Buffer): Promise<Found | undefined>;
  /** By the hash in hexadecimal. */
  findMany(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, Found>>;
  now(): number;
}) {
  const { now } = deps;
  const good = new LRUCache<string, true>(entriesUpTo(REMEMBERED_MAX));
  const refused = new LRUCache<string, { code: 'token_invalid' | 'token_expired'; untilMs: number }>(
    entriesUpTo(REMEMBERED_MAX),
  );
  const findTogether = createBatches(deps.findMany);

  function refuse(name: string, code: 'token_invalid' | 'token_expired'): never {
    refused.set(name, { code, untilMs: now() + REFUSED_MS });
    throw new HttpError(code);
  }

  return async (credential: string, isSuspect: boolean): Promise<Found> => {
    const hash = sha256(credential);
    const name = hash.toString('hex');
    const before = isSuspect ? refused.get(name) : undefined;
    if (before && before.untilMs > now()) throw new HttpError(before.code);
    const found = isSuspect && !good.has(name) ? await findTogether(hash, name) : await deps.find(hash);
    if (!found) return refuse(name, 'token_invalid');
    if (found.isExpired) return refuse(name, 'token_expired');
    good.set(name, true);
    return found;
  };
}

type Batch<Found> = {
  readonly hashes: Map<string, Buffer>;
  readonly found: Promise<ReadonlyMap<string, Found>>;
};

/** Collects look-ups while a query is running and makes one query of them afterwards. */
function createBatches<Found>(findMany: (hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, Found>>) {
  const waiting: Batch<Found>[] = [];
  let last: Promise<unknown> = Promise.resolve();

  function open(): Batch<Found> {
    const hashes = new Map<string, Buffer>();
    // The requests of a batch share it: it must not be cut when the one that opened it has no time left.
    const found = withoutStoreLimit(() =>
      last.then(() => {
        waiting.shift();
        return findMany([...hashes.values()]);
      }),
    );
    last = found.catch(() => undefined);
    const batch = { hashes, found };
    waiting.push(batch);
    return batch;
  }

  function batchWithRoom(): Batch<Found> {
    const newest = waiting.at(-1);
    if (newest && newest.hashes.size < BATCH_MAX) return newest;
    if (waiting.length >= BATCHES_WAITING_MAX) {
      throw new HttpError('overloaded', { headers: { 'Retry-After': '1' } });
    }
    return open();
  }

  return async (hash: Buffer, name: string): Promise<Found | undefined> => {
    const batch = batchWithRoom();
    batch.hashes.set(name, hash);
    return (await countSharedStoreTime(batch.found)).get(name);
  };
}
