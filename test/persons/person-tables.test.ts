import knexModule, { type Knex } from 'knex';
import { PERSON_COLUMNS, PERSON_TABLES } from '../../src/persons/person-tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';

let database: TestDatabase;
let db: Knex;

beforeAll(async () => {
  database = await createTestDatabase();
  db = knexModule({ client: 'pg', connection: database.url });
});
afterAll(async () => {
  await db?.destroy();
  await database?.drop();
});

/** Operators are not persons of a project; their rows have a `subject` of another kind. */
const OF_OPERATORS = ['operator_identities'];

it('knows how every table that names a person or a connection is erased', async () => {
  const { rows } = await db.raw<{ rows: { name: string; column: string; target: string | null }[] }>(
    `SELECT c.relname AS name, a.attname AS column,
       (SELECT f.confrelid::regclass::text FROM pg_constraint AS f
         WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY (f.conkey)
           AND f.confrelid IN ('end_users'::regclass, 'connections'::regclass, 'user_erasures'::regclass) LIMIT 1) AS target
     FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const naming = rows
    .filter(({ column, target }) => PERSON_COLUMNS.test(column) || target !== null)
    .map(({ name }) => name);
  // These name persons in a column that is called otherwise.
  const besides = ['activity', 'connections', 'end_users', 'user_erasure_outcomes'];
  const found = [...new Set([...naming, ...besides])].filter((name) => !OF_OPERATORS.includes(name));
  expect(found.sort()).toEqual(Object.keys(PERSON_TABLES).sort());
});
