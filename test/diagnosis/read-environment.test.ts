import { createObservations } from '../../src/diagnosis/create-observations.ts';
import { createReadEnvironment, type FindProjectRules } from '../../src/diagnosis/read-environment.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { createTestVault, insertProject } from '../support/rows.ts';

const AHEAD_MS = 3_600_000;
const PUBLIC_URL = 'https://gateway.example';
const RULES = { allowedOrigins: ['https://app.example'], returnUrls: ['https://app.example/done'] };

let database: TestDatabase;
let projectId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  projectId = await insertProject(database.knex);
});
afterAll(() => database?.drop());

/** Reads the environment of the project after `observe`, with a clock that is an hour ahead. */
function read(
  findProjectRules: FindProjectRules,
  observe: (observations: ReturnType<typeof createObservations>) => void = () => undefined,
) {
  const observations = createObservations({
    db: database.knex,
    publicUrl: PUBLIC_URL,
    providers: { find: () => undefined, refusalOf: () => new HttpError('not_found') },
    integrations: createIntegrationsStore({ vault: createTestVault() }),
  });
  observe(observations);
  return createReadEnvironment({
    db: database.knex,
    now: () => Date.now() + AHEAD_MS,
    publicUrl: PUBLIC_URL,
    observations,
    findProjectRules,
  })(projectId);
}

describe('the environment of a project', () => {
  it('is what it allows, with what this process has just observed', async () => {
    const environment = await read(
      async (id) => (id === projectId ? RULES : undefined),
      ({ noteOrigin }) => noteOrigin(projectId, 'https://other.example'),
    );
    expect(environment).toMatchObject({
      ...RULES,
      publicUrl: PUBLIC_URL,
      isOnlyProject: true,
      noticed: [{ kind: 'origin', projectId, value: 'https://other.example' }],
    });
  });

  it('allows nothing where the project is gone', async () => {
    expect(await read(async () => undefined)).toMatchObject({ allowedOrigins: [], returnUrls: [] });
  });

  it('says how far the clock is ahead of that of the store', async () => {
    const { clockSkewMs } = await read(async () => RULES);
    expect(clockSkewMs).toBeGreaterThan(AHEAD_MS / 2);
  });

  it('says whether another project could be meant', async () => {
    await insertProject(database.knex);
    expect(await read(async () => RULES)).toMatchObject({ isOnlyProject: false });
  });
});
