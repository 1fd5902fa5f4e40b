import {
  createVerifiedTokens,
  hasExpired,
  type VerifiedToken,
} from '../../src/identity/verification/verified-tokens.ts';

const TAIL = 'the-last-24-of-signature';
const ENTRY: Omit<VerifiedToken, 'text'> = {
  projectId: 'p',
  subject: 'mia',
  membership: undefined,
  expiresAtMs: 1_000_000,
  keyIdentity: 'k',
  jti: null,
  rights: undefined,
  issuedAtMs: 0,
  clearedBy: undefined,
};

/** Texts of this length with ends of their own. */
const texts = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => String(index).padStart(24, '0').padStart(length, 'x'));

describe('a verified token', () => {
  it('is known by its whole text, also where another has the same end', () => {
    const tokens = createVerifiedTokens();
    tokens.set({ ...ENTRY, text: `header.payload.${TAIL}` });
    expect(tokens.get(`header.payload.${TAIL}`)?.subject).toBe('mia');
    for (const text of [`header.forged.${TAIL}`, `x.header.payload.${TAIL}`, TAIL, TAIL.slice(1), '']) {
      expect(tokens.get(text)).toBeUndefined();
    }
    tokens.set({ ...ENTRY, text: `header.other.${TAIL}`, subject: 'zoe' });
    expect(tokens.get(`header.payload.${TAIL}`)).toBeUndefined();
    expect(tokens.get(`header.other.${TAIL}`)?.subject).toBe('zoe');
  });

  it('is known until it is deleted, and others stay', () => {
    const tokens = createVerifiedTokens();
    const [one = '', other = ''] = texts(2, 100);
    for (const text of [one, other]) tokens.set({ ...ENTRY, text });
    tokens.delete(one);
    expect([tokens.get(one), tokens.get(other)?.text]).toEqual([undefined, other]);
  });

  it('has expired half a minute after its time, and not before', () => {
    const token = { ...ENTRY, text: 'a' };
    expect(hasExpired(token, 1_029_999)).toBe(false);
    expect(hasExpired(token, 1_030_000)).toBe(true);
  });
});

describe('verified tokens in memory', () => {
  const known = (tokens: ReturnType<typeof createVerifiedTokens>, all: readonly string[]) =>
    all.filter((text) => tokens.get(text) !== undefined);

  it('are ten thousand at most, the one used longest ago going first', () => {
    const tokens = createVerifiedTokens();
    const all = texts(10_001, 30);
    for (const text of all.slice(0, -1)) tokens.set({ ...ENTRY, text });
    tokens.get(all[0] ?? '');
    tokens.set({ ...ENTRY, text: all.at(-1) ?? '' });
    expect(tokens.get(all[0] ?? '')).toBeDefined();
    expect(known(tokens, all)).toHaveLength(10_000);
    expect(tokens.get(all[1] ?? '')).toBeUndefined();
  });

  it('take 32 MiB at most, however long they are', () => {
    const tokens = createVerifiedTokens();
    const all = texts(5_000, 8_192);
    for (const text of all) tokens.set({ ...ENTRY, text });
    const kept = known(tokens, all);
    expect(kept.length * 8_192).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(kept.length * 8_192).toBeGreaterThan(28 * 1024 * 1024);
  });
});
