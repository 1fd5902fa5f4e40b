import {
  createProviderEvidenceStore,
  type EvidenceToKeep,
} from '../../src/diagnosis/provider-evidence.store.ts';
import { createProviderEvidence } from '../../src/diagnosis/provider-evidence.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { insertProject } from '../support/rows.ts';

const PROJECT = '018f0000-0000-7000-8000-000000000001';

describe('what worked at providers', () => {
  it('is counted in memory, and written by provider, version of its file and fact', async () => {
    const kept: EvidenceToKeep[] = [];
    let provider = acmeProvider();
    const { noteWorked, flush } = createProviderEvidence({
      store: { keep: async (rows) => void kept.push(...rows) },
      providers: { find: async (_project, id) => (id === 'acme' ? provider : undefined) },
    });
    noteWorked(PROJECT, 'acme', 'refresh');
    noteWorked(PROJECT, 'acme', 'refresh');
    noteWorked(PROJECT, 'gone', 'poll');
    await flush();
    await flush();
    expect(kept).toMatchObject([{ projectId: PROJECT, provider: 'acme', fact: 'refresh', count: 2 }]);
    provider = { ...provider, notes: ['Another note.'] };
    noteWorked(PROJECT, 'acme', 'refresh');
    await flush();
    expect(kept[1]?.fileVersion).toBe(kept[0]?.fileVersion);
    provider = { ...provider, apiBaseUrl: 'https://new.acme.example' };
    noteWorked(PROJECT, 'acme', 'refresh');
    await flush();
    expect(kept[2]?.fileVersion).not.toBe(kept[0]?.fileVersion);
  });
});

describe('a write of what worked that fails', () => {
  it('keeps its counts for the next one, with those noted meanwhile', async () => {
    const kept: EvidenceToKeep[] = [];
    const faults = ['while reading the entries', 'while writing'];
    const { noteWorked, flush } = createProviderEvidence({
      store: {
        async keep(rows) {
          noteWorked(PROJECT, 'acme', 'poll');
          if (faults.shift() !== undefined) throw new Error('the store is away');
          kept.push(...rows);
        },
      },
      providers: {
        async find() {
          if (faults.length === 2) throw new Error(faults.shift());
          return acmeProvider();
        },
      },
    });
    for (let n = 0; n < 3; n += 1) noteWorked(PROJECT, 'acme', 'poll');
    await expect(flush()).rejects.toThrow();
    await expect(flush()).rejects.toThrow();
    await flush();
    expect(kept).toMatchObject([{ fact: 'poll', count: 4 }]);
    await flush();
    expect(kept).toMatchObject([{ count: 4 }, { count: 1 }]);
  });

  it('holds a bounded number of them, however long the store is away', async () => {
    let isAway = true;
    let kept = 0;
    const { noteWorked, flush } = createProviderEvidence({
      store: {
        async keep(rows) {
          if (isAway) throw new Error('the store is away');
          kept += rows.length;
        },
      },
      providers: { find: async () => acmeProvider() },
    });
    for (let round = 0; round < 3; round += 1) {
      for (let n = 0; n < 1_500; n += 1) noteWorked(`${PROJECT} ${round} ${n}`, 'acme', 'poll');
      await expect(flush()).rejects.toThrow();
    }
    isAway = false;
    await flush();
    expect(kept).toBe(2_000);
  });
});

describe('the table of what worked', () => {
  it('adds up what two processes write at the same time', async () => {
    const database = await createTestDatabase();
    const project = await insertProject(database.knex);
    const store = createProviderEvidenceStore({ db: database.knex });
    const processes = [1, 2].map(() =>
      createProviderEvidence({ store, providers: { find: async () => acmeProvider() } }),
    );
    const facts = ['refresh', 'poll', 'probe'] as const;
    for (let round = 0; round < 10; round += 1) {
      // In opposite orders, in which rows that are locked as they come would wait for each other.
      for (const fact of facts) processes[0]?.noteWorked(project, 'acme', fact);
      for (const fact of facts.toReversed()) processes[1]?.noteWorked(project, 'acme', fact);
      await Promise.all(processes.map(({ flush }) => flush()));
    }
    const counts = (await store.list(project)).map(({ fact, count }) => [fact, count]);
    expect(counts).toEqual([
      ['poll', 20],
      ['probe', 20],
      ['refresh', 20],
    ]);
    await database.drop();
  });

  it('adds up counts of a project that exists, and goes with it', async () => {
    const database = await createTestDatabase();
    const store = createProviderEvidenceStore({ db: database.knex });
    const project = await insertProject(database.knex);
    const row = { projectId: project, provider: 'acme', fileVersion: 'a', fact: 'poll', count: 2 } as const;
    await store.keep([row, { ...row, projectId: PROJECT }]);
    await store.keep([row]);
    expect(await store.list(project)).toMatchObject([{ provider: 'acme', fact: 'poll', count: 4 }]);
    expect(await store.list(project, 'other')).toEqual([]);
    expect(await store.list(PROJECT)).toEqual([]);
    await database.knex('projects').where({ id: project }).delete();
    expect(await store.list(project)).toEqual([]);
    await database.drop();
  });
});
