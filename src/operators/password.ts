import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

/** NIST SP 800-63B section 3.1.1.2 lets length stand in for composition rules. */
export const PASSWORD_LENGTH_MIN = 12;
/** Long enough for any pass phrase, short enough that hashing it twice (HMAC) costs nothing. */
export const PASSWORD_LENGTH_MAX = 1000;

type Cost = { readonly N: number; readonly r: number; readonly p: number };

/** OWASP Password Storage Cheat Sheet, scrypt: 128 MiB and some 0.4 s for each try. */
const COST: Cost = { N: 2 ** 17, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** `scrypt$<N>$<r>$<p>$<salt>$<hash>`, so that costs can rise while old hashes still verify. */
const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([\w-]+)\$([\w-]+)$/;

/** What may be stored of a password: a salted scrypt hash with its cost parameters. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether this is the password behind the stored hash. Throws when what is stored is no hash of ours. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt, hash] = STORED.exec(stored) ?? [];
  if (salt === undefined || hash === undefined) throw new Error('not a stored password hash');
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await derive(password, Buffer.from(salt, 'base64url'), expected.length, cost);
  return timingSafeEqual(actual, expected);
}

function derive(password: string, salt: Buffer, length: number, cost: Cost): Promise<Buffer> {
  // Needs 128 * N * r bytes and refuses beyond 32 MiB unless told (nodejs.org/api/crypto.html, crypto.scrypt).
  const maxmem = 2 * 128 * cost.N * cost.r;
  // One spelling for characters that keyboards compose differently (NIST SP 800-63B section 3.1.1.2).
  const text = password.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(text, salt, length, { ...cost, maxmem }, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
