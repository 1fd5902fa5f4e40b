import { argon2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { isGuessedFirst } from './guessable-password.ts';

/** NIST SP 800-63B section 3.1.1.2 lets length stand in for composition rules. */
export const PASSWORD_LENGTH_MIN = 12;
/** Long enough for any pass phrase, short enough that hashing it costs nothing beside the function itself. */
export const PASSWORD_LENGTH_MAX = 1000;

const SALT_BYTES = 16;
const HASH_BYTES = 32;
const DISTINCT_CHARACTERS_MIN = 5;

/** Argon2id with 46 MiB and one pass: OWASP Password Storage Cheat Sheet; the equal of its 19 MiB and two passes. */
const COST = { memory: 47_104, passes: 1, parallelism: 1 } as const;

/** The PHC string format of Argon2's reference implementation. */
const ARGON2ID = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
/** As releases before 22 November 2026 stored it: `scrypt$<N>$<r>$<p>$<salt>$<hash>`. */
const SCRYPT = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

const PREFIX = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$`;

/** What may be stored of a password: a salted Argon2id hash (RFC 9106) with its cost parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await deriveArgon2(password, salt, HASH_BYTES, COST);
  return `${PREFIX}${withoutPadding(salt)}$${withoutPadding(hash)}`;
}

/** Whether this is the password behind the stored hash. Rejects when what is stored is no hash of ours. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { salt, expected, derive } = readStored(stored);
  return timingSafeEqual(await derive(password, salt, expected.length), expected);
}

/** Whether the hash was made with another function or other costs than a new one would be. */
export function isOutdatedHash(stored: string): boolean {
  return !stored.startsWith(PREFIX);
}

/**
 * Why this must not become the password of the account, as the end of a sentence that begins with its name; undefined
 * where it may. Length is checked by the schemas.
 */
export function findPasswordFault(
  password: string,
  account: { readonly email: string; readonly name?: string | null | undefined },
): string | undefined {
  const plain = lettersOf(password);
  const [local = '', host = ''] = account.email.split('@');
  const known = [account.email, local, host, account.name ?? '', 'integration gateway', 'password'];
  const isKnown = known.map(lettersOf).some((text) => text !== '' && plain.replaceAll(text, '') === '');
  if (isKnown) return 'Must not be made of the e-mail address or the name of the account';
  if (new Set(plain).size < DISTINCT_CHARACTERS_MIN && new Set(password).size < DISTINCT_CHARACTERS_MIN) {
    return `Must have at least ${DISTINCT_CHARACTERS_MIN} different characters`;
  }
  if (isGuessedFirst(password))
    return 'Must not be made of words and rows of keys that everybody tries first';
  return undefined;
}

function lettersOf(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

type Stored = {
  readonly salt: Buffer;
  readonly expected: Buffer;
  derive(password: string, salt: Buffer, length: number): Promise<Buffer>;
};

function readStored(stored: string): Stored {
  const [, m, t, p, argonSalt, argonHash] = ARGON2ID.exec(stored) ?? [];
  if (argonSalt !== undefined && argonHash !== undefined) {
    const cost = { memory: Number(m), passes: Number(t), parallelism: Number(p) };
    return {
      salt: Buffer.from(argonSalt, 'base64'),
      expected: Buffer.from(argonHash, 'base64'),
      derive: (password, salt, length) => deriveArgon2(password, salt, length, cost),
    };
  }
  const [, N, r, blocks, salt, hash] = SCRYPT.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('not a stored password hash');
  const cost = { N: Number(N), r: Number(r), p: Number(blocks) };
  return {
    salt: Buffer.from(salt, 'base64url'),
    expected: Buffer.from(hash, 'base64url'),
    derive: (password, saltBytes, length) => deriveScrypt(password, saltBytes, length, cost),
  };
}

/** One spelling for characters that keyboards compose differently (NIST SP 800-63B section 3.1.1.2). */
function normalize(password: string): string {
  return password.normalize('NFKC');
}

type Argon2Cost = { readonly memory: number; readonly passes: number; readonly parallelism: number };

function deriveArgon2(password: string, nonce: Buffer, tagLength: number, cost: Argon2Cost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parameters = { message: normalize(password), nonce, tagLength, ...cost };
    argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)));
  });
}

type ScryptCost = { readonly N: number; readonly r: number; readonly p: number };

function deriveScrypt(password: string, salt: Buffer, length: number, cost: ScryptCost): Promise<Buffer> {
  // Needs 128 * N * r bytes and refuses beyond 32 MiB by default (nodejs.org/api/crypto.html, crypto.scrypt).
  const maxmem = 2 * 128 * cost.N * cost.r;
  return new Promise((resolve, reject) => {
    scrypt(normalize(password), salt, length, { ...cost, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** Base64 as PHC strings have it. */
export function withoutPadding(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
