import type { Knex } from 'knex';
import knexModule from 'knex';
import { callApi, callApiOk, createProject, type Project } from '../support/gateway.ts';
import { startTracedStage, type TracedStage } from '../support/traced-stage.ts';
import { until } from '../support/until.ts';

let stage: TracedStage;
let db: Knex;
let bystander: Project;
beforeAll(async () => {
  stage = await startTracedStage();
  db = knexModule({ client: 'pg', connection: stage.gateway.databaseUrl ?? '', pool: { min: 0, max: 2 } });
  bystander = await createProject(stage.gateway.url, stage.project.personalAccessToken);
});
afterAll(async () => {
  await db?.destroy();
  await stage?.close();
});

type Event = {
  readonly type: string;
  readonly data: { readonly id: string; readonly action: string };
} & Readonly<
  Partial<Record<'connectionId' | 'integrationId' | 'integrationUserId' | 'userId' | 'owner', unknown>>
>;

async function readEvents(types?: string, bearer = stage.project.apiKey): Promise<Event[]> {
  const query = types === undefined ? '' : `&types=${encodeURIComponent(types)}`;
  return (await callApiOk(stage.gateway.url, 'GET', `/v1/events?limit=1000${query}`, { bearer })).events;
}

const newest = async (path = '') => (await stage.api('GET', `/activity?limit=100${path}`)).activity;
const received = (type: string): Event[] =>
  stage.receiver.received.map(({ body }) => JSON.parse(body)).filter((event) => event.type === type);
const destine = (types: string[], more: object = {}) =>
  stage.api('POST', '/event-destinations', { body: { url: stage.receiver.url, types, ...more } });
const rename = (name: string) =>
  stage.api('PATCH', `/integrations/${stage.integrations.good}`, { body: { name } });
async function restrictedKey(scopes: string[]): Promise<string> {
  const bearer = stage.project.personalAccessToken;
  const call = { bearer, body: { name: 'part', scopes } };
  return (await stage.api('POST', `/projects/${stage.project.id}/api-keys`, call)).key;
}

