import { loadModule } from 'libpg-query';
import { callApi, callApiOk } from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { CONTACTS, proxyUrl, type Stage, startStage } from '../support/stage.ts';
import { type StatementRecorder, startStatementRecorder } from '../support/statement-recorder.ts';
import {
  describeDistribution,
  describeReach,
  findKeylessConstraints,
  type Placement,
  readPlacement,
  WAYS,
  type Way,
} from '../support/statements/placement.ts';
import { type Distribution, judgeReach } from '../support/statements/reach.ts';
import { until } from '../support/until.ts';
import { prepareWalk } from '../support/walked-project.ts';

let database: TestDatabase;
let placement: Placement;
let distribution: Distribution;

beforeAll(async () => {
  await loadModule();
  database = await createTestDatabase();
  placement = readPlacement();
  distribution = await describeDistribution(placement, database.knex);
});
afterAll(() => database?.drop());

describe('docs/distribution.yaml', () => {
  it('places every table of the schema', async () => {
    const { rows } = await database.knex.raw(
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'knex%'",
    );
    const { distributed, keyless, reference, local } = placement;
    const placed = [...Object.keys(distributed), ...Object.keys(keyless), ...reference, ...local];
    expect(placed.sort()).toEqual(rows.map(({ relname }: { relname: string }) => relname).sort());
    const columns = Object.entries(distributed).filter(([table, key]) => !distribution.hasColumn(table, key));
    expect(columns).toEqual([]);
  });

  it('lists every unique index and foreign key that lacks the key of its table', async () => {
    expect(await findKeylessConstraints(distribution, database.knex)).toEqual(placement.constraints);
  });
});

describe('the judgement of a statement', () => {
  const judge = (sql: string) => judgeReach(sql, distribution).unnamed.map(({ table, by }) => [table, ...by]);

  it.each([
    'SELECT * FROM connections WHERE project_id = $1 AND id = $2',
    'SELECT * FROM connections WHERE project_id = ANY($1::uuid[])',
    'SELECT * FROM connections c JOIN end_users u ON u.project_id = c.project_id WHERE c.project_id IN ($1, $2)',
    'SELECT * FROM connections c JOIN end_users u USING (project_id) WHERE u.project_id = $1',
    'UPDATE polls SET paused_at = now() FROM projects p WHERE p.id = polls.project_id AND p.id = $1',
    'INSERT INTO polls (id, project_id) SELECT id, project_id FROM connections WHERE project_id = $1',
    'INSERT INTO polls (id, project_id) SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS given (id, project_id)',
    'WITH gone AS (DELETE FROM polls WHERE project_id = $1 RETURNING project_id) SELECT FROM connections c JOIN gone USING (project_id)',
    'DELETE FROM polls WHERE (project_id, id) IN (SELECT project_id, id FROM polls WHERE project_id = $1 LIMIT $2)',
    'SELECT * FROM operators WHERE id = $1',
  ])('finds the key in %s', (sql) => {
    expect(judge(sql)).toEqual([]);
  });

  it.each([
    ['SELECT * FROM connections WHERE id = $1', [['connections', 'id']]],
    ['SELECT * FROM connections WHERE project_id = $1 OR id = $2', [['connections']]],
    ['SELECT * FROM connections WHERE project_id <> $1', [['connections']]],
    [
      'SELECT * FROM connections c JOIN end_users u ON u.id = c.end_user_id WHERE c.project_id = $1',
      [['end_users', 'id']],
    ],
    [
      'DELETE FROM polls WHERE id IN (SELECT id FROM polls WHERE project_id = $1 LIMIT $2)',
      [['polls', 'id']],
    ],
    ['UPDATE polls SET project_id = $1 WHERE id = $2', [['polls', 'id']]],
    [
      'SELECT FROM projects p WHERE EXISTS (SELECT FROM polls WHERE project_id = p.id)',
      [
        ['projects', 'id'],
        ['polls', 'project_id'],
      ],
    ],
  ])('misses the key in %s', (sql, expected) => {
    expect(judge(sql)).toEqual(expected);
  });
});

describe('the statements of a gateway whose every operation is called', () => {
  let stage: Stage;
  let recorder: StatementRecorder;
  let receiver: Receiver;

  beforeAll(async () => {
    recorder = await startStatementRecorder(database.url);
    stage = await startStage({ gateway: { databaseUrl: recorder.url } });
    receiver = await startReceiver();
    await walk();
  });
  afterAll(async () => {
    await stage?.close();
    await receiver?.close();
    await recorder?.close();
  });

  /** Deliveries, a refresh, webhooks and polls as well, which no operation brings about at once. */
  async function walk(): Promise<void> {
    const { gateway, project, crm } = stage;
    const byKey = { bearer: project.apiKey };
    const body = { url: receiver.url, types: ['*'] };
    await callApiOk(gateway.url, 'POST', '/v1/event-destinations', { ...byKey, body });
    const { ids, pathTo, bodyOf } = await prepareWalk(stage);
    await until(() => receiver.received.length > 0);
    crm.expireAccessTokens();
    const headers = { authorization: `Bearer ${project.userToken('u')}` };
    expect((await fetch(proxyUrl(stage, CONTACTS), { headers })).status).toBe(200);
    const integration = await callApiOk(gateway.url, 'GET', `/v1/integrations/${ids.integrations}`, byKey);
    await callApi(integration.webhookUrl, 'POST', '', { body: [] });
    for (const operation of (await readOperations(gateway.url)).toSorted(endsLast)) {
      for (const bearer of [project.personalAccessToken, project.apiKey, project.userToken('u')]) {
        await callApi(gateway.url, operation.method, pathTo(operation), { bearer, body: bodyOf(operation) });
      }
    }
  }

  /** What ends others' rows comes after them. */
  function endsLast(one: Operation, other: Operation): number {
    const rank = ({ operationId }: Operation) =>
      Number(/^(?:delete|remove|revoke)/.test(operationId)) +
      Number(/Project$|Session$|Operator$/.test(operationId));
    return rank(one) - rank(other);
  }

  it('name the key of each table, or are of a kind that the file lists', async () => {
    const found: Record<Way, Set<string>> = { bySecret: new Set(), byId: new Set(), overAll: new Set() };
    const counts = { named: 0, unnamed: 0, other: 0 };
    for (const [sql] of recorder.statements) {
      const reach = judgeReach(sql, distribution);
      if (reach.unnamed.length > 0) {
        counts.unnamed += 1;
        const { way, shape } = describeReach(sql, reach);
        found[way].add(shape);
      } else if (reach.tables.length > 0) counts.named += 1;
      else counts.other += 1;
    }
    const { statements } = placement;
    const missing = WAYS.flatMap((way) =>
      [...found[way]].filter((shape) => !statements[way].includes(shape)).map((shape) => `${way}: ${shape}`),
    );
    expect(missing).toEqual([]);
    expect(counts.named).toBeGreaterThan(counts.unnamed);
  });
});
