import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { createSecretRecordsStore } from '../../src/integrations/secrets/secret-records.store.ts';
import { isUuid, newId } from '../../src/lib/ids.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

const run = promisify(execFile);
const MIGRATIONS = resolve(import.meta.dirname, '../../migrations');
const MIGRATE = resolve(import.meta.dirname, '../../src/platform/postgres/migrations.ts');
const records = createSecretRecordsStore();

let database: TestDatabase;
const projectId = newId();
const setBefore = newId();
const rotatedBefore = newId();

async function migrate(directory: string): Promise<void> {
  const program = `import { migrate } from ${JSON.stringify(MIGRATE)};
    await migrate(${JSON.stringify({ url: database.url, directory })});`;
  await run(process.execPath, ['--input-type=module', '--eval', program]);
}

const row = (id: string, more: object = {}) => ({
  id,
  project_id: projectId,
  service_provider: 'acme',
  client_secret_sealed: 'sealed',
  created_by: projectId,
  updated_by: projectId,
  ...more,
});

const kinds = async (id: string) =>
  (await records.list(database.knex, { id, projectId })).map(({ kind, age }) => `${age} ${kind}`);

/** As a release does that does not know the records. */
const rotate = (id: string, more: object = { previous_client_secret_sealed: 'before' }) =>
  database
    .knex('integrations')
    .where({ id })
    .update({
      client_secret_sealed: 'after',
      client_secret_rotated_at: database.knex.raw('clock_timestamp()'),
      ...more,
    });

beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  const directory = await mkdtemp(join(tmpdir(), 'gateway-migrations-'));
  const earlier = (await readdir(MIGRATIONS)).filter((name) => name < '0018');
  for (const name of earlier.filter((one) => one.endsWith('.ts'))) {
    await cp(join(MIGRATIONS, name), join(directory, name));
  }
  await migrate(directory);
  await database.knex('projects').insert({ id: projectId, name: 'Before' });
  await database.knex('integrations').insert([
    row(setBefore),
    row(rotatedBefore, {
      previous_client_secret_sealed: 'before',
      client_secret_rotated_at: new Date('2026-11-20'),
      webhook_secret_sealed: 'sealed',
    }),
  ]);
  await migrate(MIGRATIONS);
  await rm(directory, { recursive: true });
});

afterAll(() => database?.drop());

describe('records of secrets', () => {
  it('are made for the secrets that there were before', async () => {
    expect(await kinds(setBefore)).toEqual(['newer client']);
    expect(await kinds(rotatedBefore)).toEqual(['newer client', 'older client', 'newer webhook']);
    const [newer, older] = await records.list(database.knex, { id: rotatedBefore, projectId });
    expect(newer?.createdAt).toEqual(new Date('2026-11-20'));
    expect(older?.triedUntil).toEqual(new Date('2026-11-27'));
    expect(isUuid(newer?.id ?? '')).toBe(true);
  });

  it('follow what a release does that does not know them', async () => {
    const id = newId();
    await database.knex('integrations').insert(row(id));
    const [first] = await records.list(database.knex, { id, projectId });
    await rotate(id);
    const [second, older] = await records.list(database.knex, { id, projectId });
    expect(older?.id).toBe(first?.id);
    await rotate(id);
    expect((await records.list(database.knex, { id, projectId }))[1]?.id).toBe(second?.id);
    await rotate(id, { client_secret_sealed: null, previous_client_secret_sealed: null });
    expect(await kinds(id)).toEqual([]);
  });

  it('stay as they are when secrets are sealed again', async () => {
    const id = newId();
    await database.knex('integrations').insert(row(id));
    await rotate(id);
    const before = await records.list(database.knex, { id, projectId });
    const resealed = { client_secret_sealed: 'again', previous_client_secret_sealed: 'again' };
    await database.knex('integrations').where({ id }).update(resealed);
    expect(await records.list(database.knex, { id, projectId })).toEqual(before);
  });

  it('note a verdict once an hour, or when it changes', async () => {
    const id = newId();
    await database.knex('integrations').insert(row(id));
    const read = async () => (await records.list(database.knex, { id, projectId }))[0];
    const secretId = (await read())?.id ?? '';
    const note = (verdict: 'worked' | 'refused') => records.noteVerdict(database.knex, secretId, verdict);
    await note('worked');
    const worked = (await read())?.lastWorkedAt;
    await note('worked');
    expect((await read())?.lastWorkedAt).toEqual(worked);
    await note('refused');
    await note('worked');
    const again = await read();
    expect(again?.lastWorkedAt?.getTime()).toBeGreaterThan(worked?.getTime() ?? Number.POSITIVE_INFINITY);
    expect(again?.lastRefusedAt).toBeInstanceOf(Date);
  });
});