describe('the audit log as events', () => {
  it('enters no stream where no destination asks for it', async () => {
    await destine(['*']);
    await rename('before');
    await until(() => received('integration.updated').length > 0);
    expect((await readEvents('activity.*')).length).toBe(0);
  });

  it('comes to a destination that asks for it, each entry as the API shows it', async () => {
    await destine(['activity.*']);
    await rename('after');
    await until(() => received('activity.integration.updated').length > 0);
    const [event] = received('activity.integration.updated');
    const [entry] = await newest('&action=integration.updated');
    const { actorName: _, subjectName: __, ...shown } = entry;
    expect(event).toMatchObject({
      source: 'gateway',
      projectId: stage.project.id,
      integrationId: stage.integrations.good,
      data: shown,
    });
    expect(event?.data).toMatchObject({ actorKind: 'api_key', details: { fields: ['name'] } });
  });

  it('comes to no reader that asks for everything, and to one that names it', async () => {
    const isAudit = ({ type }: Event) => type.startsWith('activity.');
    await until(async () => (await readEvents('activity.*')).length > 0);
    expect((await readEvents('activity.integration.*')).map(({ type }) => type)).toEqual([
      'activity.integration.updated',
    ]);
    expect((await readEvents()).filter(isAudit)).toEqual([]);
    expect((await readEvents('*')).filter(isAudit)).toEqual([]);
    expect((await readEvents('*,activity.integration.*')).filter(isAudit)).toHaveLength(1);
    // The destination for everything was served up to the same place of the feed.
    await rename('again');
    await until(() => received('integration.updated').length >= 3);
    await until(() => received('activity.integration.updated').length >= 2);
    const ids = received('activity.integration.updated').map(({ data }) => data.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('enters the stream of no other project', async () => {
    await callApiOk(stage.gateway.url, 'POST', '/v1/event-destinations', {
      bearer: bystander.apiKey,
      body: { url: stage.receiver.url, types: ['connection.*'] },
    });
    const { rows } = await db.raw(
      `SELECT count(*)::int AS n FROM events WHERE project_id = ? AND type LIKE 'activity.%'`,
      [bystander.id],
    );
    expect(rows[0].n).toBe(0);
  });

  it('needs the scope of the audit log: an API key without it neither reads it nor has it sent', async () => {
    const bearer = await restrictedKey(['events:read', 'events:manage']);
    const [event] = await readEvents('activity.*');
    const destination = await destine(['activity.connection.*']);
    const body = { url: stage.receiver.url, types: ['activity.*'] };
    const ask = (method: string, path: string, sent?: object) =>
      callApi(stage.gateway.url, method, `/v1${path}`, { bearer, body: sent });
    const refused = [
      await ask('GET', '/events?types=activity.*'),
      await ask('GET', '/events/latest?types=activity.project.updated'),
      await ask('GET', `/events/${event === undefined ? '' : Object(event).id}`),
      await ask('POST', '/event-destinations', body),
      await ask('PATCH', `/event-destinations/${destination.id}`, { url: `${stage.receiver.url}/mine` }),
    ];
    expect(refused.map((answer) => answer.body.code)).toEqual(new Array(5).fill('scope_missing'));
    expect((await ask('GET', '/events?types=*')).status).toBe(200);
    const whole = await restrictedKey(['events:manage', 'activity:read']);
    expect(
      (await callApi(stage.gateway.url, 'POST', '/v1/event-destinations', { bearer: whole, body })).status,
    ).toBe(201);
  });

  it('is neither sent again nor listed among deliveries by a key without that scope', async () => {
    const bearer = await restrictedKey(['events:read', 'events:manage']);
    const own = await callApiOk(stage.gateway.url, 'POST', '/v1/event-destinations', {
      bearer,
      body: { url: stage.receiver.url, types: ['*'] },
    });
    const ask = (method: string, path: string, body?: object) =>
      callApi(stage.gateway.url, method, `/v1${path}`, { bearer, body });
    const isAudit = ({ eventType }: { eventType: string }) => eventType.startsWith('activity.');
    const all = (await stage.api('GET', '/deliveries?limit=100')).deliveries;
    const delivery = all.find(isAudit);
    expect(delivery).toBeDefined();
    const { id, eventId, destinationId } = delivery;
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const refused = [
      await ask('POST', `/events/${eventId}/redeliver`, { destinationId: own.id }),
      await ask('POST', `/events/${eventId}/redeliver`, {}),
      await ask('GET', `/deliveries/${id}`),
      await ask('POST', `/deliveries/${id}/retry`),
      await ask('POST', `/event-destinations/${destinationId}/replay`, { from }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(new Array(5).fill('scope_missing'));
    const listed = await ask('GET', '/deliveries?limit=100');
    expect([listed.status, listed.body.deliveries.filter(isAudit)]).toEqual([200, []]);
    expect((await ask('GET', `/deliveries?eventId=${eventId}`)).body.deliveries).toEqual([]);
    expect((await ask('GET', '/events/types')).text).not.toContain('activity.');
    await db.raw(`UPDATE deliveries SET state = 'dead', next_attempt_at = NULL WHERE id = ?`, [id]);
    const retry = `/event-destinations/${destinationId}/retry`;
    expect((await ask('POST', retry, { states: ['dead'] })).body).toMatchObject({ retried: 0 });
    expect(await stage.api('POST', retry, { body: { states: ['dead'] } })).toMatchObject({ retried: 1 });
    expect((await ask('POST', `/event-destinations/${own.id}/replay`, { from })).status).toBe(202);
  });

  it('names whose connection an entry is about, as other events of the connection do', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = stage.provider.issue();
    const id = await stage.connect(stage.integrations.good, 'owning', { accessToken, refreshToken });
    await stage.api('PATCH', `/connections/${id}`, { body: { tags: { plan: 'pro' } } });
    await stage.api('DELETE', `/connections/${id}`);
    const about = async () =>
      (await readEvents('activity.connection.*')).filter(({ connectionId }) => connectionId === id);
    await until(async () => (await about()).some(({ type }) => type === 'activity.connection.deleted'));
    const own = (await readEvents('connection.created')).filter(({ connectionId }) => connectionId === id);
    const ids = (event: Event | undefined) =>
      [event?.integrationId, event?.integrationUserId, event?.userId, event?.owner] as const;
    expect(own).toMatchObject([{ userId: 'owning', owner: { type: 'user', id: 'owning' } }]);
    // A revocation that ends after the connection names nobody: its row is gone by then.
    const entries = (await about()).filter(({ type }) => type !== 'activity.connection.revoked');
    const names = ['imported', 'annotated', 'deleted'].map((name) => `activity.connection.${name}`);
    expect(entries.map(({ type }) => type)).toEqual(expect.arrayContaining(names));
    for (const entry of entries) expect([entry.type, ids(entry)]).toEqual([entry.type, ids(own[0])]);
  });

  it('leaves no event of a user who is erased', async () => {
    const { access_token: accessToken, refresh_token: refreshToken } = stage.provider.issue();
    await stage.connect(stage.integrations.good, 'leaving', { accessToken, refreshToken });
    await stage.api('POST', '/user-tokens', {
      bearer: stage.project.personalAccessToken,
      body: { userId: 'leaving', projectId: stage.project.id },
    });
    await until(async () => (await readEvents('activity.user_token.created')).length > 0);
    await stage.api('POST', `/projects/${stage.project.id}/revocations`, { body: { userId: 'leaving' } });
    await until(async () => (await readEvents('activity.connection.imported')).length > 0);
    await until(async () => (await readEvents('activity.token_revocation.created')).length > 0);
    const { users } = await stage.api('GET', `/projects/${stage.project.id}/users?userId=leaving`);
    const id: string = users[0].integrationUserId ?? users[0].id;
    await stage.api('DELETE', `/projects/${stage.project.id}/users/${id}`);
    await until(async () => {
      const { rows } = await db.raw('SELECT count(*)::int AS n FROM events WHERE end_user_id = ?', [id]);
      return rows[0].n === 0;
    });
    await until(async () => (await newest('&action=user.erasure_ended')).length > 0);
    const kept = JSON.stringify(await readEvents('activity.*'));
    expect(kept).not.toContain(id);
    expect(kept).not.toContain('leaving');
  });
});

describe('the audit log by OTLP', () => {
  it('has a record for each entry, of operators’ own too, with its ids and without secrets', async () => {
    const { records } = stage.collector.collected;
    const entries = await newest();
    await until(() =>
      entries.every(({ id }: Event['data']) => records.some(({ body }) => String(body).includes(id))),
    );
    const record = records.find(({ event_name: name }) => name === 'activity.event_destination.created');
    expect(record).toMatchObject({ severity_text: 'INFO' });
    expect(record?.attributes).toMatchObject({
      'gateway.project.id': stage.project.id,
      'gateway.actor.kind': 'api_key',
      'gateway.subject.kind': 'event_destination',
    });
    const entry = entries.find(({ id }: Event['data']) => id === record?.attributes['gateway.activity.id']);
    const { actorName: _, subjectName: __, ...shown } = entry;
    expect(JSON.parse(String(record?.body))).toMatchObject(shown);
    expect(records.some(({ event_name: name }) => name === 'activity.operator.created')).toBe(true);
    expect(stage.collector.collected.text).not.toMatch(/igk_|igo_|whsec_/);
  });
});
