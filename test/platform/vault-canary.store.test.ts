import { createVault } from '../../src/platform/vault.ts';
import { checkCanary } from '../../src/platform/vault-canary.store.ts';
import { EncryptionKeysError } from '../../src/platform/vault-keys.ts';
import { rewrapOldRows } from '../../src/platform/vault-rotation.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { encryptionKey, plantSealedRows } from './vault-support.ts';

const log = { info: () => undefined, error: () => undefined };

describe('the canary', () => {
  let database: TestDatabase;
  const first = encryptionKey('k1');
  const second = encryptionKey('k2');

  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(async () => {
    await database.drop();
  });

  const check = (...keys: Parameters<typeof createVault>[0]) => checkCanary(database.knex, createVault(keys));
  const canaries = async () =>
    (await database.knex('vault_canaries').orderBy('key_id')).map((row) => row.key_id);

  it('is put in place once per active key and accepted at every later start', async () => {
    await check(first);
    await check(first);
    await check(second, first);
    await check(first, second);
    expect(await canaries()).toEqual(['k1', 'k2']);
  });

  it('refuses a wrong key by its id and names ENCRYPTION_KEYS', async () => {
    await check(first);
    await expect(check(encryptionKey('k1'))).rejects.toThrow(EncryptionKeysError);
    await expect(check(encryptionKey('k1'))).rejects.toThrow(/^ENCRYPTION_KEYS: the key k1 is not the one/);
    await expect(check(second, encryptionKey('k1'))).rejects.toThrow(/the key k1 is not the one/);
    await check(first);
  });

  it('refuses a canary that was changed or exchanged', async () => {
    await check(first);
    await check(second, first);
    await database.knex.raw(
      `UPDATE vault_canaries SET sealed = (SELECT sealed FROM vault_canaries WHERE key_id = 'k1') WHERE key_id = 'k2'`,
    );
    await expect(check(second, first)).rejects.toThrow(/the key k2 is not the one/);
  });

  it('lets exactly one of several different keys win when processes start at once', async () => {
    const rivals = Array.from({ length: 8 }, () => encryptionKey('k1'));
    const outcomes = await Promise.allSettled(rivals.map((rival) => check(rival)));
    const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    expect(winners).toHaveLength(1);
    await check(...winners);
  });

  it('starts any number of processes with the same key at once', async () => {
    await Promise.all(Array.from({ length: 8 }, () => check(first)));
    expect(await canaries()).toEqual(['k1']);
  });

  it('refuses to start without an older key while something needs it, and not afterwards', async () => {
    await check(first);
    await plantSealedRows(database.knex, createVault([first]), 2);
    await expect(check(second)).rejects.toThrow(/the key k1 is missing, and 18 sealed values need it/);
    await check(second, first);
    await rewrapOldRows({ db: database.knex, vault: createVault([second, first]), log });
    await check(second);
  });
});
