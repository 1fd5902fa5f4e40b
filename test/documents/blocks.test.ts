import { listCodeBlocks, listCommandBlocks, listPages } from '../support/page-blocks.ts';

/** Languages of blocks that are no programs: what they hold is data, or a drawing. */
const DATA: ReadonlySet<string> = new Set([
  'json',
  'yaml',
  'http',
  'ini',
  'nginx',
  'caddyfile',
  'sql',
  'text',
]);
const PROGRAMS: ReadonlySet<string> = new Set([
  ...['js', 'jsx', 'ts', 'python', 'go', 'ruby', 'php', 'java', 'csharp'],
]);

const pages = listPages();

describe('blocks of commands in the documents', () => {
  it('are run by a test, or say in a few words why none runs them', () => {
    const blocks = pages.flatMap(listCommandBlocks);
    expect(blocks.length).toBeGreaterThan(50);
    const reasons = blocks.flatMap(({ attributes }) => attributes.get('no-run') ?? []);
    for (const reason of reasons) expect(reason.length).toBeGreaterThan(15);
    // Most of them run: a page that marks all its blocks has stopped being held to what it says.
    expect(reasons.length).toBeLessThan(blocks.length / 2);
  });

  it('do not promise output where they are not run', () => {
    const empty = pages
      .flatMap(listCommandBlocks)
      .filter(({ attributes, printed }) => attributes.has('no-run') && printed.length > 0)
      .map(({ page, line }) => `${page}:${line}`);
    expect(empty).toEqual([]);
  });
});

describe('blocks of code in the documents', () => {
  it('are in languages that a test knows', () => {
    const unknown = pages
      .flatMap(listCodeBlocks)
      .filter(({ language }) => !DATA.has(language) && !PROGRAMS.has(language))
      .map(({ page, line, language }) => `${page}:${line} ${language}`);
    expect(unknown).toEqual([]);
  });
});
