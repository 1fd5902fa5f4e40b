import { existsSync, readFileSync } from 'node:fs';

const document = readFileSync('docs/security.md', 'utf8');
const section = document.split(/^## /m).find((part) => part.startsWith("One party's load on another")) ?? '';
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| shared'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, shared = '', parted = '', tests = '']) => ({
    shared,
    parted,
    tests: [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
  }));

/** What tenants of one gateway share, whatever else comes. */
const SHARED = [
  ...['calls', 'sockets', 'token requests', 'jobs', 'revocations', 'threads', 'time of the store'],
  ...['bytes of the store', 'rows', 'audit log', 'mails', 'live tails', 'caches', 'names', 'log lines'],
  ...['rate limits', 'event loop'],
];

describe('what tenants share, by the table in docs/security.md,', () => {
  it.each(SHARED)('has a row: %s', (shared) => {
    expect(rows.map((row) => row.shared).filter((text) => text.includes(shared))).not.toEqual([]);
  });

  it.each(rows)('is parted by something that a test holds: $shared', ({ parted, tests }) => {
    expect(parted).not.toBe('');
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !path.startsWith('test/') || !existsSync(path))).toEqual([]);
  });
});
