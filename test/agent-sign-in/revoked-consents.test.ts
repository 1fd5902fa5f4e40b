import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

/** More than one statement could write entries of the audit log for. */
const CONSENTS = 7_000;

let database: TestDatabase;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startGateway({ databaseUrl: database.url });
  project = await provision(gateway);
});
afterAll(async () => {
  await gateway?.stop();
  await database?.drop();
});

it('a revocation of everybody’s tokens ends what thousands have allowed agents, each with its entry', async () => {
  const db = database.knex;
  await db.raw(
    `WITH users AS (
       INSERT INTO end_users (id, project_id, subject)
       SELECT gen_random_uuid(), ?, 'user-' || n FROM generate_series(1, ?) AS n RETURNING id, project_id)
     INSERT INTO agent_consents (id, project_id, end_user_id, client_id, access, rights, signed_in_at)
     SELECT gen_random_uuid(), project_id, id, 'https://desk.example/c.json', 'read', '{}', now() FROM users`,
    [project.id, CONSENTS],
  );
  const path = `/v1/projects/${project.id}/revocations`;
  await callApiOk(gateway.url, 'POST', path, { bearer: project.apiKey, body: { everyone: true } });
  await until(async () => (await db('agent_consents').first('id')) === undefined);
  const withdrawn = await db('activity').where({ action: 'agent_consent.withdrawn' }).count({ total: '*' });
  expect(withdrawn).toEqual([{ total: CONSENTS }]);
});
