import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { createDatabase } from '../../../src/platform/postgres/database.ts';

/**
 * A gateway's stand-in, to be killed: starts the embedded Postgres with the options in its argument, prints
 * {"url","pid"} on a line, then inserts rows for ever and prints each number once its row is committed. An optional
 * second argument makes it, being root, go on as that ordinary user.
 */
const [options, ids] = process.argv.slice(2).map((argument): unknown => JSON.parse(argument));
if (isIds(ids)) {
  // knex loads its dialect at first use, from a directory that the ordinary user may not be able to reach.
  await createDatabase({ url: 'postgresql://localhost/none', applicationName: 'none', poolMax: 1 }).close();
  process.setgroups?.([]);
  process.setgid?.(ids.gid);
  process.setuid?.(ids.uid);
}
const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  if (!hasDataDir(options)) throw new Error('no dataDir given');
  const server = await startEmbeddedPostgres({ log, ...options });
  say({ url: server.url, pid: server.pid(), dataDir: server.dataDir });
  const { knex } = createDatabase({ url: server.url, applicationName: 'writer', poolMax: 2 });
  await knex.raw('CREATE TABLE IF NOT EXISTS written (number serial PRIMARY KEY)');
  for (;;) {
    const { rows } = await knex.raw('INSERT INTO written DEFAULT VALUES RETURNING number');
    say(rows[0].number);
  }
} catch (error) {
  say({ error: String(error) });
  process.exitCode = 1;
}

function isIds(value: unknown): value is { uid: number; gid: number } {
  return typeof value === 'object' && value !== null && 'uid' in value && 'gid' in value;
}

function hasDataDir(value: unknown): value is { dataDir: string; testMode?: boolean; packageDir?: string } {
  return (
    typeof value === 'object' && value !== null && 'dataDir' in value && typeof value.dataDir === 'string'
  );
}
