import knexModule, { type Knex } from 'knex';
import { Webhook } from 'standardwebhooks';
import { createAppendNotices } from '../../src/events/stream/append-notices.ts';
import type { NewEvent } from '../../src/events/stream/event.ts';
import { createEventStream } from '../../src/events/stream/stream.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { notifyProcesses } from '../../src/platform/postgres/change-notices.ts';
import { createVault, parseEncryptionKeys } from '../../src/platform/vault.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { accept, type Received, type Receiver, reply, startReceiver } from '../support/receiver.ts';
import { type SpawnedGateway, spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

let gateway: Gateway;
let project: Project;
let db: Knex;
let receiver: Receiver;
let append: (count: number, type?: string) => Promise<readonly string[]>;
const receivers: Receiver[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  project = await provision(gateway);
  receiver = await startReceiver();
  db = knexModule({ client: 'pg', connection: gateway.databaseUrl ?? '', pool: { min: 0, max: 4 } });
  const dataKeys = createDataKeys({
    vault: createVault(parseEncryptionKeys(gateway.env.ENCRYPTION_KEYS ?? '')),
  });
  const notices = createAppendNotices({ notify: (payloads) => notifyProcesses(db, payloads) });
  const stream = createEventStream({ db, dataKeys, notices, log: { warn: () => undefined } });
  const ids = { integrationId: null, connectionId: null, integrationUserId: null, userId: null };
  append = (count, type = 'crm.contact.updated') => {
    const event: NewEvent = { type, source: 'webhook', ...ids, dataText: '{"n":1}' };
    return db.transaction((trx) => stream.append(trx, project.id, new Array(count).fill(event)));
  };
});
afterAll(async () => {
  await db?.destroy();
  await gateway?.stop();
  for (const one of [receiver, ...receivers]) await one?.close();
});
beforeEach(() => {
  receiver.answer = accept;
  receiver.received.length = 0;
});

const api = (method: string, path: string, body?: object) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });
const apiOk = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });

async function createDestination(fields: object = {}) {
  return apiOk('POST', '/event-destinations', { url: receiver.url, types: ['crm.*'], ...fields });
}

function isSignedBy(secret: string, { body, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });
    return true;
  } catch {
    return false;
  }
}

const idsOf = (one: Receiver) => one.received.map(({ id }) => id);

describe('what failed', () => {
  const causesOf = async (destinationId: string) => {
    const { causes } = await apiOk('GET', '/deliveries/causes');
    return causes.filter((cause: { destinationId: string }) => cause.destinationId === destinationId);
  };

  it('is counted by its cause, and sent again cause by cause', async () => {
    receiver.answer = (response, { body }) =>
      response.writeHead(body.includes('crm.contact.deleted') ? 422 : 500).end();
    const { id } = await createDestination();
    await append(2);
    await append(1, 'crm.contact.deleted');
    const countFailed = async () =>
      (await causesOf(id)).reduce((sum: number, cause: { failed: number }) => sum + cause.failed, 0);
    await until(async () => (await countFailed()) === 3);
    await db('deliveries')
      .where({ destination_id: id })
      .update({ state: 'dead', next_attempt_at: null, last_error: 'refused_by_receiver', last_status: 500 });
    await db('deliveries')
      .where({ destination_id: id, event_type: 'crm.contact.deleted' })
      .update({ last_status: 422 });
    const shared = { destinationId: id, error: 'refused_by_receiver', failed: 0 };
    expect(await causesOf(id)).toEqual([
      expect.objectContaining({ ...shared, status: 500, dead: 2 }),
      expect.objectContaining({ ...shared, status: 422, dead: 1 }),
    ]);
    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const page = await apiOk('GET', `/deliveries/causes?limit=1${after}`);
      expect(page.causes).toHaveLength(1);
      paged.push(...page.causes);
      cursor = page.nextCursor;
    }
    expect(paged).toEqual((await apiOk('GET', '/deliveries/causes')).causes);
    expect((await apiOk('GET', '/deliveries/causes?tag.no=such')).causes).toEqual([]);
    receiver.answer = accept;
    const retried = await apiOk('POST', `/event-destinations/${id}/retry`, {
      error: 'refused_by_receiver',
      status: 500,
    });
    expect(retried).toEqual({ retried: 2, hasMore: false });
    await until(async () => {
      const { deliveries } = await apiOk('GET', `/deliveries?destinationId=${id}&state=delivered`);
      return deliveries.length === 2;
    });
    expect(await causesOf(id)).toEqual([expect.objectContaining({ status: 422, dead: 1 })]);
    await apiOk('DELETE', `/event-destinations/${id}`);
  });
});

