import { createHmac } from 'node:crypto';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  seedOperator,
  startGateway,
} from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  gateway = await startGateway({
    env: {
      PROJECT_CREATION: 'owner',
      PROJECTS_PER_OPERATOR_MAX: '2',
      API_KEYS_PER_PROJECT_MAX: '3',
      INTEGRATIONS_PER_PROJECT_MAX: '4',
      CONNECT_SESSIONS_PER_USER_PER_HOUR: '5',
    },
  });
  project = await provision(gateway);
});
afterAll(() => gateway?.stop());

const made = { projects: 1, keys: 1, integrations: 0, sessions: 0 };
const operator = () => project.personalAccessToken;
const integration = { serviceProvider: 'github', clientId: 'id', clientSecret: 'secret', scopes: [] };

describe('one tenant cannot have without end', () => {
  it.each([
    ['projects', 2, 409, 'limit_reached', () => ['/v1/projects', { name: 'x' }, operator()] as const],
    [
      'keys',
      3,
      409,
      'limit_reached',
      () => [`/v1/projects/${project.id}/api-keys`, { name: 'x' }, operator()] as const,
    ],
    [
      'integrations',
      4,
      409,
      'limit_reached',
      () => ['/v1/integrations', integration, project.apiKey] as const,
    ],
    [
      'sessions',
      5,
      429,
      'rate_limited',
      () => ['/v1/connect-sessions', {}, project.userToken('user-1')] as const,
    ],
  ] as const)('%s: as many as the setting says', async (what, most, status, code, request) => {
    for (let have: number = made[what]; have < most; have += 1) {
      const [path, body, bearer] = request();
      await callApiOk(gateway.url, 'POST', path, { bearer, body });
    }
    const [path, body, bearer] = request();
    const refused = await callApi(gateway.url, 'POST', path, { bearer, body });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
    expect(refused.body.remedy).toBeTruthy();
  });

  it('entries of the audit log: another user still begins sessions', async () => {
    const bearer = project.userToken('user-2');
    await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', { bearer, body: {} });
  });

  it('projects where only owners make them, and it is none', async () => {
    const bearer = await seedOperator(gateway.databaseUrl ?? '');
    const refused = await callApi(gateway.url, 'POST', '/v1/projects', { bearer, body: { name: 'x' } });
    expect([refused.status, refused.body.code]).toEqual([403, 'insufficient_role']);
  });

  it('room in the store: webhooks are answered 503 and not kept, and the diagnosis says why', async () => {
    const { integrations } = await callApiOk(gateway.url, 'GET', '/v1/integrations', {
      bearer: project.apiKey,
    });
    const { id } = integrations[0];
    await callApiOk(gateway.url, 'PATCH', `/v1/integrations/${id}`, {
      bearer: project.apiKey,
      body: { webhookSecret: 'a webhook secret' },
    });
    const client = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
    await client.connect();
    await client.query(
      `INSERT INTO stored_amounts (project_id, kind, day, row_count, byte_count) VALUES ($1, 'events', now(), 1, $2)`,
      [project.id, 11 * 1024 ** 3],
    );
    const body = { action: 'opened', installation: { id: 1 } };
    const text = JSON.stringify(body);
    const signature = createHmac('sha256', 'a webhook secret').update(text).digest('hex');
    const headers = {
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': 'issues',
      'x-github-delivery': 'd1',
    };
    const send = () => callApi(gateway.url, 'POST', `/webhooks/${id}`, { body, headers });
    // The process has looked at the project before, and looks again within half a minute.
    await until(async () => (await send()).status === 503);
    const answer = await send();
    expect([answer.status, answer.body.code]).toEqual([503, 'project_storage_full']);
    expect(answer.headers.get('retry-after')).toBe('900');
    const count = async () =>
      Number((await client.query('SELECT count(*) FROM webhook_receipts')).rows[0].count);
    const before = await count();
    await send();
    expect(await count()).toBe(before);
    await client.end();
    const { findings } = await callApiOk(gateway.url, 'GET', `/v1/integrations/${id}/diagnosis`, {
      bearer: project.apiKey,
    });
    expect(findings.map(({ code }: { code: string }) => code)).toContain('project_storage_full');
  });
});
