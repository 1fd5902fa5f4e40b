import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { type EncryptionKey, EncryptionKeysError } from './vault-keys.ts';

export {
  type EncryptionKey,
  EncryptionKeysError,
  formatEncryptionKeys,
  generateEncryptionKeyFile,
  parseEncryptionKeys,
} from './vault-keys.ts';

/** Where a sealed text stands. It opens only there, so that a copy in another row, column or project is worthless. */
export type SealContext = {
  readonly table: string;
  readonly column: string;
  readonly rowId: string;
  readonly projectId: string;
};

/** A sealed text that cannot be opened here. Its message names the place and the key id, never content. */
export class VaultError extends Error {
  override readonly name = 'VaultError';
}

/** What `read` opens, or `otherwise` where the text was sealed for another place or its key is lost. */
export function openOrElse<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return read();
  } catch (error) {
    if (error instanceof VaultError) return otherwise;
    throw error;
  }
}

export type Vault = {
  /** Id of the key that seals from now on. */
  readonly activeKeyId: string;
  /** Every key id that can be opened, the active one first. */
  readonly keyIds: readonly string[];
  /** A fresh envelope; the same plaintext never gives the same text twice. */
  seal(plaintext: string, context: SealContext): string;
  /** The plaintext. Throws VaultError for anything that was not sealed for this very place with a known key. */
  open(sealed: string, context: SealContext): string;
  /** The id of the key that an envelope needs. Throws VaultError when the text is no envelope. */
  keyIdOf(sealed: string): string;
  /** The same plaintext sealed with the active key and a fresh data key. Throws VaultError as `open` does. */
  rewrap(sealed: string, context: SealContext): string;
  /**
   * A short public text for `purpose` from each key, the active one's first: the same in every process that has the key,
   * and unrelated to what the key seals (HKDF, RFC 5869).
   */
  marksFor(purpose: string): readonly string[];
  /**
   * What `marksFor` answers, made once for each set of keys: a key that comes while the process runs has its mark at once,
   * and a reader in a hurry pays for none.
   */
  keepMarks(purpose: string): () => readonly string[];
};

/** A vault whose keys may change while it is in use. */
export type RotatingVault = Vault & {
  /** The first one seals. */
  listKeys(): readonly EncryptionKey[];
  /** The first one seals from now on. Throws EncryptionKeysError without keys. */
  replaceKeys(keys: readonly EncryptionKey[]): void;
};

const VERSION = 'v1';
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const MARK_BYTES = 9;

type Envelope = { keyId: string; wrappedKey: Buffer; iv: Buffer; ciphertext: Buffer; tag: Buffer };

/**
 * Envelope encryption: each text has its own random AES-256-GCM key, wrapped by one of `keys`, of which the first is
 * active. The form is `v1.<key id>.<wrapped key>.<iv>.<ciphertext>.<tag>`, each part base64url; the wrapped key is its
 * own iv, ciphertext and tag in a row. A key per text stays far below the 2^32 random IVs that NIST SP 800-38D section
 * 8.3 allows one key. Strings that were opened cannot be wiped from memory; the buffers behind them are.
 * Throws EncryptionKeysError without keys.
 */
export function createVault(keys: readonly EncryptionKey[]): RotatingVault {
  let ring = toRing(keys);

  function decrypt(sealed: string, context: SealContext): Buffer {
    const envelope = parseEnvelope(sealed, context);
    const key = ring.byId.get(envelope.keyId);
    if (key === undefined) throw refusal(`needs key ${envelope.keyId}, which is not configured`, context);
    return openEnvelope(envelope, key, context);
  }

  return {
    get activeKeyId() {
      return ring.active.id;
    },
    get keyIds() {
      return ring.keys.map(({ id }) => id);
    },
    seal: (plaintext, context) =>
      withWiped(Buffer.from(plaintext, 'utf8'), (text) => encrypt(text, ring.active, context)),
    open: (sealed, context) => withWiped(decrypt(sealed, context), (text) => text.toString('utf8')),
    keyIdOf: (sealed) => parseEnvelope(sealed).keyId,
    rewrap: (sealed, context) =>
      withWiped(decrypt(sealed, context), (text) => encrypt(text, ring.active, context)),
    marksFor: (purpose) => ring.keys.map(({ key }) => markFrom(key, purpose)),
    keepMarks(purpose) {
      let kept: { readonly of: typeof ring; readonly marks: readonly string[] } | undefined;
      return () => {
        if (kept?.of !== ring) kept = { of: ring, marks: this.marksFor(purpose) };
        return kept.marks;
      };
    },
    listKeys: () => ring.keys,
    replaceKeys(replacement) {
      ring = toRing(replacement);
    },
  };
}