describe('an event destination', () => {
  it('is made, tested, changed, disabled, enabled and deleted by API, and its secret is shown once', async () => {
    const made = await createDestination({ description: 'CRM', ordered: 'connection' });
    const path = `/event-destinations/${made.id}`;
    const { secret, ...shown } = made;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await apiOk('GET', path)).toEqual(shown);
    expect((await apiOk('GET', '/event-destinations')).eventDestinations).toEqual([shown]);
    const tested = await apiOk('POST', `${path}/test`);
    expect(tested).toEqual(expect.objectContaining({ delivered: true, status: 200, answer: 'ok' }));
    expect(isSignedBy(secret, receiver.received[0] as Received)).toBe(true);
    expect(JSON.parse(receiver.received[0]?.body ?? '')).toEqual(
      expect.objectContaining({ id: tested.eventId, type: 'gateway.test' }),
    );
    const changed = await apiOk('PATCH', path, { types: ['crm.contact.*'], description: null });
    expect(changed).toEqual(expect.objectContaining({ types: ['crm.contact.*'], description: null }));
    await apiOk('POST', `${path}/disable`);
    const ids = await append(3);
    expect(await apiOk('GET', path)).toEqual(
      expect.objectContaining({
        state: 'disabled',
        disabledReason: 'operator',
        queue: expect.objectContaining({ behind: 3, oldestAt: expect.any(String) }),
      }),
    );
    receiver.received.length = 0;
    await apiOk('POST', `${path}/enable`);
    await until(() => receiver.received.length === 3);
    expect(idsOf(receiver)).toEqual(ids);
    expect((await api('DELETE', path)).status).toBe(204);
    expect((await api('GET', path)).body.code).toBe('destination_not_found');
    const { activity } = await apiOk('GET', `/activity?subjectId=${made.id}`);
    expect(activity.map(({ action }: { action: string }) => action)).toEqual(
      ['deleted', 'enabled', 'disabled', 'updated', 'created'].map((word) => `event_destination.${word}`),
    );
    expect(JSON.stringify(activity)).not.toContain(secret);
    expect(gateway.logs()).not.toContain(secret);
    await until(async () => (await db('deliveries').where({ destination_id: made.id })).length === 0);
  });

  it('is listed in pages, the newest first', async () => {
    const first = await createDestination({ description: 'first' });
    const second = await createDestination({ description: 'second' });
    const page = await apiOk('GET', '/event-destinations?limit=1');
    expect(page.eventDestinations.map(({ id }: { id: string }) => id)).toEqual([second.id]);
    const next = await apiOk('GET', `/event-destinations?limit=1&cursor=${page.nextCursor}`);
    expect(next.eventDestinations.map(({ id }: { id: string }) => id)).toEqual([first.id]);
    for (const { id } of [first, second]) await apiOk('DELETE', `/event-destinations/${id}`);
  });

  it('is refused at addresses that it cannot have', async () => {
    for (const url of [
      'ftp://a.test/x',
      'https://user:pass@a.test/',
      'https://a.test/#x',
      `${gateway.url}/v1/events`,
      'no url',
      'https://a.test/ b',
    ]) {
      const answer = await api('POST', '/event-destinations', { url, types: ['*'] });
      expect([url, answer.status, answer.body.code]).toEqual([url, 422, 'destination_url_invalid']);
    }
  });

  it('receives what happens to connections, and the API shows every attempt', async () => {
    const destination = await createDestination({ types: ['integration.updated'] });
    const integration = await apiOk('POST', '/integrations', {
      serviceProvider: 'hubspot',
      clientId: 'c',
      clientSecret: 's',
      scopes: ['oauth'],
    });
    let attempts = 0;
    receiver.answer = (response) => {
      attempts += 1;
      if (attempts === 1) response.writeHead(500).end('not now');
      else response.end();
    };
    await apiOk('PATCH', `/integrations/${integration.id}`, { clientId: 'd' });
    await until(() => receiver.received.length === 2);
    expect(new Set(idsOf(receiver)).size).toBe(1);
    expect(receiver.received.every((one) => isSignedBy(destination.secret, one))).toBe(true);
    const list = () => apiOk('GET', `/deliveries?destinationId=${destination.id}&state=delivered`);
    await until(async () => (await list()).deliveries.length === 1);
    const [delivery] = (await list()).deliveries;
    expect((await apiOk('GET', `/deliveries/${delivery.id}`)).attempts).toEqual([
      expect.objectContaining({ status: 500, error: 'refused_by_receiver', answer: 'not now' }),
      expect.objectContaining({ status: 200, error: null }),
    ]);
    expect((await apiOk('GET', `/deliveries?eventId=${delivery.eventId}`)).deliveries).toEqual([delivery]);
    const { secret } = await apiOk('POST', `/event-destinations/${destination.id}/rotate-secret`);
    await until(async () => {
      await apiOk('POST', `/event-destinations/${destination.id}/test`);
      return isSignedBy(secret, receiver.received.at(-1) as Received);
    });
    expect(isSignedBy(destination.secret, receiver.received.at(-1) as Received)).toBe(true);
    receiver.received.length = 0;
    expect((await api('POST', `/deliveries/${delivery.id}/retry`)).status).toBe(202);
    await until(() => receiver.received.length === 1);
    expect(idsOf(receiver)).toEqual([delivery.eventId]);
    await apiOk('DELETE', `/event-destinations/${destination.id}`);
  });

  it('receives events again by a replay, also those from before it was made', async () => {
    const before = await append(4, 'crm.replayed');
    const destination = await createDestination({ types: ['crm.replayed'] });
    const path = `/event-destinations/${destination.id}/replay`;
    const dead = await api('POST', path, { after: before[0], states: ['dead'] });
    expect([dead.status, dead.body.events]).toEqual([202, 3]);
    await until(async () => (await db('event_replays')).length === 0);
    expect(receiver.received).toEqual([]);
    await apiOk('POST', path, { after: before[0] });
    await until(() => receiver.received.length === 3);
    expect(idsOf(receiver).sort()).toEqual(before.slice(1).sort());
    // What is on its way yet would not be sent a second time.
    const delivered = { destination_id: destination.id, state: 'delivered' };
    await until(async () => (await db('deliveries').where(delivered)).length === 3);
    receiver.received.length = 0;
    await apiOk('POST', path, { from: new Date(Date.now() - 3_600_000).toISOString() });
    await until(() => receiver.received.length === 4);
    expect(idsOf(receiver).sort()).toEqual([...before].sort());
    const from = '2026-01-01T00:00:00Z';
    const refused = [{}, { after: before[0], from }, { to: from }, { from, to: '2025-12-31T23:59:59Z' }];
    for (const body of refused) expect((await api('POST', path, body)).status).toBe(400);
    await apiOk('DELETE', `/event-destinations/${destination.id}`);
  });

  it('receives one event again by its id: those that want it, or the one that is named', async () => {
    const wanting = await createDestination({ types: ['again.*'] });
    const other = await startReceiver();
    receivers.push(other);
    const named = await createDestination({ url: other.url, types: ['none.*'] });
    const [id] = await append(1, 'again.once');
    // What is on its way yet would not be sent a second time.
    const delivered = { destination_id: wanting.id, state: 'delivered' };
    await until(async () => (await db('deliveries').where(delivered)).length === 1);
    const again = await apiOk('POST', `/events/${id}/redeliver`);
    expect(again.deliveries).toMatchObject([{ destinationId: wanting.id, eventId: id, state: 'pending' }]);
    await until(() => idsOf(receiver).length === 2);
    expect(idsOf(receiver)).toEqual([id, id]);
    const byName = await apiOk('POST', `/events/${id}/redeliver`, { destinationId: named.id });
    expect(byName.deliveries).toMatchObject([{ destinationId: named.id }]);
    await until(() => idsOf(other).length === 1);
    expect(idsOf(receiver)).toHaveLength(2);
    const unknown = '019a0000-0000-7000-8000-000000000000';
    expect((await api('POST', `/events/${unknown}/redeliver`)).body.code).toBe('event_not_found');
    const nowhere = await api('POST', `/events/${id}/redeliver`, { destinationId: unknown });
    expect(nowhere.body.code).toBe('destination_not_found');
  });

  it('gets everything beside a dead and a hanging one, and neither is hammered', async () => {
    const hanging = await startReceiver(() => undefined);
    const dead = await startReceiver(reply(500));
    const good = await startReceiver();
    receivers.push(hanging, dead, good);
    const made = [];
    for (const { url } of [dead, hanging, good]) made.push(await createDestination({ url }));
    const ids = new Set<string>();
    for (let batch = 0; batch < 10; batch += 1) for (const id of await append(50)) ids.add(id);
    await until(() => good.received.length >= ids.size);
    expect(new Set(idsOf(good))).toEqual(ids);
    expect(good.received.length).toBe(ids.size);
    expect(hanging.received.length).toBeLessThanOrEqual(10);
    expect(dead.received.length).toBeLessThanOrEqual(12);
    const shown = await apiOk('GET', `/event-destinations/${made[0].id}`);
    expect(shown).toEqual(expect.objectContaining({ state: 'failing', lastFailure: 'refused_by_receiver' }));
    expect(shown.queue.waiting + shown.queue.behind).toBeGreaterThanOrEqual(ids.size - 12);
    for (const { id } of made) await apiOk('DELETE', `/event-destinations/${id}`);
  });
});

