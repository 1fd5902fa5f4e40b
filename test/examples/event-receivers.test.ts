import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  type EventReceiver,
  NODE_RECEIVERS,
  RECEIVER_CHECKS,
  RECEIVERS,
  startEventReceiver,
} from '../support/event-receivers.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const ROOT = join(import.meta.dirname, '../..');
const PROGRAM = /\.(?:mjs|js|py|rb|go|java)$/;

describe('docs/receiving-events.md', () => {
  it('shows every receiver word for word', async () => {
    const page = await readFile(join(ROOT, 'docs/receiving-events.md'), 'utf8');
    const shown = [...page.matchAll(/^\[`(.+)`\]\(\.\.\/\1\)\n\n```\w+\n([\s\S]*?)^```$/gm)];
    const files = await readdir(RECEIVERS, { recursive: true, withFileTypes: true });
    const paths = files
      .filter((file) => file.isFile() && PROGRAM.test(file.name))
      .map((file) => join(file.parentPath, file.name));
    const programs = await Promise.all(
      paths.map(async (path) => [relative(ROOT, path), await readFile(path, 'utf8')] as const),
    );
    expect(programs.length).toBe(8);
    expect(Object.fromEntries(shown.map(([, path, text]) => [path, text]))).toEqual(
      Object.fromEntries(programs),
    );
  });
});

describe.each(Object.entries(NODE_RECEIVERS))('the receiver for %s', (_name, command) => {
  let database: TestDatabase;
  let receiver: EventReceiver;

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    await database.knex.raw('CREATE TABLE inbox (id text PRIMARY KEY, body text NOT NULL)');
    receiver = await startEventReceiver(command, { env: { DATABASE_URL: database.url } });
  });
  afterAll(async () => {
    await receiver?.stop();
    await database?.drop();
  });

  it.each(Object.entries(RECEIVER_CHECKS))('%s', async (_claim, check) => {
    expect(await check(receiver)).toBe('');
  });

  it('keeps the body as it came', async () => {
    const [{ body }] = await database.knex('inbox').limit(1);
    expect(body).toContain('"data":{"n":12345678901234567890,');
  });

  it('does not answer 2xx for what it could not store', async () => {
    await database.knex.raw('ALTER TABLE inbox RENAME TO elsewhere');
    expect(await RECEIVER_CHECKS['stores a good delivery']?.(receiver)).toBe('answered 500');
  });
});
