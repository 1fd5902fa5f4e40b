import { findMistypedVariables } from '../src/config.ts';

const find = (...names: string[]) =>
  findMistypedVariables(Object.fromEntries(names.map((name) => [name, 'x'])), '/nonexistent').map(
    ({ meant }) => meant,
  );

it.each([
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['ENCRYPTION_KEY', 'ENCRYPTION_KEYS'],
  ['DATABASE_URI', 'DATABASE_URL'],
])('%s is taken for %s', (name, meant) => {
  expect(find(name)).toEqual([meant]);
});

it('names of others, and one beside the right one, are left alone', () => {
  const others = [
    'PATH',
    'HOME',
    'HOSTNAME',
    'NODE_ENV',
    'HTTP_PROXY',
    'PGPORT',
    'SMTP_HOST',
    'LANG',
    'SHELL',
  ];
  expect(find(...others, 'ENCRYPTION_KEYS_FILE', 'PUBLIC_URL', 'PUBLIC_URI')).toEqual([]);
});
