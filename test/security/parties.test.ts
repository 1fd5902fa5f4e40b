import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

/** Rows of the table of parties, by their cells. */
const rows = (page.split('| party |')[1]?.split('\n\n')[0] ?? '')
  .split('\n')
  .slice(2)
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

const listNamed = (cell: string, pattern: RegExp) => [...cell.matchAll(pattern)].map(([, name = '']) => name);
const isThere = (name: string) => existsSync(join(ROOT, name));

describe('the parties of the threat model', () => {
  it('are all those that take part', () => {
    const parties = rows.map(([party = '']) => party.split(' (')[0]);
    for (const party of [
      'API key',
      'tenant',
      'end user',
      'application',
      'provider',
      'agent',
      'store',
      'network in front',
    ])
      expect(parties).toContain(party);
    expect(rows.filter((cells) => cells.length !== 5)).toEqual([]);
  });

  it.each(rows.map(([party = '', ...cells]) => [party, cells] as const))(
    'what holds the %s back is in files that there are, and tests show it',
    (party, [trusted = '', distrusted = '', enforced = '', shown = '']) => {
      const files = listNamed(enforced, /`(src\/[\w./-]+)`/g);
      const tests = listNamed(shown, /`(test\/[\w./-]+)`/g);
      expect(trusted).not.toBe('');
      expect(tests.length).toBeGreaterThan(0);
      if (party === 'operator of the machine') return;
      expect(distrusted).not.toBe('');
      expect(files.length).toBeGreaterThan(0);
      expect([...files, ...tests].filter((name) => !isThere(name))).toEqual([]);
    },
  );
});

it('every test that the page names is there', () => {
  const tests = listNamed(page, /`(test\/[\w./-]+)\*?`/g);
  const found = (name: string) => isThere(name) || isThere(`${name}.ts`) || isThere(`${name}.test.ts`);
  expect(tests.length).toBeGreaterThan(50);
  expect(tests.filter((name) => !found(name))).toEqual([]);
});
