import pg from 'pg';
import { connectionSettings } from '../../../src/platform/postgres/connection.ts';
import { createCatalogDir } from '../../support/catalog-dir.ts';
import { callApi, type Project, provision } from '../../support/gateway.ts';
import { createEncryptionKey } from '../../support/gateway-environment.ts';
import { type KillReport, killAtEveryStep, type Reach } from '../../support/kill-steps.ts';
import { findFreePort } from '../../support/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type SpawnedGateway, spawnGateway } from '../../support/spawn-gateway.ts';
import { until } from '../../support/until.ts';
import { callPatiently } from '../patient-calls.ts';

const PROVIDER_FILE = JSON.stringify({
  id: 'keyed',
  name: 'Keyed',
  auth: 'api-key',
  apiBaseUrl: 'http://127.0.0.1:9',
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
});

let database: TestDatabase;
let store: pg.Client;
let catalog: { path: string; remove: () => Promise<void> };
let receiver: Receiver;
let survivor: SpawnedGateway;
let project: Project;
let integrationId: string;
let report: KillReport;
let reach: Reach = () => 'go on';

beforeAll(async () => {
  catalog = await createCatalogDir({ keyed: PROVIDER_FILE });
  database = await createTestDatabase();
  store = new pg.Client(connectionSettings(database.url));
  await store.connect();
  receiver = await startReceiver((response) => {
    if (reach('the receiver has the event') === 'break off') return;
    response.writeHead(200).end();
    reach('the receiver has answered');
  });
  const port = await findFreePort();
  const env = { ENCRYPTION_KEYS: createEncryptionKey(), RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0' };
  const start = (databaseUrl: string) => spawnGateway({ catalogDir: catalog.path, databaseUrl, port, env });
  const first = await start(database.url);
  project = await provision(first);
  const bearer = project.apiKey;
  const integration = { serviceProvider: 'keyed' };
  ({ id: integrationId } = await callPatiently(first.url, 'POST', '/v1/integrations', {
    bearer,
    body: integration,
  }));
  const destination = { url: receiver.url, types: ['connection.created'] };
  await callPatiently(first.url, 'POST', '/v1/event-destinations', { bearer, body: destination });
  await first.stop();
  report = await killAtEveryStep({
    databaseUrl: database.url,
    start: (databaseUrl) => start(databaseUrl),
    async flow(victim, run, reached, signal) {
      reach = reached;
      await importUser(victim, run);
      await until(() => signal.aborted || isDelivered(run));
    },
    // Jobs are looked for all the time, and claimed by the same statements.
    alsoSteps: /job_queue/,
  });
  reach = () => 'go on';
  survivor = await start(database.url);
});

afterAll(async () => {
  await survivor?.stop();
  await receiver?.close();
  await store?.end();
  await database?.drop();
  await catalog?.remove();
});

/** A change that has an event. */
const importUser = ({ url }: { url: string }, run: number) =>
  callApi(url, 'POST', '/v1/connections', {
    bearer: project.apiKey,
    headers: { 'idempotency-key': `run-${run}` },
    body: { integrationId, userId: `user-${run}`, credentials: { apiKey: 'key-of-the-user' } },
  });

async function isDelivered(run: number): Promise<boolean> {
  const { rows } = await store.query(
    `SELECT 1 FROM deliveries d JOIN events e ON e.id = d.event_id
       JOIN end_users u ON u.id = e.end_user_id
      WHERE u.subject = $1 AND d.state = 'delivered'`,
    [`user-${run}`],
  );
  return rows.length > 0;
}

describe('a process that is killed at any step between a change and the delivery of its event', () => {
  it('was killed at each of them, before the event was in the stream and after it was received', () => {
    const steps = report.kills.map(({ step }) => step);
    expect(report.unreached.filter((step) => !/job_queue|data_keys/.test(step))).toEqual([]);
    expect(steps).toContain('the receiver has the event');
    expect(steps.some((step) => /insert into "?event_outbox/i.test(step))).toBe(true);
    expect(steps.length).toBeGreaterThanOrEqual(15);
  });

  it('has made the change once, whether its caller heard of it or not', async () => {
    for (let run = 1; run <= report.runs; run += 1) {
      await until(async () => (await importUser(survivor, run)).status === 201);
    }
    const { rows } = await store.query(
      'SELECT end_user_id, count(*)::int AS count FROM connections GROUP BY 1',
    );
    expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
    expect(rows).toHaveLength(report.runs);
  });

  it('has lost no event and told none twice, in a sequence without a gap, and all of them are received', async () => {
    const readEvents = async () => {
      const { rows } = await store.query(
        `SELECT id, position::int AS position, end_user_id AS user FROM events
          WHERE project_id = $1 AND type = 'connection.created' ORDER BY position`,
        [project.id],
      );
      return rows;
    };
    await until(async () => (await readEvents()).length >= report.runs);
    const events = await readEvents();
    expect(new Set(events.map(({ user }) => user)).size).toBe(report.runs);
    expect(events).toHaveLength(report.runs);
    const { rows } = await store.query(
      'SELECT max(position) - min(position) + 1 - count(*) AS gaps FROM events WHERE project_id = $1',
      [project.id],
    );
    expect(Number(rows[0].gaps)).toBe(0);
    const received = () => new Set(receiver.received.map(({ id }) => id));
    await until(() => events.every(({ id }) => received().has(id)));
    const bodies = Map.groupBy(receiver.received, ({ id }) => id);
    expect([...bodies.values()].filter((same) => new Set(same.map(({ body }) => body)).size > 1)).toEqual([]);
    expect(bodies.size).toBe(events.length);
  });

  it('leaves nothing that waits', async () => {
    await until(async () => {
      const { rows } = await store.query(
        `SELECT (SELECT count(*) FROM deliveries WHERE next_attempt_at IS NOT NULL)
              + (SELECT count(*) FROM event_outbox) AS waiting`,
      );
      return Number(rows[0].waiting) === 0;
    });
  });
});
