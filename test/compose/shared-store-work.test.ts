import { setImmediate as turn } from 'node:timers/promises';
import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import { createRevocationsStore } from '../../src/credentials/revoking/revocations.store.ts';
import { createRevocations } from '../../src/credentials/revoking/revocations.worker.ts';
import { createFindAccessKey } from '../../src/identity/api-keys/find-access-key.ts';
import { createAnnouncedCache } from '../../src/platform/announced-cache.ts';
import { countStoreTime, limitStoreTime } from '../../src/platform/postgres/store-time.ts';
import { createKnownOrigins } from '../../src/projects/known-origins.ts';
import { createCustomProviders } from '../../src/providers/custom-providers.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault } from '../support/rows.ts';

const database = await createTestDatabase({ empty: true });
afterAll(() => database.drop());

const now = () => 0;
const quiet = { warn: () => undefined };

/** Begins work that others share, which asks the store by `ask`. */
const SHARED: Record<string, (ask: () => Promise<void>) => unknown> = {
  'a read of the announced cache': (ask) =>
    createAnnouncedCache<string>({
      entriesMax: 1,
      load: () => ask().then(() => 'value'),
      onBackgroundError: () => undefined,
      now,
    }).load('key', undefined),

  'a batch of credentials': (ask) =>
    createFindAccessKey({
      find: async () => undefined,
      findMany: () => ask().then(() => new Map([['key', { isExpired: false }]])),
      now,
    })('key', true),

  'a batch of web origins': (ask) =>
    createKnownOrigins({ findKnownOrigins: () => ask().then(() => []), now }).isKnown('https://app.example'),

  'the providers of a project': (ask) =>
    createCustomProviders({
      catalog: createCatalog([]),
      listVersions: () => ask().then(() => []),
      findRows: async () => [],
      options: { allowPrivateNetworks: false },
      now,
      log: quiet,
    }).find('project', 'custom:acme', null),

  'a claim of revocations': (ask) => {
    const db = database.knex;
    const store = createRevocationsStore({ db, vault: createTestVault() });
    createRevocations({
      db,
      store: { ...store, claimDueOfAnyProject: () => ask().then(() => []) },
      tokenEndpoint: { revoke: async () => ({ ok: true }) },
      isConsentHeld: async () => false,
      recordActivity: async () => undefined,
      log: quiet,
    }).soon();
  },
};

describe('what requests share', () => {
  it.each(Object.entries(SHARED))('%s is not cut with the request that began it', async (_name, begin) => {
    const leftMs: Array<number | undefined> = [];
    const ask = () =>
      countStoreTime(async (left) => {
        leftMs.push(left);
      });
    await limitStoreTime(async () => {
      await Promise.resolve(begin(ask)).catch(() => undefined);
      // `soon` is a turn later.
      await turn();
      await turn();
    }, 60_000);
    expect(leftMs).toEqual([undefined]);
  });
});
