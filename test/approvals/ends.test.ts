import pg from 'pg';
import type { z } from 'zod';
import { GATEWAY_EVENTS } from '../../src/events/gateway-events/event-payloads.ts';
import type { eventSchema } from '../../src/events/reading/events.schema.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import {
  addLedger,
  agentToken,
  callLedger,
  connectUser,
  type RecordingProvider,
  startRecordingProvider,
} from '../support/approval-stage.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { until } from '../support/until.ts';

let provider: RecordingProvider;
let gateway: Gateway;
let project: Project;
let integrationId: string;
let database: pg.Client;
let user: string;

beforeAll(async () => {
  provider = await startRecordingProvider();
  gateway = await startGateway({ catalogDir: provider.catalogDir });
  project = await provision(gateway);
  integrationId = await addLedger(gateway, project);
  database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await database.connect();
});
afterAll(async () => {
  await database?.end();
  await gateway?.stop();
  await provider?.close();
});
beforeEach(async () => {
  user = `mia-${crypto.randomUUID()}`;
  await connectUser(gateway, project, integrationId, user);
  provider.received.length = 0;
});

const api = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, path, { bearer: project.apiKey, ...(body && { body }) });

const ask = async (body: string, approval?: string) =>
  callLedger(gateway, project, agentToken(project, user), { body, approval });

const runOut = (id: string | undefined) =>
  database.query('UPDATE approvals SET expires_at = now() WHERE id = $1', [id]);

it('a call that was approved and not sent in time is a new question', async () => {
  const { approvalId = '' } = await ask('late');
  await api('POST', `/v1/approvals/${approvalId}/approve`);
  await runOut(approvalId);
  const answer = await ask('late', approvalId);
  expect([answer.code, answer.approvalId === approvalId]).toEqual(['approval_required', false]);
  const late = await callApi(gateway.url, 'POST', `/v1/approvals/${approvalId}/approve`, {
    bearer: project.apiKey,
  });
  expect([late.status, late.body.code]).toEqual([409, 'approval_decided']);
  expect(provider.received).toEqual([]);
});

it('each end is reported in the stream and in the audit log, and nothing of the call with it', async () => {
  const ids: string[] = [];
  for (const body of ['first-secret', 'second-secret', 'third-secret'])
    ids.push((await ask(body)).approvalId ?? '');
  const [first, second, third] = ids;
  await api('POST', `/v1/approvals/${first}/approve`);
  await api('POST', `/v1/approvals/${second}/reject`);
  await runOut(third);
  expect((await ask('first-secret', first)).status).toBe(200);
  const wanted = [`approved ${first}`, `rejected ${second}`, `expired ${third}`];
  const events = new Map<string, z.output<typeof eventSchema>>();
  await until(async () => {
    const page = await api('GET', '/v1/events?types=approval.*&limit=200');
    for (const event of page.events) events.set(`${event.type.slice(9)} ${event.data.id}`, event);
    return wanted.every((name) => events.has(name));
  });
  for (const id of ids) expect([...events.keys()]).toContain(`requested ${id}`);
  for (const event of events.values()) {
    expect(GATEWAY_EVENTS[event.type]?.schema.safeParse(event).error).toBeUndefined();
    expect(JSON.stringify(event)).not.toContain('secret');
  }
  expect(events.get(`requested ${first}`)?.userId).toBe(user);
  const { activity } = await api('GET', `/v1/activity?limit=200`);
  const actions = activity.flatMap(({ action, subjectId }: { action: string; subjectId: string }) =>
    subjectId === first ? [action] : [],
  );
  expect(actions.toSorted()).toEqual(['approval.approved', 'approval.requested', 'approval.used']);
  expect(JSON.stringify(activity)).not.toContain('secret');
  const { rows } = await database.query('SELECT call_sealed, body_sealed FROM approvals WHERE id = ANY($1)', [
    ids,
  ]);
  expect(rows).toEqual(ids.map(() => ({ call_sealed: null, body_sealed: null })));
});

it('its events name the organization that has the connection, and the member who asked', async () => {
  const body = {
    ...{ integrationId, owner: 'organization', organizationId: 'acme' },
    credentials: { accessToken: 'access-acme' },
  };
  await api('POST', '/v1/connections', body);
  const member = `ben-${crypto.randomUUID()}`;
  const token = agentToken(project, member, undefined, { org: 'acme' });
  const { approvalId } = await callLedger(gateway, project, token, { body: 'ours' });
  await api('POST', `/v1/approvals/${approvalId}/reject`);
  const find = async () => {
    const { events } = await api('GET', '/v1/events?types=approval.*&limit=200');
    return events.filter(({ data }: { data: { id: string } }) => data.id === approvalId);
  };
  await until(async () => (await find()).length === 2);
  for (const { owner, userId } of await find())
    expect({ owner, userId }).toEqual({ owner: { type: 'organization', id: 'acme' }, userId: member });
});

it('what is stored of a waiting call is sealed', async () => {
  const { approvalId } = await ask('{"iban":"DE00-in-the-clear"}');
  const { rows } = await database.query(
    'SELECT to_jsonb(a)::text AS text FROM approvals AS a WHERE id = $1',
    [approvalId],
  );
  expect(rows[0].text).not.toContain('in-the-clear');
  expect(rows[0].text).not.toContain('/entries');
});

it('a person who is erased leaves no approval behind', async () => {
  await ask('theirs');
  const ofUser = () =>
    database.query(
      'SELECT a.id FROM approvals AS a JOIN end_users AS u ON u.id = a.end_user_id WHERE u.subject = $1',
      [user],
    );
  expect((await ofUser()).rowCount).toBe(1);
  const { users } = await api('GET', `/v1/projects/${project.id}/users?userId=${user}`);
  await api('DELETE', `/v1/projects/${project.id}/users/${users[0].id}`);
  await until(async () => (await ofUser()).rowCount === 0);
});
