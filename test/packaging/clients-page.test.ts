import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/clients.md');

describe('docs/clients.md', () => {
  const rows = [...page.matchAll(/^\| \[`([^`]+)`\]\(#\w+\) \| ([\d.]+) \|/gm)];

  it('names the versions that are installed for the tests', () => {
    const { devDependencies } = JSON.parse(read('test-clients/package.json'));
    const written = rows.map(([, name = '', version]) => [name, version]);
    expect(written).toHaveLength(11);
    expect(written).toEqual(rows.map(([, name = '']) => [name, devDependencies[name]]));
  });

  it('shows the function that the tests use, letter for letter but for its types', () => {
    const tested = stripTypeScriptTypes(read('test-clients/provider-apis/gateway-fetch.ts'));
    const shown = /```js\n(export function gatewayFetch[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const words = (code: string) => code.replace(/\/\*\*[\s\S]*?\*\//, '').replace(/\s+/g, '');
    expect(words(shown)).toBe(words(tested));
  });

  it('has lines to copy for every client of its table', () => {
    const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
    const missing = rows.filter(([, name]) => !blocks.some((code) => code?.includes(`from '${name}';`)));
    expect(missing).toEqual([]);
  });
});
