import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startGatewayProcess, waitUntilReady } from '../examples/demo/gateway-process.ts';
import { connectionSettings } from '../src/platform/postgres/connection.ts';
import { insertCallNumbers, sizesOfNumbers } from './scale-numbers.ts';

/**
 * `node bench/scale.ts [--rows 100000,1000000]`: how long the API takes for a page of connections by every filter, and
 * for numbers of calls, with so many rows in the embedded store; and how large a year of numbers is.
 */
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000,1000000' },
    providers: { type: 'string', default: '425' },
  },
});
const PORT = 29_871;
const URL = `http://127.0.0.1:${PORT}`;
const SETUP_TOKEN = 'bench-setup-token-0123456789';
const RUNS = 9;

const directory = mkdtempSync(join(tmpdir(), 'bench-scale-'));
// As root the embedded Postgres runs under another user, who has to get through.
chmodSync(directory, 0o755);
const dataDir = join(directory, 'data');
const gateway = startGatewayProcess({
  directory,
  env: {
    PORT: String(PORT),
    PUBLIC_URL: URL,
    DATA_DIR: dataDir,
    SETUP_TOKEN,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_MANAGEMENT_PER_MINUTE: '0',
    STATS_MINUTES_KEEP_HOURS: '168',
  },
});
try {
  await waitUntilReady(URL, gateway);
  await measure();
} finally {
  await gateway.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function measure(): Promise<void> {
  const made = await call('POST', '/setup', '', {
    token: SETUP_TOKEN,
    email: 'bench@example.test',
    password: 'a long enough password',
  });
  const projectId: string = made.project.id;
  const key: string = made.apiKey.key;
  const integrationIds: string[] = [];
  for (const serviceProvider of ['hubspot', 'hubspot', 'github', 'slack']) {
    const body = { serviceProvider, clientId: 'c', clientSecret: 's', scopes: [] };
    integrationIds.push((await call('POST', '/integrations', key, body)).id);
  }
  const db = new pg.Client(
    connectionSettings(`postgresql://app@localhost/app?host=${dataDir}/postgres/data-18`),
  );
  db.on('error', () => undefined);
  await db.connect();
  let rows = 0;
  for (const wanted of (options.rows ?? '').split(',').map(Number)) {
    await insertConnections(db, projectId, integrationIds, rows, wanted);
    rows = wanted;
    await reportConnections(`${wanted.toLocaleString('en')} connections`, projectId, key, integrationIds);
  }
  const began = performance.now();
  await insertCallNumbers(db, projectId, Number(options.providers));
  console.log(`numbers generated in ${Math.round((performance.now() - began) / 1000)} s`);
  console.table(await sizesOfNumbers(db));
  await reportNumbers(projectId, key);
  await db.end();
}

/** A user for each connection; most in the first two integrations, few in the last; three in a hundred want their user. */
async function insertConnections(
  db: pg.Client,
  projectId: string,
  integrationIds: readonly string[],
  from: number,
  to: number,
): Promise<void> {
  await db.query('ALTER TABLE connections DISABLE TRIGGER USER');
  for (let first = from; first < to; first += 50_000) {
    await db.query(
      `WITH numbered AS (
         SELECT n, lpad(to_hex((1750000000000 + n * 1000)::bigint), 12, '0') AS time FROM generate_series($2::int, $3::int) AS n),
       ids AS (
         SELECT n, (substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || substr(md5(n::text), 1, 3) || '-8'
           || substr(md5(n::text), 4, 3) || '-' || substr(md5(n::text), 7, 12))::uuid AS id FROM numbered),
       users AS (
         INSERT INTO end_users (id, project_id, subject) SELECT id, $1, 'user-' || n FROM ids)
       SELECT 1`,
      [projectId, first, Math.min(first + 50_000, to) - 1],
    );
    await db.query(
      `INSERT INTO connections (id, project_id, integration_id, end_user_id, status, credentials_sealed, account_id, account_name)
       SELECT u.id, $1, ($4::uuid[])[CASE WHEN n % 1000 = 0 THEN 4 WHEN n % 10 = 0 THEN 3 ELSE 1 + n % 2 END], u.id,
         CASE WHEN n % 33 = 0 THEN 'reauthorization_required' ELSE 'active' END, repeat('sealed', 100),
         'acct_' || md5(n::text), CASE WHEN n % 5 < 4 THEN 'Company ' || n || ' of ' || md5(n::text) END
       FROM end_users AS u, LATERAL (SELECT substr(u.subject, 6)::int AS n) AS numbered
       WHERE u.project_id = $1 AND n BETWEEN $2 AND $3`,
      [projectId, first, Math.min(first + 50_000, to) - 1, integrationIds],
    );
  }
  await db.query('ALTER TABLE connections ENABLE TRIGGER USER');
  for (const table of ['connections', 'end_users']) await db.query(`VACUUM ANALYZE ${table}`);
}

async function reportConnections(
  title: string,
  projectId: string,
  key: string,
  integrationIds: readonly string[],
): Promise<void> {
  const [first = '', , , rare = ''] = integrationIds;
  const newest = (await call('GET', `/projects/${projectId}/connections?limit=1`, key)).connections[0];
  const filters: Record<string, string> = {
    'first page': '',
    'second page': `cursor=${(await call('GET', `/projects/${projectId}/connections`, key)).nextCursor}`,
    userId: 'userId=user-777',
    'userId, unknown': 'userId=nobody',
    integrationUserId: `integrationUserId=${newest.integrationUserId}`,
    'integrationId, half of all': `integrationId=${first}`,
    'integrationId, rare': `integrationId=${rare}`,
    'serviceProvider, two integrations': 'serviceProvider=hubspot',
    'serviceProvider, rare': 'serviceProvider=slack',
    'serviceProvider, unused': 'serviceProvider=stripe',
    'status active': 'status=active',
    'status reauthorization_required': 'status=reauthorization_required',
    'status and rare integration': `status=reauthorization_required&integrationId=${rare}`,
    'search, one user': 'search=user-77777',
    'search, all users': 'search=u',
    'search, one account name': `search=${encodeURIComponent('company 4242 ')}`,
    'search, all account names': 'search=comp',
    'search, account id': `search=${encodeURIComponent(newest.accountId.slice(0, 20))}`,
    'search, connection id': `search=${newest.id.slice(0, 13)}`,
    'search, nothing': 'search=zzz',
    'search and status': 'search=user-1&status=reauthorization_required',
  };
  const times: Record<string, object> = {};
  for (const [name, query] of Object.entries(filters))
    times[name] = await time(
      `/projects/${projectId}/connections?${query}`,
      key,
      ({ connections }) => connections?.length,
    );
  times['integrations with numbers'] = await time(
    '/integrations?include=numbers',
    key,
    (body) => body.integrations?.length,
  );
  times['search field, a user'] = await time('/search?q=user-4242', key, ({ results }) => results?.length);
  console.log(title);
  console.table(times);
}

async function reportNumbers(projectId: string, key: string): Promise<void> {
  const queries: Record<string, string> = {
    'a day by hour, 10 providers': 'step=hour',
    'an hour by minute, 50 integrations': 'step=minute&groupBy=integration&limit=50',
    '12 hours by minute, 8 providers': `step=minute&limit=8&from=${new Date(Date.now() - 12 * 3_600_000).toISOString()}`,
    '21 days by hour, 10 providers': `step=hour&from=${new Date(Date.now() - 21 * 86_400_000).toISOString()}`,
    '400 days, 10 providers': `step=day&from=${new Date(Date.now() - 400 * 86_400_000).toISOString()}`,
    '400 days by origin': `step=day&groupBy=origin&from=${new Date(Date.now() - 400 * 86_400_000).toISOString()}`,
  };
  const times: Record<string, object> = {};
  for (const [name, query] of Object.entries(queries))
    times[name] = await time(`/projects/${projectId}/stats?${query}`, key, ({ series }) => series?.length);
  console.table(times);
}

/** The median and the slowest of some runs, the first one included. */
async function time(
  path: string,
  key: string,
  count: (body: Record<string, readonly unknown[]>) => number | undefined,
) {
  const samples: number[] = [];
  let found: number | undefined;
  for (let run = 0; run < RUNS; run += 1) {
    const began = performance.now();
    found = count(await call('GET', path, key));
    samples.push(performance.now() - began);
  }
  const sorted = samples.toSorted((a, b) => a - b);
  const ms = (value: number | undefined) => Math.round((value ?? 0) * 10) / 10;
  return { found, 'median ms': ms(sorted[RUNS >> 1]), 'slowest ms': ms(sorted.at(-1)) };
}

async function call(method: string, path: string, bearer: string, body?: unknown) {
  const answer = await fetch(`${URL}/v1${path}`, {
    method,
    headers: {
      ...(bearer !== '' && { Authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
