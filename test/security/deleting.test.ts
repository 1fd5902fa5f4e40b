import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  callApi,
  callApiOk,
  createProject,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';

const MANY = 3_000;
const database = await createTestDatabase();
let gateway: Gateway;
let client: pg.Client;
let first: Project;

beforeAll(async () => {
  gateway = await startGateway({ databaseUrl: database.url });
  client = new pg.Client(connectionSettings(database.url));
  await client.connect();
  first = await provision(gateway);
});
afterAll(async () => {
  await client?.end();
  await gateway?.stop();
  await database.drop();
});

/** An integration with thousands of connections, made by SQL: their credentials cannot be opened, and count all the same. */
async function fill(project: Project, many = MANY): Promise<{ integrationId: string; connectionId: string }> {
  const bearer = project.apiKey;
  const body = {
    serviceProvider: 'close',
    clientId: 'id',
    clientSecret: 'secret',
    scopes: ['all.full_access'],
  };
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body });
  const { rows } = await client.query(
    `WITH users AS (
       INSERT INTO end_users (id, project_id, subject)
       SELECT new_time_ordered_id(), $1, 'many-' || n FROM generate_series(1, $3::int) AS n RETURNING id)
     INSERT INTO connections (id, project_id, integration_id, end_user_id, status, credentials_sealed)
     SELECT new_time_ordered_id(), $1, $2, users.id, 'active', 'unreadable' FROM users RETURNING id`,
    [project.id, integrationId, many],
  );
  return { integrationId, connectionId: rows[0].id };
}

const countOf = async (integrationId: string) => {
  const { rows } = await client.query('SELECT count(*) FROM connections WHERE integration_id = $1', [
    integrationId,
  ]);
  return Number(rows[0].count);
};
const codeOf = async (method: string, path: string, bearer: string, body?: unknown) => {
  const answer = await callApi(gateway.url, method, path, { bearer, body });
  return answer.status < 400 ? answer.status : (answer.body?.code ?? answer.status);
};

/** Every list that would show it or something of it, and the member that has the rows. */
const LISTS = [
  ['/v1/integrations', 'integrations'],
  ['/v1/connections', 'connections'],
  ['/v1/polls', 'polls'],
  ['/v1/search?q=close', 'results'],
] as const;

describe('an integration with thousands of connections', () => {
  it('is deleted at once, is absent from everything, and is erased in the background', async () => {
    const { integrationId, connectionId } = await fill(first);
    const user = first.userToken('user-1');
    const before = await codeOf('DELETE', `/v1/integrations/${integrationId}`, first.apiKey);
    expect(before).toBe('connections_exist');
    expect(await codeOf('DELETE', `/v1/integrations/${integrationId}?force=true`, first.apiKey)).toBe(204);
    expect(await countOf(integrationId)).toBeGreaterThan(0);
    for (const [path, member] of LISTS) {
      const { body, status } = await callApi(gateway.url, 'GET', path, { bearer: first.apiKey });
      expect([path, status, JSON.stringify(body?.[member] ?? body)]).not.toContain(integrationId);
      expect(JSON.stringify(body)).not.toContain(integrationId);
    }
    expect(await codeOf('GET', `/v1/integrations/${integrationId}`, first.apiKey)).toBe(
      'integration_not_found',
    );
    expect(await codeOf('DELETE', `/v1/integrations/${integrationId}`, first.apiKey)).toBe(
      'integration_not_found',
    );
    expect(await codeOf('GET', `/v1/connections/${connectionId}`, first.apiKey)).toBe('connection_not_found');
    expect(await codeOf('POST', '/v1/connect-sessions', user, { integrationId })).toBe(
      'integration_not_found',
    );
    expect(await codeOf('POST', `/webhooks/${integrationId}`, '', {})).toBe('webhook_address_not_found');
    expect(await codeOf('GET', `/projects/${first.id}/proxy/close/api/v1/me/`, user)).toBe(
      'integration_not_found',
    );
    await until(async () => (await countOf(integrationId)) === 0);
    await until(async () => {
      const { rows } = await client.query('SELECT 1 FROM integrations WHERE id = $1', [integrationId]);
      return rows.length === 0;
    });
    const { rows } = await client.query(
      "SELECT count(*) FROM activity WHERE action = 'connection.deleted' AND details ->> 'integrationId' = $1",
      [integrationId],
    );
    expect(Number(rows[0].count)).toBe(MANY);
  });
});

