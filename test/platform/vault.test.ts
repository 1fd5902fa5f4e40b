import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { createVault, type EncryptionKey, type SealContext, VaultError } from '../../src/platform/vault.ts';

const CONTEXT: SealContext = {
  table: 'connections',
  column: 'credentials_sealed',
  rowId: '0190b1e2-0000-7000-8000-000000000001',
  projectId: '0190b1e2-0000-7000-8000-0000000000aa',
};

function key(id: string): EncryptionKey {
  return { id, key: createSecretKey(randomBytes(32)) };
}

/** The envelope with one of its parts replaced: 1 key id, 2 wrapped key, 3 iv, 4 ciphertext, 5 tag. */
function withPart(sealed: string, part: number, change: (text: string) => string): string {
  return sealed
    .split('.')
    .map((text, index) => (index === part ? change(text) : text))
    .join('.');
}

function truncate(text: string, bytes: number): string {
  return Buffer.from(text, 'base64url').subarray(0, bytes).toString('base64url');
}

describe('sealing', () => {
  const vault = createVault([key('k1')]);

  it('gives back any text exactly', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        expect(vault.open(vault.seal(text, CONTEXT), CONTEXT)).toBe(text);
      }),
    );
  });

  it('writes v1, the key id and four base64url parts, and never the text', () => {
    const sealed = vault.seal('a-refresh-token', CONTEXT);
    expect(sealed).toMatch(/^v1\.k1\.[\w-]{80}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(sealed).not.toContain('a-refresh-token');
    expect(sealed).not.toContain(Buffer.from('a-refresh-token').toString('base64url'));
    expect(vault.keyIdOf(sealed)).toBe('k1');
  });

  it('uses a fresh data key and fresh IVs each time', () => {
    const first = vault.seal('same', CONTEXT).split('.');
    const second = vault.seal('same', CONTEXT).split('.');
    for (const part of [2, 3, 4, 5]) expect(first[part]).not.toBe(second[part]);
  });

  it('refuses to be made without a key', () => {
    expect(() => createVault([])).toThrow('ENCRYPTION_KEYS');
  });
});

describe('the marks for a purpose', () => {
  const first = key('k1');
  const second = key('k2');

  it('are the same wherever the key is, one for each key, the active one’s first', () => {
    const marks = createVault([first, second]).marksFor('a');
    expect(marks).toHaveLength(2);
    expect(createVault([second, first]).marksFor('a')).toEqual(marks.toReversed());
    expect(marks).toEqual([expect.stringMatching(/^[\w-]{12}$/), expect.stringMatching(/^[\w-]{12}$/)]);
  });

  it('follow keys that come and go while they are kept, and are made once for each set', () => {
    const vault = createVault([first]);
    const read = vault.keepMarks('a');
    const [old] = read();
    expect(read()).toBe(read());
    vault.replaceKeys([second, first]);
    expect(read()).toEqual(createVault([second, first]).marksFor('a'));
    expect(read()[1]).toBe(old);
  });

  it('are others for another purpose and another key', () => {
    const marks = [createVault([first]), createVault([second])].flatMap((vault) => [
      ...vault.marksFor('a'),
      ...vault.marksFor('b'),
    ]);
    expect(new Set(marks).size).toBe(4);
  });
});

