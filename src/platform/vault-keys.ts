import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isNativeError } from 'node:util/types';
import { StartError } from '../lib/start-error.ts';

/** A key-encryption key. The bytes stay inside the KeyObject, which no log or inspection shows. */
export type EncryptionKey = { readonly id: string; readonly key: KeyObject };

/** ENCRYPTION_KEYS cannot be used, as the message says. No part of a key is in it. */
export class EncryptionKeysError extends StartError {
  override readonly name = 'EncryptionKeysError';

  constructor(fault: string) {
    super(`ENCRYPTION_KEYS: ${fault}`);
  }
}

const KEY_BYTES = 32;
const ID = /^[A-Za-z0-9_-]{1,32}$/;
const EXPECTED = 'expected id:base64(32 bytes)[,older…], for example k1:$(openssl rand -base64 32)';

/**
 * The keys of `id:base64(32 bytes)[,older…]` (base64 or base64url, padded or not), the active one first.
 * Throws EncryptionKeysError, which says what is wrong with which id and shows no key.
 */
export function parseEncryptionKeys(text: string): EncryptionKey[] {
  const keys = text.split(',').map((entry, index) => parseEntry(entry.trim(), index));
  const ids = new Set<string>();
  for (const { id } of keys) {
    if (ids.has(id)) throw new EncryptionKeysError(`the id ${id} is used twice; give every key its own id`);
    ids.add(id);
  }
  return keys;
}

/** The text that `parseEncryptionKeys` reads. It is a secret. */
export function formatEncryptionKeys(keys: readonly EncryptionKey[]): string {
  return keys.map(({ id, key }) => `${id}:${key.export().toString('base64')}`).join(',');
}

function parseEntry(entry: string, index: number): EncryptionKey {
  const place = `entry ${index + 1}`;
  const colon = entry.indexOf(':');
  const id = entry.slice(0, Math.max(colon, 0));
  // The id is not shown before it has proved to be one: it may be a key whose id was forgotten.
  if (colon < 0) throw new EncryptionKeysError(`${place} has no id; ${EXPECTED}`);
  if (!ID.test(id)) {
    throw new EncryptionKeysError(
      `the id of ${place} must be 1 to 32 letters, digits, "_" or "-"; ${EXPECTED}`,
    );
  }
  const encoded = entry.slice(colon + 1);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) {
    throw new EncryptionKeysError(`the key ${id} is not base64; ${EXPECTED}`);
  }
  const bytes = Buffer.from(encoded, 'base64');
  try {
    if (bytes.length !== KEY_BYTES) {
      throw new EncryptionKeysError(
        `the key ${id} has ${bytes.length} bytes instead of ${KEY_BYTES}; ${EXPECTED}`,
      );
    }
    const weakness = weaknessOf(bytes);
    if (weakness)
      throw new EncryptionKeysError(`the key ${id} ${weakness}; make one with openssl rand -base64 32`);
    return { id, key: createSecretKey(bytes) };
  } finally {
    bytes.fill(0);
  }
}

/**
 * Why 32 bytes are no random key. Random bytes hold fewer than 16 distinct values, or printable characters only,
 * less often than once in 10^13 keys.
 */
function weaknessOf(bytes: Buffer): string | undefined {
  if (bytes.every((byte) => byte === 0)) return 'is all zeros';
  if (new Set(bytes).size < 16) return 'repeats itself, so it is not random';
  const first = bytes.readUInt8(0);
  const step = bytes.readUInt8(1) - first;
  if (bytes.every((byte, index) => byte === ((first + step * index) & 0xff)))
    return 'is a sample key (a sequence)';
  if (bytes.every((byte) => byte >= 0x20 && byte < 0x7f))
    return 'is a text (a sample key or a passphrase), not random bytes';
  return undefined;
}

/**
 * The text of the key file at `path`, in the form of ENCRYPTION_KEYS; made with one random key and mode 600 when there
 * is none. Atomic: a crash leaves no half file, and of several processes all get the key that the first one wrote.
 * An existing file is never changed. Throws when the file cannot be read or written.
 */
export function generateEncryptionKeyFile(path: string): string {
  const existing = readIfThere(path);
  if (existing !== undefined) return existing;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`;
  writeDurably(draft, `k${randomBytes(4).toString('hex')}:${randomBytes(KEY_BYTES).toString('base64')}\n`);
  try {
    // Unlike rename, link refuses to replace a file that another process has made meanwhile.
    linkSync(draft, path);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    unlinkSync(draft);
  }
  syncDirectory(dirname(path));
  return readFileSync(path, 'utf8').trim();
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Without it a power cut may take the name of the file back, while the rows sealed with its key stay. */
function syncDirectory(path: string): void {
  // Windows opens no directories.
  if (process.platform === 'win32') return;
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function isErrno(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code;
}