describe('a project with thousands of connections', () => {
  it('is deleted at once, its keys and tokens are refused, and it is erased in the background', async () => {
    const project = await createProject(gateway.url, first.personalAccessToken);
    const { integrationId } = await fill(project);
    const operator = first.personalAccessToken;
    const user = project.userToken('user-1');
    expect(await codeOf('GET', '/v1/connections', user)).toBe(200);
    expect(await codeOf('DELETE', `/v1/projects/${project.id}?force=true`, operator)).toBe(204);
    expect(await countOf(integrationId)).toBeGreaterThan(0);
    expect(await codeOf('GET', `/v1/projects/${project.id}`, operator)).toBe('project_not_found');
    expect(await codeOf('GET', '/v1/connections', project.apiKey)).toBe('token_invalid');
    await until(async () => (await codeOf('GET', '/v1/connections', user)) === 'token_invalid');
    expect(await codeOf('GET', `/projects/${project.id}/proxy/close/api/v1/me/`, user)).toBe('token_invalid');
    for (const path of ['/v1/projects', ...LISTS.map(([list]) => list)]) {
      const separator = path.includes('?') ? '&' : '?';
      const { text } = await callApi(gateway.url, 'GET', `${path}${separator}limit=50`, { bearer: operator });
      expect([path, text.includes(project.id), text.includes(integrationId)]).toEqual([path, false, false]);
    }
    // The process that deletes stops in the middle; another one goes on.
    const other = await startGateway({
      databaseUrl: database.url,
      env: { ENCRYPTION_KEYS: gateway.env.ENCRYPTION_KEYS ?? '' },
    });
    await gateway.stop();
    gateway = other;
    await until(async () => {
      const { rows } = await client.query('SELECT 1 FROM projects WHERE id = $1', [project.id]);
      return rows.length === 0;
    });
    expect(await countOf(integrationId)).toBe(0);
  });
});

/** As a store answers that has no time for a statement which deletes more than a few rows. */
const TIME_OUT_BEYOND_TEN = `
  CREATE FUNCTION time_out_beyond_ten() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF (SELECT count(*) FROM gone) > 10 THEN
      RAISE EXCEPTION 'canceling statement due to statement timeout' USING ERRCODE = '57014';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER slow_connections AFTER DELETE ON connections REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION time_out_beyond_ten();
  CREATE TRIGGER slow_users AFTER DELETE ON end_users REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION time_out_beyond_ten();`;

describe('a store that has no time for large deletes', () => {
  it('erases a deleted project and its numbers all the same, a few rows at a time', async () => {
    const project = await createProject(gateway.url, first.personalAccessToken);
    await fill(project, 100);
    await client.query(
      `INSERT INTO usage_counts (project_id, kind, step, at, group_id, calls, gateway_errors, provider_errors)
       SELECT $1, 0, 2, now(), gen_random_uuid(), 1, 0, 0 FROM generate_series(1, 50)`,
      [project.id],
    );
    await client.query(TIME_OUT_BEYOND_TEN);
    const path = `/v1/projects/${project.id}?force=true`;
    expect(await codeOf('DELETE', path, first.personalAccessToken)).toBe(204);
    for (const [table, column] of [
      ['projects', 'id'],
      ['end_users', 'project_id'],
      ['usage_counts', 'project_id'],
    ] as const) {
      await until(async () => {
        const { rows } = await client.query(`SELECT FROM ${table} WHERE ${column} = $1`, [project.id]);
        return rows.length === 0;
      });
    }
  });
});
