import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import type { CustomProviderRow } from '../../src/providers/custom-providers.store.ts';
import { createCustomProviders } from '../../src/providers/custom-providers.ts';

const PROJECT = 'project-1';

let version = 0;

/** Each with a version of its own, as the store has it. */
function row(name: string, id = 'acme'): CustomProviderRow {
  version += 1;
  const description = { id, name, auth: 'basic', apiBaseUrl: 'https://acme.example' };
  return { id: `row-${id}`, projectId: PROJECT, provider: `custom:${id}`, description, version };
}

/** A registry over rows that the test changes, with a clock that it moves. */
function start(rows: CustomProviderRow[]) {
  const state = { rows, reads: 0, descriptionsRead: 0, nowMs: 0, isAway: false, warnings: 0 };
  const builtIn = providerFromFile(row('Built-in', 'built-in').description, { allowPrivateNetworks: false });
  const providers = createCustomProviders({
    catalog: createCatalog(builtIn.ok ? [builtIn.provider] : []),
    listVersions: async () => {
      state.reads += 1;
      if (state.isAway) throw new Error('Connection terminated unexpectedly');
      return state.rows;
    },
    findRows: async (_projectId, id) => {
      state.descriptionsRead += 1;
      return state.rows.filter(({ provider }) => provider === id);
    },
    options: { allowPrivateNetworks: false },
    now: () => state.nowMs,
    log: {
      warn: () => {
        state.warnings += 1;
      },
    },
  });
  const nameOf = async (id = 'custom:acme') => (await providers.find(PROJECT, id, null))?.name;
  return { state, providers, nameOf };
}

it('finds a provider of the catalog at once and without the store', () => {
  const { providers, state } = start([]);
  expect(providers.find(PROJECT, 'built-in', null)).toMatchObject({ name: 'Built-in' });
  expect(providers.findEarly(PROJECT, 'nobody')).toBeUndefined();
  expect(state.reads).toBe(0);
});

it('reads a project’s own once, and then finds them at once', async () => {
  const { providers, state, nameOf } = start([row('Acme')]);
  expect(await Promise.all([nameOf(), nameOf()])).toEqual(['Acme', 'Acme']);
  expect(providers.find(PROJECT, 'custom:acme', null)).toMatchObject({ id: 'custom:acme' });
  expect(providers.findEarly(PROJECT, 'custom:acme')).toMatchObject({ id: 'custom:acme' });
  expect(state.reads).toBe(1);
});

it('refuses nothing from memory', async () => {
  const { state, nameOf } = start([]);
  expect(await nameOf()).toBeUndefined();
  state.rows = [row('Acme')];
  expect(await nameOf()).toBe('Acme');
});

it('reads nothing for ids that are guessed before it is known who calls', async () => {
  const { providers, state } = start([row('Acme')]);
  await providers.findEarly(PROJECT, 'custom:guess');
  for (const id of ['custom:a', 'custom:b']) expect(providers.findEarly(PROJECT, id)).toBeUndefined();
  expect(state.reads).toBe(1);
});

it('reads no description but that of the provider which is asked for, each version once', async () => {
  const { state, providers, nameOf } = start([row('Acme'), row('Other', 'other')]);
  await providers.findEarly(PROJECT, 'custom:nothing');
  expect(await nameOf('custom:nothing')).toBeUndefined();
  expect(state.descriptionsRead).toBe(0);
  expect(await nameOf()).toBe('Acme');
  providers.invalidate(PROJECT);
  expect(await nameOf()).toBe('Acme');
  expect(state.descriptionsRead).toBe(1);
});

it('forgets a project that changed, also while it is being read', async () => {
  const { state, providers, nameOf } = start([row('Before')]);
  const early = nameOf();
  state.rows = [row('After')];
  providers.invalidate(PROJECT);
  await early;
  expect(await nameOf()).toBe('After');
});

it('reads again after a minute, and once notices may have been missed', async () => {
  const { state, providers, nameOf } = start([row('Before')]);
  await nameOf();
  state.rows = [row('Later')];
  state.nowMs = 60_001;
  expect(await nameOf()).toBe('Later');
  state.rows = [row('Missed')];
  providers.markAllStale();
  expect(await nameOf()).toBe('Missed');
});

it('goes on with what it holds while the store is away', async () => {
  const { state, providers, nameOf } = start([row('Acme')]);
  await nameOf();
  state.isAway = true;
  providers.markAllStale();
  expect(await nameOf()).toBe('Acme');
  expect(providers.findEarly(PROJECT, 'custom:acme')).toMatchObject({ name: 'Acme' });
  await expect(nameOf('custom:other')).rejects.toMatchObject({ code: 'store_unavailable' });
});

it('leaves out a description that has become invalid, and logs it', async () => {
  const local = row('Local', 'local');
  const description = { ...local.description, apiBaseUrl: 'http://127.0.0.1:9' };
  const { state, nameOf } = start([{ ...local, description }, row('Acme')]);
  expect([await nameOf('custom:local'), await nameOf('custom:acme')]).toEqual([undefined, 'Acme']);
  expect(await nameOf('custom:local')).toBeUndefined();
  expect(state.warnings).toBe(1);
});
