import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  EncryptionKeysError,
  generateEncryptionKeyFile,
  parseEncryptionKeys,
} from '../../src/platform/vault-keys.ts';

const random = () => randomBytes(32).toString('base64');
const ids = (text: string) => parseEncryptionKeys(text).map(({ id }) => id);

describe('ENCRYPTION_KEYS', () => {
  it('lists keys in order, the active one first', () => {
    expect(ids(`k2:${random()}, k1:${random()}`)).toEqual(['k2', 'k1']);
  });

  it('takes base64url and missing padding as the same key', () => {
    const bytes = randomBytes(32);
    const [padded] = parseEncryptionKeys(`k:${bytes.toString('base64')}`);
    const [bare] = parseEncryptionKeys(`k:${bytes.toString('base64url')}`);
    expect(padded && bare?.key.equals(padded.key)).toBe(true);
  });

  it.each([
    ['nothing', '', 'entry 1 has no id'],
    ['a key without an id', random(), 'entry 1 has no id'],
    ['a trailing comma', `k1:${random()},`, 'entry 2 has no id'],
    ['an id with a dot', `k.1:${random()}`, 'the id of entry 1 must be'],
    ['a long id', `${'k'.repeat(33)}:${random()}`, 'the id of entry 1 must be'],
    ['no key', 'k1:', 'the key k1 is not base64'],
    ['a key in hex', `k1:${randomBytes(32).toString('hex')}`, 'instead of 32'],
    ['a key with stray characters', `k1:${random()}!`, 'the key k1 is not base64'],
    ['16 bytes', `k1:${randomBytes(16).toString('base64')}`, 'has 16 bytes instead of 32'],
    ['33 bytes', `k1:${randomBytes(33).toString('base64')}`, 'has 33 bytes instead of 32'],
    ['zeros', `k1:${Buffer.alloc(32).toString('base64')}`, 'is all zeros'],
    ['one repeated byte', `k1:${Buffer.alloc(32, 7).toString('base64')}`, 'repeats itself'],
    ['a counter', `k1:${Buffer.from([...Array(32).keys()]).toString('base64')}`, 'is a sample key'],
    ['a text', `k1:${Buffer.from('change-me-to-32-random-bytes!!!!').toString('base64')}`, 'is a text'],
    [
      'a weak older key',
      `k2:${random()},k1:${Buffer.alloc(32).toString('base64')}`,
      'the key k1 is all zeros',
    ],
    ['an id twice', `k1:${random()},k1:${random()}`, 'the id k1 is used twice'],
  ])('refuses %s and says why', (_what, text, reason) => {
    expect(() => parseEncryptionKeys(text)).toThrow(EncryptionKeysError);
    expect(() => parseEncryptionKeys(text)).toThrow(`ENCRYPTION_KEYS: `);
    expect(() => parseEncryptionKeys(text)).toThrow(reason);
  });

  it('shows no key in an error or when inspected', () => {
    const secret = randomBytes(31).toString('base64');
    for (const text of [secret, `k1:${secret}`, `${secret}:k1`, `k1:${secret}?`]) {
      expect(() => parseEncryptionKeys(text)).toThrow(EncryptionKeysError);
      expect(() => parseEncryptionKeys(text)).not.toThrow(secret.slice(0, 8));
    }
    const good = random();
    expect(inspect(parseEncryptionKeys(`k1:${good}`), { depth: 9, showHidden: true })).not.toContain(good);
  });
});

describe('the generated key file', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-keys-'));
  });
  afterEach(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  it('holds one usable key, readable by its owner only, and nothing is left beside it', async () => {
    const path = join(directory, 'new', 'keys');
    const text = generateEncryptionKeyFile(path);
    expect(parseEncryptionKeys(text)).toHaveLength(1);
    expect((await readFile(path, 'utf8')).trim()).toBe(text);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(directory, 'new'))).toEqual(['keys']);
  });

  it('is written once and then only read', async () => {
    const path = join(directory, 'keys');
    expect(generateEncryptionKeyFile(path)).toBe(generateEncryptionKeyFile(path));
    await writeFile(path, 'kept:as-it-is\n');
    expect(generateEncryptionKeyFile(path)).toBe('kept:as-it-is');
  });

  it('is the same for processes that start at once', async () => {
    const path = join(directory, 'keys');
    const script = join(directory, 'generate.mjs');
    const module = new URL('../../src/platform/vault-keys.ts', import.meta.url).href;
    await writeFile(
      script,
      `import { generateEncryptionKeyFile } from ${JSON.stringify(module)};
       process.once('message', () => process.send(generateEncryptionKeyFile(${JSON.stringify(path)}), () => process.exit()));
       process.send('ready');`,
    );
    const children = Array.from({ length: 4 }, () => fork(script, { execArgv: [] }));
    await Promise.all(children.map((child) => once(child, 'message')));
    const texts = await Promise.all(
      children.map(async (child) => {
        const answered = once(child, 'message');
        child.send('go');
        return (await answered)[0];
      }),
    );
    expect(new Set(texts)).toEqual(new Set([(await readFile(path, 'utf8')).trim()]));
    expect((await readdir(directory)).sort()).toEqual(['generate.mjs', 'keys']);
  });
});