describe('opening', () => {
  const vault = createVault([key('k1')]);
  const sealed = vault.seal('{"refreshToken":"r-1"}', CONTEXT);

  it.each([
    ['row', { ...CONTEXT, rowId: '0190b1e2-0000-7000-8000-000000000002' }],
    ['column', { ...CONTEXT, column: 'client_secret_sealed' }],
    ['table', { ...CONTEXT, table: 'integrations' }],
    ['project', { ...CONTEXT, projectId: '0190b1e2-0000-7000-8000-0000000000bb' }],
    ['cut between names', { ...CONTEXT, table: 'connectionscredentials', column: '_sealed' }],
  ])('refuses a text that was moved to another %s', (_what, context) => {
    expect(() => vault.open(sealed, context)).toThrow(VaultError);
  });

  it('refuses every single flipped bit', () => {
    for (const part of [2, 3, 4, 5]) {
      const bytes = Buffer.from(sealed.split('.')[part] ?? '', 'base64url');
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const tampered = withPart(sealed, part, () => changed.toString('base64url'));
        expect(() => vault.open(tampered, CONTEXT)).toThrow(VaultError);
      }
    }
  });

  it.each([4, 8, 12, 13, 14, 15, 0])('refuses a tag cut to %i bytes', (bytes) => {
    expect(() =>
      vault.open(
        withPart(sealed, 5, (tag) => truncate(tag, bytes)),
        CONTEXT,
      ),
    ).toThrow(VaultError);
  });

  it.each([60 - 12, 60 - 1, 0])('refuses a wrapped key cut to %i bytes', (bytes) => {
    expect(() =>
      vault.open(
        withPart(sealed, 2, (wrapped) => truncate(wrapped, bytes)),
        CONTEXT,
      ),
    ).toThrow(VaultError);
  });

  it('refuses parts taken from another text of the same row', () => {
    const other = vault.seal('{"refreshToken":"r-2"}', CONTEXT).split('.');
    for (const part of [2, 3, 4, 5]) {
      const mixed = withPart(sealed, part, () => other[part] ?? '');
      expect(() => vault.open(mixed, CONTEXT)).toThrow(VaultError);
    }
  });

  it.each([
    ['a plaintext', 'my-refresh-token'],
    ['nothing', ''],
    ['JSON', '{"accessToken":"a"}'],
    ['another version', sealed.replace(/^v1/, 'v2')],
    ['a seventh part', `${sealed}.AAAA`],
    ['a trailing newline', `${sealed}\n`],
    ['padding', `${sealed}==`],
    ['an empty key id', withPart(sealed, 1, () => '')],
  ])('refuses %s instead of taking it for plaintext', (_what, text) => {
    expect(() => vault.open(text, CONTEXT)).toThrow(VaultError);
    expect(() => vault.keyIdOf(text)).toThrow(VaultError);
  });

  it('refuses a second spelling of the same bytes', () => {
    const last = sealed.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
    const respelled = sealed.slice(0, -1) + twin;
    expect(Buffer.from(twin.padStart(22, 'A'), 'base64url')).toEqual(
      Buffer.from(last.padStart(22, 'A'), 'base64url'),
    );
    expect(() => vault.open(respelled, CONTEXT)).toThrow(VaultError);
  });

  it('refuses a key id that is not configured, and one whose key is another', () => {
    const stranger = createVault([key('k9')]);
    expect(() => stranger.open(sealed, CONTEXT)).toThrow(/needs key k1, which is not configured/);
    const impostor = createVault([key('k1')]);
    expect(() => impostor.open(sealed, CONTEXT)).toThrow(VaultError);
  });

  it('refuses an envelope that names another configured key', () => {
    const shared = key('k1').key;
    const twins = createVault([
      { id: 'k1', key: shared },
      { id: 'k2', key: shared },
    ]);
    const renamed = withPart(twins.seal('text', CONTEXT), 1, () => 'k2');
    expect(() => twins.open(renamed, CONTEXT)).toThrow(VaultError);
  });

  it('names the place in its error, and no content', () => {
    const attempt = () => vault.open('my-refresh-token', CONTEXT);
    expect(attempt).toThrow(/connections\.credentials_sealed of row 0190b1e2/);
    expect(attempt).not.toThrow(/my-refresh-token/);
  });
});

describe('rotation', () => {
  const first = key('k1');
  const second = key('k2');
  const before = createVault([first]);
  const during = createVault([second, first]);
  const after = createVault([second]);

  it('opens what older keys sealed and seals with the first', () => {
    expect(during.open(before.seal('text', CONTEXT), CONTEXT)).toBe('text');
    expect(during.keyIdOf(during.seal('text', CONTEXT))).toBe('k2');
  });

  it('re-wraps a text so that the old key is no longer needed', () => {
    const rewrapped = during.rewrap(before.seal('text', CONTEXT), CONTEXT);
    expect(after.open(rewrapped, CONTEXT)).toBe('text');
    expect(() => before.open(rewrapped, CONTEXT)).toThrow(VaultError);
  });

  it('re-wraps nothing that it could not open', () => {
    const sealed = before.seal('text', CONTEXT);
    expect(() => during.rewrap(sealed, { ...CONTEXT, rowId: 'other' })).toThrow(VaultError);
    expect(() => after.rewrap(sealed, CONTEXT)).toThrow(VaultError);
  });
});
