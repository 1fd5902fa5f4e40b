import { explainRefusal, StartError } from '../../../src/lib/start-error.ts';
import { openKms } from '../../../src/platform/kms/open-kms.ts';
import { createWrappedKeys } from '../../../src/platform/kms/wrapped-keys.ts';
import { kmsFrom } from '../../../src/settings/kms.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { startServices } from './kms-stage.ts';

let stage: Awaited<ReturnType<typeof startServices>>;
let database: TestDatabase;
let warnings: string[];
beforeAll(async () => {
  stage = await startServices();
});
beforeEach(async () => {
  warnings = [];
  database = await createTestDatabase();
});
afterEach(async () => {
  Object.assign(stage.services.vault.trouble, { now: undefined, times: Infinity });
  await database.drop();
});
afterAll(() => stage.close());

const log = { warn: (fields: object) => void warnings.push(JSON.stringify(fields)) };
const allVariables = () =>
  Object.assign({}, ...Object.values(stage.entries).map(({ variables }) => variables));

function keysOf(entries: string, context?: string) {
  const settings = kmsFrom({ ENCRYPTION_KMS: entries, ENCRYPTION_KMS_CONTEXT: context }, allVariables());
  if (settings === undefined) throw new Error('ENCRYPTION_KMS is empty');
  return createWrappedKeys({ settings, open: openKms, log, pausesMs: [1, 1] });
}

const start = (entries: string, context?: string) =>
  keysOf(entries, context).prepare(database.knex, { isOnlyKey: true });
const rows = () => database.knex('key_encryption_keys').orderBy('created_at');
const bytesOf = (keys: Awaited<ReturnType<typeof start>>) =>
  keys.map(({ id, key }) => [id, key.export().toString('hex')]);
const refusalOf = async (work: Promise<unknown>) => {
  const error = await work.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StartError);
  return explainRefusal(error);
};

const VAULT = 'vault-transit:transit/kek';

describe('the keys of a store', () => {
  it('are one key for all processes that start at once on an empty store', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => start(VAULT)));
    const [first] = all.map(bytesOf);
    for (const keys of all) expect(bytesOf(keys)).toEqual(first);
    expect(await rows()).toEqual([expect.objectContaining({ kms: VAULT, state: 'active' })]);
  });

  it('are not stored in the clear', async () => {
    const [key] = await start(VAULT);
    const dump = JSON.stringify(await rows());
    for (const form of ['base64', 'base64url', 'hex'] as const)
      expect(dump).not.toContain(key?.key.export().toString(form));
  });

  it('wait for a service that is in trouble for a moment, and say so', async () => {
    const { trouble } = stage.services.vault;
    Object.assign(trouble, { now: 'busy', times: 2 });
    expect(await start(VAULT)).toHaveLength(1);
    expect(warnings).toHaveLength(2);
    expect(warnings.join()).not.toContain(stage.services.vault.tokens.now);
  });

  it('are refused with a clear reason where the service stays away or refuses', async () => {
    const { trouble } = stage.services.vault;
    trouble.now = 'busy';
    expect(await refusalOf(start(VAULT))).toMatch(
      /^ENCRYPTION_KMS: vault-transit:transit\/kek gives no key: .* answered 503\.\nA gateway that runs/,
    );
    trouble.now = 'refuses';
    const before = stage.services.vault.requests.length;
    expect(await refusalOf(start(VAULT))).toMatch(/answered 403\.\nCheck that the key is there/);
    expect(stage.services.vault.requests.length - before).toBe(1);
    expect(await rows()).toEqual([]);
  });

  it('need no service once they are held', async () => {
    const keys = keysOf(VAULT);
    const held = await keys.prepare(database.knex, { isOnlyKey: true });
    stage.services.vault.trouble.now = 'busy';
    const again = await keys.load(database.knex, new Map(held.map((key) => [key.id, key])));
    expect(bytesOf(again)).toEqual(bytesOf(held));
  });

  it('are wrapped by the first service from then on, when another one is put in front', async () => {
    const before = await start(VAULT);
    const aws = stage.entries.aws.entry;
    expect(await refusalOf(start(aws))).toContain(`ENCRYPTION_KMS=${aws},${VAULT}`);
    expect(bytesOf(await start(`${aws},${VAULT}`))).toEqual(bytesOf(before));
    expect((await rows()).map(({ kms }) => kms)).toEqual([aws]);
    expect(bytesOf(await start(aws))).toEqual(bytesOf(before));
  });

  it('do not open in another installation that may use the same key of the service', async () => {
    await start(VAULT, 'production');
    expect(await refusalOf(start(VAULT, 'staging'))).toContain('for the deployment production');
    await database.knex('key_encryption_keys').update({ deployment: 'staging' });
    expect(await refusalOf(start(VAULT, 'staging'))).toContain('message authentication failed');
  });

  it('are not taken from a row whose key was exchanged', async () => {
    const keys = keysOf(VAULT);
    await keys.prepare(database.knex, { isOnlyKey: true });
    await keys.makeNext(database.knex);
    await database.knex.raw(
      `UPDATE key_encryption_keys SET wrapped = (SELECT wrapped FROM key_encryption_keys WHERE state = 'waiting')`,
    );
    expect(await refusalOf(start(VAULT))).toContain('message authentication failed');
  });
});

describe('the next key', () => {
  it('waits, and is made once', async () => {
    const keys = keysOf(VAULT);
    await keys.prepare(database.knex, { isOnlyKey: true });
    const made = await Promise.all([keys.makeNext(database.knex), keys.makeNext(database.knex)]);
    expect(made.filter((id) => id !== undefined)).toHaveLength(1);
    expect(await keys.makeNext(database.knex)).toBeUndefined();
    expect((await rows()).map(({ state }) => state)).toEqual(['active', 'waiting']);
  });

  it('is the first one of a store whose keys are configured as well', async () => {
    await keysOf(VAULT).prepare(database.knex, { isOnlyKey: false });
    expect((await rows()).map(({ state }) => state)).toEqual(['waiting']);
  });
});
