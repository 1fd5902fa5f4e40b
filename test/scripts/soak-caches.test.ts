import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { shrinkCaches } from '../../bench/soak/caches.ts';

const SOURCES = join(import.meta.dirname, '../../src');

describe('the caches of a soak', () => {
  it.each(['lib/entries-up-to.ts', 'identity/verification/verified-tokens.ts'])(
    'are small where %s has their bound',
    async (file) => {
      const path = join(SOURCES, file);
      const text = await readFile(path, 'utf8');
      const small = shrinkCaches(7)(path, text);
      expect(small).not.toBe(text);
      expect(small).toContain('7');
      expect(() => shrinkCaches(7)(path, text.replaceAll(/count|ENTRIES_MAX/g, 'other'))).toThrow('No bound');
    },
  );

  it('leave every other module as it is', () => {
    expect(shrinkCaches(7)('/src/lib/ids.ts', 'const ENTRIES_MAX = 10_000;')).toBe(
      'const ENTRIES_MAX = 10_000;',
    );
  });
});
