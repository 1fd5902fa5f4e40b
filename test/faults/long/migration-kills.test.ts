import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { migrate } from '../../../src/platform/postgres/migrations.ts';
import { createEncryptionKey } from '../../support/gateway-environment.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { spawnGateway } from '../../support/spawn-gateway.ts';
import { type Phase, startStatementProxy } from '../../support/statement-proxy.ts';

const DIRECTORY = join(import.meta.dirname, '../../../migrations');
const MIGRATIONS = readdirSync(DIRECTORY).filter((name) => /^\d{4}_.*\.ts$/.test(name));
/** Each of a run of its own that is killed at one of its steps; the rest are killed one statement after the other. */
const SPAWNED_KILLS = 5;
const STEPS_BETWEEN = 20;
const LAST_STEPS = 6;

/**
 * Whether a kill leaves something else than one before it: what is in a transaction that does not end leaves nothing, so that of those the
 * end alone counts, before the store has it and after.
 */
function leavesSomething(statement: string, phase: Phase): boolean {
  if (/^(?:select|show|set|begin)\b/i.test(statement)) return false;
  return phase === 'executed' || /^commit\b/i.test(statement);
}

type Ended = { readonly statements: number; readonly isKilled: boolean };

/**
 * A start whose process is gone at its n-th step: to the store it is a process that was killed, since all that it has there are its
 * connections.
 */
async function migrateUntilKilled(url: string, killAt: number): Promise<Ended> {
  let statements = 0;
  const killed = Promise.withResolvers<void>();
  const proxy = await startStatementProxy(url, (statement, phase) => {
    if (!leavesSomething(statement, phase)) return 'go on';
    statements += 1;
    if (statements !== killAt) return 'go on';
    killed.resolve();
    return 'break off';
  });
  const run = migrate({ url: proxy.url, directory: DIRECTORY }).then(
    () => false,
    () => true,
  );
  await Promise.race([run, killed.promise]);
  // A connection that is made now would be held as well, and waited for.
  await proxy.close();
  return { statements, isKilled: await run };
}

async function readSchema(url: string): Promise<string[]> {
  const client = new pg.Client(connectionSettings(url));
  await client.connect();
  const { rows } = await client.query(
    `SELECT format('%s.%s.%s %s %s %s', table_schema, table_name, column_name, data_type, is_nullable, column_default) AS line
       FROM information_schema.columns WHERE table_schema IN ('public', 'job_queue')
      UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname IN ('public', 'job_queue')
      UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint
      UNION ALL SELECT format('invalid %s', indexrelid::regclass) FROM pg_index WHERE NOT indisvalid
      UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT name FROM knex_migrations`,
  );
  await client.end();
  // The days of partitions are those of the start.
  return rows
    .map(({ line }) => String(line))
    .filter((line) => !/_\d{8}\b/.test(line))
    .toSorted();
}

async function countApplied(url: string): Promise<number> {
  const client = new pg.Client(connectionSettings(url));
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT to_regclass('knex_migrations') IS NOT NULL AS is_there`);
    if (!rows[0].is_there) return 0;
    return (await client.query('SELECT count(*)::int AS count FROM knex_migrations')).rows[0].count;
  } finally {
    await client.end();
  }
}

describe('a start that is killed while it migrates', () => {
  it('at any step leaves a store that the next start brings to the schema of an undisturbed one', async () => {
    const [undisturbed, disturbed] = [
      await createTestDatabase({ empty: true }),
      await createTestDatabase({ empty: true }),
    ];
    await migrate({ url: undisturbed.url, directory: DIRECTORY });
    // What a start asks before it finds that nothing is left to do; its last steps come after a migration as well.
    const idle = await migrateUntilKilled(undisturbed.url, Number.POSITIVE_INFINITY);
    const firstStep = Math.max(1, idle.statements - LAST_STEPS);
    let kills = 0;
    let killAt = 1;
    for (let applied = 0; ; ) {
      const { isKilled } = await migrateUntilKilled(disturbed.url, killAt);
      if (!isKilled) break;
      kills += 1;
      const now = await countApplied(disturbed.url);
      // The next one begins where this one ended: at its first statement, or one after that which killed the last.
      killAt = now > applied ? firstStep : killAt + 1;
      applied = now;
    }
    expect(kills).toBeGreaterThan(MIGRATIONS.length * 2);
    expect(await readSchema(disturbed.url)).toEqual(await readSchema(undisturbed.url));
    await disturbed.drop();
    await undisturbed.drop();
  });

  it('with SIGKILL leaves a store with which a gateway starts', async () => {
    const database = await createTestDatabase({ empty: true });
    const env = { ENCRYPTION_KEYS: createEncryptionKey() };
    for (let kill = 1; kill <= SPAWNED_KILLS; kill += 1) {
      let statements = 0;
      const killing = new AbortController();
      const proxy = await startStatementProxy(database.url, () => {
        statements += 1;
        if (statements !== kill * STEPS_BETWEEN) return 'go on';
        killing.abort();
        return 'break off';
      });
      const starting = spawnGateway({ databaseUrl: proxy.url, env }, killing);
      await expect(starting).rejects.toThrow('ended before it was ready (signal SIGKILL)');
      await proxy.close();
    }
    const gateway = await spawnGateway({ databaseUrl: database.url, env });
    expect(await countApplied(database.url)).toBe(MIGRATIONS.length);
    expect(await gateway.stop()).toEqual({ code: 0, signal: null });
    await database.drop();
  });
});
