import { scryptSync } from 'node:crypto';
import {
  findPasswordFault,
  hashPassword,
  isOutdatedHash,
  verifyPassword,
} from '../../src/operators/accounts/password.ts';

const PASSWORD = 'correct horse battery';

/** A stored hash as a gateway with lower costs would have written it. */
function cheapHash(password: string): string {
  const salt = Buffer.from('0123456789abcdef');
  const hash = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 });
  return `scrypt$1024$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

describe('password hashes', () => {
  it('verify the password and nothing near it', async () => {
    const stored = await hashPassword(PASSWORD);
    expect(await verifyPassword(PASSWORD, stored)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it('carry the costs of Argon2id, a salt of their own, and no password', async () => {
    const stored = await hashPassword(PASSWORD);
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(stored).not.toContain(PASSWORD);
    expect(await hashPassword(PASSWORD)).not.toBe(stored);
  });

  it('verify at the costs that they were made with', async () => {
    expect(await verifyPassword(PASSWORD, cheapHash(PASSWORD))).toBe(true);
    expect(await verifyPassword('another password', cheapHash(PASSWORD))).toBe(false);
  });

  it('are outdated when another function or other costs made them', async () => {
    expect(isOutdatedHash(cheapHash(PASSWORD))).toBe(true);
    expect(isOutdatedHash((await hashPassword(PASSWORD)).replace('m=47104', 'm=4096'))).toBe(true);
    expect(isOutdatedHash(await hashPassword(PASSWORD))).toBe(false);
  });

  it('agree with a hash of the reference implementation of Argon2id', async () => {
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await verifyPassword('password', stored)).toBe(true);
  });

  it('agree with the third vector of RFC 7914, section 12, cut to 32 bytes', async () => {
    const salt = Buffer.from('SodiumChloride').toString('base64url');
    const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
    const stored = `scrypt$16384$8$1$${salt}$${hash.toString('base64url')}`;
    expect(await verifyPassword('pleaseletmein', stored)).toBe(true);
  });

  it('take characters that a keyboard composes in another way for the same', async () => {
    expect(
      await verifyPassword('pa\u0308sswort pa\u0308sswort', cheapHash('p\u00e4sswort p\u00e4sswort')),
    ).toBe(true);
  });

  it.each(['', 'plain text', 'scrypt$1024$8$1$c2FsdA', 'bcrypt$1$1$1$c2FsdA$aGFzaA'])(
    'are not guessed from what is none: %j',
    async (stored) => {
      await expect(verifyPassword(PASSWORD, stored)).rejects.toThrow('not a stored password hash');
    },
  );
});

describe('a new password', () => {
  const account = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' };

  it.each([
    'ada.lovelace@example.com',
    'AdaLovelace-AdaLovelace',
    'examplecom examplecom',
    'password password',
    'aaaaaaaaaaaaaaaa',
    '121212121212121212',
    '123456789012',
    'Password1234',
    'P@ssw0rd2026!',
    'qwertyuiop12',
    '1q2w3e4r5t6y',
    'Welcome12345',
    'iloveyou2026',
    'abcdefghijkl',
    '0987654321zxcvbnm',
    'Administrator1!',
  ])('is not made of what others know or guess first: %s', (password) => {
    expect(findPasswordFault(password, account)).toBeDefined();
  });

  it.each([
    'correct horse battery',
    'ada.lovelace and her engine',
    'пароль длинный достаточно',
    '12 !! 34 ?? 56 §§',
    'my dragon eats baseball caps',
    'qK7-password-vR2',
    '1234 geese on the roof',
  ])('may be any other: %s', (password) => {
    expect(findPasswordFault(password, account)).toBeUndefined();
  });
});
