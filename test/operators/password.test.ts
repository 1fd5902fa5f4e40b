import { hashPassword, verifyPassword } from '../../src/operators/password.ts';

describe('a password hash', () => {
  it('verifies its own password only, and names its cost', async () => {
    const stored = await hashPassword('correct horse battery');
    expect(stored).toMatch(/^scrypt\$131072\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    expect(await verifyPassword('correct horse battery', stored)).toBe(true);
    expect(await verifyPassword('correct horse batterz', stored)).toBe(false);
    expect(await verifyPassword('', stored)).toBe(false);
  });

  it('is salted: the same password never gives the same text', async () => {
    expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
  });

  it('takes one character in any of its spellings', async () => {
    const composed = 'pass phrase with \u00e9';
    const decomposed = 'pass phrase with e\u0301';
    expect(await verifyPassword(decomposed, await hashPassword(composed))).toBe(true);
  });

  it('of another cost still verifies', async () => {
    // RFC 7914 section 12, third vector cut to 32 bytes: N = 16384, r = 8, p = 1.
    const salt = Buffer.from('SodiumChloride').toString('base64url');
    const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex');
    const stored = `scrypt$16384$8$1$${salt}$${hash.toString('base64url')}`;
    expect(await verifyPassword('pleaseletmein', stored)).toBe(true);
  });

  it('that is none is an error, not a refusal', async () => {
    await expect(verifyPassword('x', 'plain text')).rejects.toThrow('not a stored password hash');
  });
});
