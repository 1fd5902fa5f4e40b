import { setImmediate as turn } from 'node:timers/promises';
import { createVault, type Vault } from '../../src/platform/vault.ts';
import { SEALED_COLUMNS } from '../../src/platform/vault-columns.ts';
import { countRowsByKeyId, rewrapOldRows } from '../../src/platform/vault-rotation.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { encryptionKey, plantSealedRows, readTexts } from './vault-support.ts';

const first = encryptionKey('k_1');
const second = encryptionKey('kx1');
const before = createVault([first]);
const during = createVault([second, first]);
const after = createVault([second]);

const ROWS = 7;
const TEXTS = ROWS * 9;

describe('re-wrapping after a rotation', () => {
  let database: TestDatabase;
  const logged: object[] = [];
  const log = { info: () => undefined, error: (fields: object | string) => logged.push(Object(fields)) };

  beforeEach(async () => {
    database = await createTestDatabase();
    logged.length = 0;
  });
  afterEach(async () => {
    await database.drop();
  });

  const rewrap = (vault: Vault, options: { batchSize?: number; signal?: AbortSignal } = {}) =>
    rewrapOldRows({ db: database.knex, vault, log, ...options });

  it('knows every sealed column of the schema', async () => {
    const { rows } = await database.knex.raw(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name LIKE '%\\_sealed' AND data_type <> 'bytea' ORDER BY 1`,
    );
    // Payloads (bytea) are sealed with data keys, which are texts of the vault themselves.
    const known = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
    expect(rows.map(({ name }: { name: string }) => name).sort()).toEqual(known);
  });

  it('seals every text of every column again, after which the old key can go', async () => {
    const { projectId, texts } = await plantSealedRows(database.knex, before, ROWS);
    expect(await countRowsByKeyId(database.knex)).toEqual(new Map([['k_1', TEXTS]]));
    expect(await rewrap(during, { batchSize: 3 })).toEqual({ rewrapped: TEXTS, skipped: 0, unreadable: 0 });
    expect(await countRowsByKeyId(database.knex)).toEqual(new Map([['kx1', TEXTS]]));
    expect(await readTexts(database.knex, after, projectId, texts)).toEqual(texts.map(({ text }) => text));
    const reply = await database.knex('idempotency_keys').where({ key: '3' }).first();
    const context = { table: 'idempotency_keys', column: 'reply_sealed', projectId: '' };
    expect(after.open(reply.reply_sealed, { ...context, rowId: `${reply.principal} 3` })).toBe('reply 3');
  });

  it('changes nothing when every text has the active key', async () => {
    await plantSealedRows(database.knex, before, 2);
    const sealed = await database.knex('connections').select('credentials_sealed', 'version').orderBy('id');
    expect(await rewrap(before)).toEqual({ rewrapped: 0, skipped: 0, unreadable: 0 });
    expect(await database.knex('connections').select('credentials_sealed', 'version').orderBy('id')).toEqual(
      sealed,
    );
  });

  it('can be stopped after any row and resumed until nothing is left', async () => {
    const { projectId, texts } = await plantSealedRows(database.knex, before, 3);
    let rewrapped = 0;
    let runs = 0;
    for (let done = false; !done; runs += 1) {
      const abort = new AbortController();
      const stopping = stopAfter(during, 5, abort);
      const result = await rewrap(stopping, { batchSize: 2, signal: abort.signal });
      rewrapped += result.rewrapped;
      done = result.rewrapped === 0;
      expect(await readTexts(database.knex, during, projectId, texts)).toEqual(texts.map(({ text }) => text));
    }
    expect(rewrapped).toBe(27);
    expect(runs).toBe(7);
    expect(await countRowsByKeyId(database.knex)).toEqual(new Map([['kx1', 27]]));
  });

  it('leaves every row readable when the store dies in the middle of it', async () => {
    const { projectId, texts } = await plantSealedRows(database.knex, before, 3);
    const dying: Vault = {
      ...during,
      rewrap: (sealed, context) => {
        if (context.table === 'connections') throw new Error('killed here');
        return during.rewrap(sealed, context);
      },
    };
    await expect(rewrap(dying)).rejects.toThrow('killed here');
    expect((await countRowsByKeyId(database.knex)).get('kx1')).toBeGreaterThan(0);
    expect(await readTexts(database.knex, during, projectId, texts)).toEqual(texts.map(({ text }) => text));
    await rewrap(during);
    expect(await readTexts(database.knex, after, projectId, texts)).toEqual(texts.map(({ text }) => text));
  });

  it('never overwrites a token that was refreshed between reading and writing', async () => {
    const { projectId } = await plantSealedRows(database.knex, before, 3);
    const refreshed: Promise<unknown>[] = [];
    const fresh = (id: string) => ({
      table: 'connections',
      column: 'credentials_sealed',
      rowId: id,
      projectId,
    });
    const { rowId } = fresh((await database.knex('connections').orderBy('id').first('id')).id);
    // The refresh commits after the row was read, while its text is being sealed again.
    const slow = beforeUpdate(database, 'connections', async () => {
      if (refreshed.length > 0) return;
      const update = database
        .knex('connections')
        .where({ id: rowId })
        .update({ credentials_sealed: during.seal('refreshed', fresh(rowId)) });
      refreshed.push(update);
      await update;
    });
    const result = await rewrapOldRows({ db: slow, vault: during, log });
    expect(result).toEqual({ rewrapped: 26, skipped: 1, unreadable: 0 });
    const row = await database.knex('connections').where({ id: rowId }).first();
    expect(after.open(row.credentials_sealed, fresh(rowId))).toBe('refreshed');
  });

  it('loses no write when it runs twice at once under a storm of refreshes', async () => {
    const { projectId } = await plantSealedRows(database.knex, before, 12);
    const ids: string[] = (await database.knex('connections').select('id')).map(({ id }) => id);
    const latest = new Map<string, string>();
    let storming = true;
    const storm = (async () => {
      for (let round = 0; storming; round += 1) {
        const rowId = ids[round % ids.length] ?? '';
        const text = `round ${round}`;
        // Replicas that still have the old configuration seal with the old key.
        const vault = round % 2 === 0 ? before : during;
        const sealed = vault.seal(text, {
          table: 'connections',
          column: 'credentials_sealed',
          rowId,
          projectId,
        });
        await database.knex('connections').where({ id: rowId }).update({ credentials_sealed: sealed });
        latest.set(rowId, text);
        await turn();
      }
    })();
    await Promise.all([rewrap(during, { batchSize: 2 }), rewrap(during, { batchSize: 3 })]);
    storming = false;
    await storm;
    await rewrap(during);
    expect([...(await countRowsByKeyId(database.knex)).keys()]).toEqual(['kx1']);
    expect(latest.size).toBeGreaterThan(0);
    for (const [rowId, text] of latest) {
      const { credentials_sealed } = await database.knex('connections').where({ id: rowId }).first();
      const context = { table: 'connections', column: 'credentials_sealed', rowId, projectId };
      expect(after.open(credentials_sealed, context)).toBe(text);
    }
  });

  it('tells of texts that cannot be opened, goes on with the rest and shows none of them', async () => {
    await plantSealedRows(database.knex, before, 2);
    const { id } = await database.knex('connections').first('id');
    await database.knex('connections').where({ id }).update({ credentials_sealed: 'eyJh.plain-text.token' });
    expect(await rewrap(during)).toEqual({ rewrapped: 17, skipped: 0, unreadable: 1 });
    expect(await countRowsByKeyId(database.knex)).toEqual(
      new Map([
        ['kx1', 17],
        ['', 1],
      ]),
    );
    expect(logged).toHaveLength(1);
    expect(String(Object.values(logged[0] ?? {})[0])).toContain(
      `connections.credentials_sealed of row ${id}`,
    );
    expect(JSON.stringify(logged)).not.toContain('plain-text');
  });

  it('passes over a row that another transaction has locked', async () => {
    await plantSealedRows(database.knex, before, 1);
    const holder = await database.knex.transaction();
    await holder.raw('SELECT 1 FROM connections FOR UPDATE');
    expect(await rewrap(during)).toEqual({ rewrapped: 8, skipped: 1, unreadable: 0 });
    await holder.rollback();
    expect((await rewrap(during)).rewrapped).toBe(1);
  });
});

/** Aborts the run when `count` texts have been sealed again. */
function stopAfter(vault: Vault, count: number, abort: AbortController): Vault {
  let sealed = 0;
  return {
    ...vault,
    rewrap: (text, context) => {
      sealed += 1;
      if (sealed === count) abort.abort();
      return vault.rewrap(text, context);
    },
  };
}

/** The database, with `action` done before each UPDATE of `table`. */
function beforeUpdate(database: TestDatabase, table: string, action: () => Promise<void>) {
  return new Proxy(database.knex, {
    get: (target, name) => {
      if (name !== 'raw') return Reflect.get(target, name);
      return async (sql: string, bindings: string[]) => {
        if (sql.startsWith(`UPDATE ${table} `)) await action();
        return target.raw(sql, bindings);
      };
    },
  });
}
