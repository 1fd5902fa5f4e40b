import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/clients.md');

describe('docs/clients.md', () => {
  const rows = [...page.matchAll(/^\| \[`([^`]+)`\]\(#[\w-]+\) \| ([\d.]+) \|/gm)];
  // One makes a header field, and is no client of a provider.
  const { wsse: _field, ...clients } = JSON.parse(read('test-clients/package.json')).devDependencies;

  it('names every client that the tests install, in its version', () => {
    const written = rows.map(([, name = '', version]) => [name, version]);
    expect(Object.fromEntries(written)).toEqual(clients);
    expect(written).toHaveLength(Object.keys(clients).length);
  });

  it('says of no client that it is run by the tests unless it is', () => {
    const tables = readdirSync(join(ROOT, 'test-clients/tried')).map((name) =>
      read(`test-clients/tried/${name}`),
    );
    const run = tables.flatMap((table) =>
      [...table.matchAll(/^ {4}client: '([^']+)',$/gm)].map(([, name]) => name),
    );
    const signing = read('test-clients/aws-clients.test.ts').matchAll(/from '(@aws-sdk\/[^']+)'/g);
    run.push(...[...signing].map(([, name]) => name));
    expect(run.toSorted()).toEqual(Object.keys(clients).toSorted());
  });

  it('shows the function that the tests use, letter for letter but for its types', () => {
    const tested = stripTypeScriptTypes(read('test-clients/provider-apis/gateway-fetch.ts'));
    const shown = /```js\n(export function gatewayFetch[\s\S]*?)```/.exec(page)?.[1] ?? '';
    const words = (code: string) => code.replace(/\/\*\*[\s\S]*?\*\//, '').replace(/\s+/g, '');
    expect(words(shown)).toBe(words(tested));
  });

  it('has lines to copy for every client of its table', () => {
    const blocks = [...page.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code);
    const missing = rows.filter(
      ([, name]) => !blocks.some((code) => /from '([^']+)';/.exec(code ?? '')?.[1]?.startsWith(name ?? '')),
    );
    expect(missing).toEqual([]);
  });
});
