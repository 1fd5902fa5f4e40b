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

describe('the table of what worked', () => {
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
