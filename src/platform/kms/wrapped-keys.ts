import { createSecretKey, randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../lib/ids.ts';
import { StartError } from '../../lib/start-error.ts';
import type { KmsSettings } from '../../settings/kms.ts';
import type { Db } from '../postgres/database.ts';
import type { EncryptionKey } from '../vault-keys.ts';
import { type Kms, KmsError } from './kms.ts';
import { openKms } from './open-kms.ts';
import {
  insertFirstKey,
  insertNextKey,
  listWrappedKeys,
  replaceWrapping,
  type WrappedKey,
} from './wrapped-keys.store.ts';

const KEY_BYTES = 32;
/** Pauses before another attempt of a start; with a request's time-out a service is waited for three quarters of a minute. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000];

/** A key in the clear, and what the store says of it. */
export type HeldKey = EncryptionKey & { readonly state: WrappedKey['state'] };

export type WrappedKeys = ReturnType<typeof createWrappedKeys>;

/**
 * Key-encryption keys that ENCRYPTION_KMS wraps: made here, stored wrapped, in the clear in memory alone. The service is
 * asked once for each key that a process does not hold yet; a process that holds them does without it.
 */
export function createWrappedKeys(deps: {
  readonly settings: KmsSettings;
  /** Left out: by the service's own interface. */
  readonly open?: typeof openKms;
  readonly log: { warn(fields: object, message: string): void };
  readonly pausesMs?: readonly number[];
}) {
  const { settings, log, open = openKms, pausesMs = PAUSES_MS } = deps;
  const [first] = settings.keys;
  const opened = new Map<string, Kms>();

  /** Asks a service, several times where it is in trouble. Rejects with StartError, which says what to do. */
  async function ask<T>(name: string, work: (kms: Kms) => Promise<T>): Promise<T> {
    for (const pauseMs of [...pausesMs, undefined]) {
      try {
        return await work(findKms(name));
      } catch (error) {
        if (!(error instanceof KmsError)) throw error;
        if (pauseMs === undefined || !error.isTransient) throw refusal(name, error);
        log.warn(
          { kms: name, reason: error.message, pauseMs },
          'the key management service gave no key: asking again',
        );
        await delay(pauseMs);
      }
    }
    throw new Error('unreachable: the last attempt returns or throws');
  }

  function findKms(name: string): Kms {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const key = settings.keys.find((one) => one.name === name);
    if (key === undefined) throw new Error(`${name} is not configured`);
    const kms = open(key, settings.variables);
    opened.set(name, kms);
    return kms;
  }

  async function makeKey(stored: readonly WrappedKey[]) {
    const id = `kms${randomBytes(6).toString('hex')}`;
    const deployment = settings.context ?? stored[0]?.deployment ?? newId();
    const key = randomBytes(KEY_BYTES);
    const wrapped = await ask(first.name, (kms) => kms.wrap(key, { deployment, keyId: id }));
    // A service that cannot give back what it took would cost everything that the key seals.
    const back = await ask(first.name, (kms) => kms.unwrap(wrapped, { deployment, keyId: id }));
    const isWhole = back.equals(key);
    key.fill(0);
    back.fill(0);
    if (!isWhole) throw refusal(first.name, new KmsError('it gave back another key', { isTransient: false }));
    return { id, kms: first.name, deployment, wrapped };
  }

  async function unwrap(db: Db, stored: WrappedKey): Promise<HeldKey> {
    const { id, kms, deployment, wrapped, state } = stored;
    assertOurs(settings, stored);
    const context = { deployment, keyId: id };
    const bytes = await ask(kms, (service) => service.unwrap(wrapped, context));
    try {
      if (kms !== first.name) {
        const again = await ask(first.name, (service) => service.wrap(bytes, context));
        await replaceWrapping(db, stored, { kms: first.name, wrapped: again });
      }
      return { id, key: createSecretKey(bytes), state };
    } finally {
      bytes.fill(0);
    }
  }

  /** What the store has, with the keys that `held` lacks unwrapped. */
  async function load(db: Db, held: ReadonlyMap<string, EncryptionKey>): Promise<HeldKey[]> {
    const keys: HeldKey[] = [];
    for (const stored of await listWrappedKeys(db)) {
      const own = held.get(stored.id);
      keys.push(own === undefined ? await unwrap(db, stored) : { ...own, state: stored.state });
    }
    return keys;
  }

  return {
    load,
    /**
     * At the start: makes the first key where there is none, and unwraps all. Of several processes that start at once on
     * an empty store, one makes the key for all.
     */
    async prepare(db: Db, { isOnlyKey }: { readonly isOnlyKey: boolean }): Promise<HeldKey[]> {
      const stored = await listWrappedKeys(db);
      if (stored.length === 0) await insertFirstKey(db, await makeKey([]), isOnlyKey);
      return load(db, new Map());
    },
    /** Makes the key that is to seal next. Answers its id; undefined where one waits already. */
    async makeNext(db: Db): Promise<string | undefined> {
      const stored = await listWrappedKeys(db);
      if (stored.some(({ state }) => state === 'waiting')) return undefined;
      const key = await makeKey(stored);
      return (await insertNextKey(db, key)) ? key.id : undefined;
    },
  };
}

function assertOurs({ keys, context }: KmsSettings, { id, kms, deployment }: WrappedKey): void {
  if (!keys.some(({ name }) => name === kms))
    throw new StartError(
      `ENCRYPTION_KMS: the key ${id} of this store is wrapped by ${kms}, which is not named.`,
      {
        remedy: `Name it behind the one that wraps from now on: ENCRYPTION_KMS=${keys[0].name},${kms}`,
      },
    );
  if (context !== undefined && context !== deployment)
    throw new StartError(
      `ENCRYPTION_KMS_CONTEXT: the key ${id} of this store was wrapped for the deployment ${deployment}.`,
      { remedy: 'Set that one, or start with the store of this deployment.' },
    );
}

function refusal(name: string, { message, isTransient }: KmsError): StartError {
  return new StartError(`ENCRYPTION_KMS: ${name} gives no key: ${message}.`, {
    remedy: isTransient
      ? 'A gateway that runs does without the service, one that starts does not: start again when it answers.'
      : 'Check that the key is there and enabled, and what this process may do with it (encrypt and decrypt).',
  });
}
