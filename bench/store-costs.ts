/**
 * `node bench/store-costs.ts [--connections 2000] [--calls 5000] [--refreshes 200] [--events 5000] [--contacts 10000]`: what the
 * store spends on a call, a connection, a refresh, an event with its delivery, and a page of a poll: processor time of Postgres's
 * processes, statements, rows, WAL. Prints the table of docs/capacity.md. In an embedded Postgres of its own.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadModule } from 'libpg-query';
import pg from 'pg';
import { startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { connectionSettings } from '../src/platform/postgres/connection.ts';
import { createDatabase } from '../src/platform/postgres/database.ts';
import { callApi, callApiOk } from '../test/support/gateway.ts';
import { createDataDir } from '../test/support/gateway-environment.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { CONTACTS, connectAccount, proxyUrl, startStage } from '../test/support/stage.ts';
import { describeDistribution, readPlacement } from '../test/support/statements/placement.ts';
import { judgeReach } from '../test/support/statements/reach.ts';
import { until } from '../test/support/until.ts';
import { processorMs } from './postgres-processor.ts';

const NUMBER = { type: 'string' } as const;
const { values } = parseArgs({
  options: { connections: NUMBER, calls: NUMBER, refreshes: NUMBER, events: NUMBER, contacts: NUMBER },
});
const count = (name: keyof typeof values, usual: number) => Number(values[name] ?? usual);
/** The store writes numbers of calls, last uses and the like later. */
const SETTLE_MS = 12_000;
const AT_ONCE = 4;
const IDLE = 'a second of one idle process';
const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };

