import { createVerifiedTokens } from '../../src/identity/verified-tokens.ts';

const TAIL = 'the-last-24-of-signature';
const ENTRY = {
  projectId: 'p',
  subject: 'mia',
  expiresAtMs: 1,
  keyIdentity: 'k',
  jti: null,
  issuedAtMs: 0,
  clearedBy: undefined,
};

it('a token is known by its whole text, also where another has the same end', () => {
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