describe('two gateways on one store', () => {
  let second: SpawnedGateway;
  beforeEach(async () => {
    const env = { ENCRYPTION_KEYS: gateway.env.ENCRYPTION_KEYS ?? '' };
    second = await spawnGateway({ databaseUrl: gateway.databaseUrl ?? '', env });
    await createDestination();
  });
  afterEach(async () => {
    await second?.stop();
    await db('event_destinations').delete();
  });

  it('deliver each event once between them', async () => {
    const ids: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) ids.push(...(await append(20)));
    await until(() => receiver.received.length >= ids.length);
    expect(idsOf(receiver).sort()).toEqual(ids.sort());
  });

  it('of which one is killed lose nothing, and repeat an event under its own id only', async () => {
    receiver.answer = (response) => setTimeout(() => response.end(), 20);
    const ids: string[] = [];
    for (let batch = 0; batch < 20; batch += 1) ids.push(...(await append(20)));
    await until(() => receiver.received.length >= 60);
    await second.kill();
    await until(() => new Set(idsOf(receiver)).size >= ids.length);
    expect(new Set(idsOf(receiver))).toEqual(new Set(ids));
    // What was in flight, and what one round had not written down yet.
    expect(receiver.received.length).toBeLessThanOrEqual(ids.length + 200);
  });
});