await loadModule();
const data = await createDataDir();
const server = await startWithStatistics(data.path);
const db = new pg.Client(connectionSettings(server.url));
await db.connect();
await db.query('CREATE EXTENSION pg_stat_statements');
const stage = await startStage({
  crm: { contacts: count('contacts', 10_000), rateLimits: { perTenSeconds: 1e9, perDay: 1e9 } },
  gateway: {
    databaseUrl: server.url,
    env: { RATE_LIMIT_PROXY_PER_MINUTE: '0', RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0', LOG_LEVEL: 'warn' },
  },
});
const { gateway, project, crm, integration } = stage;
const pool = createDatabase({ url: server.url, applicationName: 'store-costs', poolMax: 1 });
const distribution = await describeDistribution(readPlacement(), pool.knex);
const byKey = { bearer: project.apiKey };
const lines: string[] = [];
/** What the gateway does anyway in a second: chores, looks for work. It is taken off. */
let idle = { cpuMs: 0, calls: 0, rows: 0, wal: 0 };
await measureAll();
console.log(
  [
    '| work | Postgres, ms of CPU | statements | rows | WAL, bytes | statements that name their project |',
    '|---|---|---|---|---|---|',
    ...lines,
  ].join('\n'),
);
await pool.close();
await db.end();
await stage.close();
await server.stop();
await data.remove();

async function measureAll(): Promise<void> {
  // What a process does once at its start is over by then.
  await delay(3 * SETTLE_MS);
  await measure(IDLE, 1, () => Promise.resolve());
  await connectAccount(stage, { userId: 'caller' });
  // Before there are other connections, which would be polled as well.
  await measurePolls();
  const connections = count('connections', 2_000);
  const bytesBefore = await tableBytes();
  await measure('connection imported', connections, () =>
    repeat(connections, (number) => importConnection(`user-${number}`)),
  );
  const bytes = ((await tableBytes()) - bytesBefore) / connections;
  console.error(`${Math.round(bytes)} bytes a connection, with its user, activity and event`);
  await measure('first call of a user in a process', connections, () =>
    repeat(connections, (number) => call(`user-${number}`)),
  );
  const calls = count('calls', 5_000);
  await measure('call, warm', calls, () => repeat(calls, () => call('caller')));
  await measureRefreshes(count('refreshes', 200));
  await measureEvents(count('events', 5_000));
}

/** Of users of their own, since a refusal by the provider leads to one refresh a minute and connection. */
async function measureRefreshes(refreshes: number): Promise<void> {
  const users = Array.from({ length: refreshes }, (_, index) => `refreshed-${index + 1}`);
  for (const userId of users) {
    await connectAccount(stage, { userId });
    await call(userId);
  }
  crm.expireAccessTokens();
  await measure('refresh', refreshes, () => repeat(refreshes, (number) => call(`refreshed-${number}`)));
}

/** Events of connections that change, which a destination takes. */
async function measureEvents(events: number): Promise<void> {
  const receiver = await startReceiver();
  const body = { url: receiver.url, types: ['connection.*'] };
  const destination = await callApiOk(gateway.url, 'POST', '/v1/event-destinations', { ...byKey, body });
  await measure('event of a change, with its delivery', events, async () => {
    await repeat(events, (number) => importConnection(`heard-${number}`));
    await until(() => receiver.received.length >= events);
  });
  await callApiOk(gateway.url, 'DELETE', `/v1/event-destinations/${destination.id}`, byKey);
  await receiver.close();
}

async function measurePolls(): Promise<void> {
  const pages = count('contacts', 10_000) / 100;
  const custom = {
    object: 'contact',
    record: { id: 'id', updatedAt: { path: 'updatedAt' } },
    list: {
      request: { path: CONTACTS, query: { limit: '100', after: '{page}' } },
      paging: { by: 'token', path: 'paging.next.after' },
      items: 'results',
    },
  };
  let poll = { id: '' };
  await measure('page of 100 records of a poll, first run', pages, async () => {
    poll = await callApiOk(gateway.url, 'POST', '/v1/polls', {
      ...byKey,
      body: { integrationId: integration.id, intervalSeconds: 3600, backfill: 'full', custom },
    });
    await until(async () => {
      const shown = await callApiOk(gateway.url, 'GET', `/v1/polls/${poll.id}/connections`, byKey);
      return shown.connections.some((one: { lastRunAt: string | null }) => one.lastRunAt !== null);
    });
  });
  await callApiOk(gateway.url, 'DELETE', `/v1/polls/${poll.id}`, byKey);
}

async function importConnection(userId: string): Promise<void> {
  const body = { integrationId: integration.id, userId, credentials: { accessToken: `token-of-${userId}` } };
  for (;;) {
    const { status, text } = await callApi(gateway.url, 'POST', '/v1/connections', { ...byKey, body });
    if (status === 201) return;
    // A machine that others use as well.
    if (status !== 503) throw new Error(`${status} ${text}`);
  }
}

async function call(userId: string): Promise<void> {
  const headers = { authorization: `Bearer ${project.userToken(userId)}` };
  const answer = await fetch(proxyUrl(stage, `${CONTACTS}?limit=1`), { headers });
  await answer.arrayBuffer();
  // Users of imported connections have tokens that the provider has not given.
  const isConnected = userId === 'caller' || userId.startsWith('refreshed-');
  if (isConnected && answer.status !== 200) throw new Error(`${userId} was answered ${answer.status}`);
}

async function repeat(times: number, run: (number: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < times) {
      next += 1;
      await run(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

type Statement = { query: string; calls: string; rows: string; wal: string };

async function measure(name: string, times: number, run: () => Promise<void>): Promise<void> {
  await delay(SETTLE_MS);
  await db.query('SELECT pg_stat_statements_reset()');
  const [cpuBefore, beganMs] = [await processorMs(data.path), performance.now()];
  await run();
  await delay(SETTLE_MS);
  const cpuMs = (await processorMs(data.path)) - cpuBefore;
  const seconds = (performance.now() - beganMs) / 1000;
  const { rows } = await db.query<Statement>(
    'SELECT query, calls, rows, wal_bytes AS wal FROM pg_stat_statements WHERE toplevel',
  );
  const own = rows.filter(({ query }) => !/pg_stat_statements/.test(query));
  const sum = (of: (statement: Statement) => string) =>
    own.reduce((total, one) => total + Number(of(one)), 0);
  const all = {
    cpuMs,
    calls: sum((one) => one.calls),
    rows: sum((one) => one.rows),
    wal: sum((one) => one.wal),
  };
  if (name === IDLE) idle = mapValues(all, (total) => total / seconds);
  const each = mapValues(all, (total, kind) =>
    name === IDLE ? idle[kind] : (total - idle[kind] * seconds) / times,
  );
  const cells = [each.cpuMs.toFixed(3), each.calls.toFixed(1), each.rows.toFixed(1), each.wal.toFixed(0)];
  lines.push(`| ${[name, ...cells, shareNamed(own)].join(' | ')} |`);
  console.error(lines.at(-1));
}

type Costs = typeof idle;

function mapValues(costs: Costs, change: (value: number, kind: keyof Costs) => number): Costs {
  const { cpuMs, calls, rows, wal } = costs;
  return {
    cpuMs: change(cpuMs, 'cpuMs'),
    calls: change(calls, 'calls'),
    rows: change(rows, 'rows'),
    wal: change(wal, 'wal'),
  };
}

/** Of the executions that reach a table of a project. */
function shareNamed(statements: readonly Statement[]): string {
  let [named, all] = [0, 0];
  for (const { query, calls } of statements) {
    const reach = judge(query);
    if (reach === undefined || reach.tables.length === 0) continue;
    all += Number(calls);
    if (reach.unnamed.length === 0) named += Number(calls);
  }
  return all === 0 ? '-' : `${Math.round((named * 100) / all)} %`;
}

/** What pg_stat_statements has normalized is not always a statement: `interval $1` is none. */
function judge(query: string) {
  try {
    return judgeReach(query, distribution);
  } catch {
    return undefined;
  }
}

async function tableBytes(): Promise<number> {
  const { rows } = await db.query<{ bytes: string }>(
    "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  return Number(rows[0]?.bytes);
}

/** Only a server that loads the module at its start counts statements. */
async function startWithStatistics(dataDir: string) {
  const first = await startEmbeddedPostgres({ dataDir, log });
  const client = new pg.Client(connectionSettings(first.url));
  await client.connect();
  await client.query("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'");
  await client.query('ALTER SYSTEM SET pg_stat_statements.max = 20000');
  await client.end();
  await first.stop();
  return startEmbeddedPostgres({ dataDir, log });
}