function toRing(keys: readonly EncryptionKey[]) {
  const [active] = keys;
  if (active === undefined) throw new EncryptionKeysError('at least one key is needed');
  return { active, keys, byId: new Map(keys.map((entry) => [entry.id, entry.key])) };
}

function markFrom(key: KeyObject, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, MARK_BYTES)).toString('base64url');
}

function encrypt(plaintext: Buffer, active: EncryptionKey, context: SealContext): string {
  return withWiped(randomBytes(KEY_BYTES), (dataKey) => {
    const wrapped = gcmSeal(active.key, dataKey, associatedData('key', active.id, context));
    const content = gcmSeal(dataKey, plaintext, associatedData('text', active.id, context));
    const parts = [
      Buffer.concat([wrapped.iv, wrapped.ciphertext, wrapped.tag]),
      content.iv,
      content.ciphertext,
      content.tag,
    ];
    return [VERSION, active.id, ...parts.map((part) => part.toString('base64url'))].join('.');
  });
}

function openEnvelope(envelope: Envelope, key: KeyObject, context: SealContext): Buffer {
  const { keyId, wrappedKey, iv, ciphertext, tag } = envelope;
  const wrapped = {
    iv: wrappedKey.subarray(0, IV_BYTES),
    ciphertext: wrappedKey.subarray(IV_BYTES, IV_BYTES + KEY_BYTES),
    tag: wrappedKey.subarray(IV_BYTES + KEY_BYTES),
  };
  try {
    return withWiped(gcmOpen(key, wrapped, associatedData('key', keyId, context)), (dataKey) =>
      gcmOpen(dataKey, { iv, ciphertext, tag }, associatedData('text', keyId, context)),
    );
  } catch {
    throw refusal(`was not sealed here with key ${keyId}, or was changed since`, context);
  }
}

type Sealed = { iv: Buffer; ciphertext: Buffer; tag: Buffer };

function gcmSeal(key: KeyObject | Buffer, plaintext: Buffer, aad: Buffer): Sealed {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES }).setAAD(aad);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { iv, ciphertext, tag: cipher.getAuthTag() };
}

function gcmOpen(key: KeyObject | Buffer, sealed: Sealed, aad: Buffer): Buffer {
  // Without authTagLength Node takes a tag of 4 bytes for good (nodejs.org/api/crypto.html, decipher.setAuthTag).
  const decipher = createDecipheriv(ALGORITHM, key, sealed.iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad).setAuthTag(sealed.tag);
  return withWiped(decipher.update(sealed.ciphertext), (plaintext) => {
    decipher.final();
    return Buffer.from(plaintext);
  });
}

/** JSON of an array, since parts that are merely joined could be cut in another place. */
function associatedData(use: 'key' | 'text', keyId: string, context: SealContext): Buffer {
  const { table, column, rowId, projectId } = context;
  return Buffer.from(JSON.stringify([VERSION, use, table, column, rowId, projectId, keyId]), 'utf8');
}

const ENVELOPE =
  /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]{80})\.([A-Za-z0-9_-]{16})\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]{22})$/;

/** Never takes anything else for plaintext: a column that an operator filled by hand is an error. */
function parseEnvelope(sealed: string, context?: SealContext): Envelope {
  const [, keyId, ...texts] = ENVELOPE.exec(sealed) ?? [];
  const parts = texts.map((text) => Buffer.from(text, 'base64url'));
  const [wrappedKey, iv, ciphertext, tag] = parts;
  // Base64url leaves spare bits in a last character; only the one spelling that `seal` writes is taken.
  const isCanonical = parts.every((part, index) => part.toString('base64url') === texts[index]);
  if (keyId === undefined || !wrappedKey || !iv || !ciphertext || !tag || !isCanonical) {
    throw refusal('is no sealed text', context);
  }
  return { keyId, wrappedKey, iv, ciphertext, tag };
}

function refusal(reason: string, context?: SealContext): VaultError {
  const place = context ? `${context.table}.${context.column} of row ${context.rowId}` : 'The text';
  return new VaultError(`${place} ${reason}`);
}

function withWiped<T>(buffer: Buffer, use: (buffer: Buffer) => T): T {
  try {
    return use(buffer);
  } finally {
    buffer.fill(0);
  }
}
