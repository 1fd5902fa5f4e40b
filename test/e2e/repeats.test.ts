import { generateKeyPairSync } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import pg from 'pg';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { newId } from '../../src/lib/ids.ts';
import { hashPassword } from '../../src/operators/accounts/password.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { askApproval } from '../support/approval-stage.ts';
import { readDeclarations } from '../support/declarations.ts';
import { seedDelivery } from '../support/deliveries.ts';
import { callApi, callApiOk, OPERATOR, seedOperator } from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import {
  authorize,
  PROVIDER,
  readOutcome,
  type Stage,
  startConnectSession,
  startStage,
} from '../support/stage.ts';
import { until } from '../support/until.ts';
import { seedReceipt } from '../support/webhook-receipts.ts';

/** Made before the transaction and found again by every repeat: a user's id, the time of a credential's last use. */
const NOT_COUNTED = [
  'end_users',
  'event_replays',
  'idempotency_keys',
  'knex_migrations',
  'knex_migrations_lock',
  // Counted in memory, and written every two seconds or less.
  ...['stored_amounts', 'limit_ledger'],
  // Calls of the preparations, which are counted and merged in the background.
  ...['call_counts_pending', 'call_rollups', 'call_series', 'recent_calls', 'usage_counts'],
];
/** Needs a gateway that is held, where nothing else happens: test/e2e/restored repeats it. */
const ELSEWHERE = ['resumeGateway'];
let stage: Stage;
let database: pg.Client;
let operations: Operation[];
let declarations: ReadonlyMap<string, Endpoint>;
/** Ids of what there is, by the path segment under which it is found, for operations that need no more. */
let ids: Record<string, string>;
/** What operations are called with that need more than the ids and their own sample body. */
let calls: Record<string, { path: string; body?: object; bearer?: string; headers?: Record<string, string> }>;

beforeAll(async () => {
  stage = await startStage({ gateway: { expectedFault: 'full_up' } });
  const { gateway, project, integration } = stage;
  const { apiKey, personalAccessToken } = project;
  database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await database.connect();
  operations = (await readOperations(gateway.url))
    // Without credentials nothing says who repeats.
    .filter(({ method, schemes }) => method === 'POST' && schemes.length > 0)
    .filter(({ operationId }) => !ELSEWHERE.includes(operationId));
  declarations = await readDeclarations();
  await seedOperator(gateway.databaseUrl ?? '');
  const { rows } = await database.query("SELECT email FROM operators WHERE email LIKE '%@example.test'");
  const newcomer = rows.map(({ email }) => email).find((email) => !email.startsWith('owner@'));
  const { apiKeys } = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/api-keys`, {
    bearer: personalAccessToken,
  });
  const session = await startConnectSession(stage, 'completing');
  const { message } = readOutcome(await authorize(stage, session.url));
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ofProject = `/v1/projects/${project.id}`;
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const asOperator = { bearer: personalAccessToken };
  const asBackend = { bearer: apiKey };
  const tested = await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer: apiKey,
    body: { integrationId: integration.id, userId: 'tested', credentials: { accessToken: 'a' } },
  });
  const made = await callApiOk(gateway.url, 'POST', '/v1/event-destinations', {
    bearer: apiKey,
    body: { url: 'http://127.0.0.1:9/', types: ['none.*'] },
  });
  const destination = `/v1/event-destinations/${made.id}`;
  const disabled = await callApiOk(gateway.url, 'POST', '/v1/event-destinations', {
    bearer: apiKey,
    body: { url: 'http://127.0.0.1:9/', types: ['none.*'] },
  });
  await callApiOk(gateway.url, 'POST', `/v1/event-destinations/${disabled.id}/disable`, { bearer: apiKey });
  const delivery = await seedDelivery(database, { projectId: project.id, destinationId: disabled.id });
  const { events } = await callApiOk(gateway.url, 'GET', '/v1/events?limit=1&wait=30', { bearer: apiKey });
  // For the retry of all.
  await seedDelivery(database, { projectId: project.id, destinationId: disabled.id });
  const custom = { object: 'repeated', record: { id: 'id' }, list: { request: { path: '/repeated' } } };
  // Without connections, so that nothing runs in the background while rows are counted.
  const idle = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: apiKey,
    body: { serviceProvider: 'pipedrive', clientId: 'c', clientSecret: 's', scopes: ['base'] },
  });
  const ofPoll = { integrationId: idle.id, intervalSeconds: 3600 };
  const poll = (object: string) =>
    callApiOk(gateway.url, 'POST', '/v1/polls', {
      bearer: apiKey,
      body: { ...ofPoll, custom: { ...custom, object } },
    });
  const [running, toPause, paused] = [await poll('running'), await poll('to_pause'), await poll('paused')];
  await callApiOk(gateway.url, 'POST', `/v1/polls/${paused.id}/pause`, { bearer: apiKey });
  const byHand = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: apiKey,
    body: { serviceProvider: 'docusign', clientId: 'c', clientSecret: 's', scopes: ['signature'] },
  });
  const handshaking = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer: apiKey,
    body: { serviceProvider: 'notion', clientId: 'c', clientSecret: 's', scopes: [] },
  });
  const receiptId = await seedReceipt(database, { projectId: project.id, integrationId: integration.id });
  // Nothing is split while this session holds the lock, so that only the requests change the store.
  await database.query(`SELECT pg_advisory_lock(hashtextextended('webhooks ' || $1, 0))`, [project.id]);
  const ask = (path: string) => askApproval(gateway, project, { userId: 'tested', provider: PROVIDER, path });
  const [toApprove, toReject, toShow] = [await ask('/1'), await ask('/2'), await ask('/3')];
  const empty = await callApiOk(gateway.url, 'POST', '/v1/projects', {
    ...asOperator,
    body: { name: 'Empty' },
  });
  const configurationPath = `/v1/projects/${empty.id}/configuration`;
  const configuration = { project: { requireMandate: true } };
  const { stateHash } = await callApiOk(gateway.url, 'POST', `${configurationPath}/plan`, {
    ...asOperator,
    body: { configuration },
  });
  ids = {
    projects: project.id,
    integrations: integration.id,
    connections: tested.id,
    'event-destinations': made.id,
    'webhook-receipts': receiptId,
    polls: running.id,
  };
  calls = {
    applyConfiguration: {
      ...asOperator,
      path: `${configurationPath}/apply`,
      body: { configuration, stateHash },
    },
    approveApproval: { ...asBackend, path: `/v1/approvals/${toApprove}/approve` },
    rejectApproval: { ...asBackend, path: `/v1/approvals/${toReject}/reject` },
    createApprovalSession: {
      ...asBackend,
      path: `/v1/approvals/${toShow}/sessions`,
      body: { userId: 'tested' },
    },
    revokeAll: { ...asOperator, path: `/v1/projects/${empty.id}/revoke-all` },
    createPoll: { ...asBackend, path: '/v1/polls', body: { ...ofPoll, custom } },
    pausePoll: { ...asBackend, path: `/v1/polls/${toPause.id}/pause` },
    resumePoll: { ...asBackend, path: `/v1/polls/${paused.id}/resume` },
    runPoll: { ...asBackend, path: `/v1/polls/${running.id}/run` },
    createProject: { ...asOperator, path: '/v1/projects', body: { name: 'Repeated' } },
    createApiKey: { ...asOperator, path: `${ofProject}/api-keys`, body: { name: 'Repeated' } },
    rotateApiKey: { ...asOperator, path: `${ofProject}/api-keys/${apiKeys[0].id}/rotate`, body: {} },
    createSigningKey: {
      ...asOperator,
      path: `${ofProject}/signing-keys`,
      body: { alg: 'ES256', publicKey: pem },
    },
    testKeySet: {
      ...asOperator,
      path: `${ofProject}/signing-keys/test`,
      body: { jwksUrl: `${stage.crm.url}/oauth/jwks` },
    },
    addMember: { ...asOperator, path: `${ofProject}/members`, body: { email: newcomer, role: 'viewer' } },
    acceptOwnInvitation: await prepareAcceptance(personalAccessToken),
    addGatewayOwner: await prepareAppointment(personalAccessToken),
    createPersonalAccessToken: {
      ...asOperator,
      path: '/v1/personal-access-tokens',
      body: { name: 'x', password: OPERATOR.password },
    },
    rotatePersonalAccessToken: await prepareRotation(personalAccessToken),
    createInvitation: {
      ...asOperator,
      path: `${ofProject}/invitations`,
      body: { email: 'invited@example.test', role: 'viewer' },
    },
    createOtp: { headers: await enter('first'), path: OTP_PATH, body: { password: OPERATOR.password } },
    confirmOtp: await prepareConfirmation(),
    disableOtp: await prepareDisabling(),
    createUserToken: { ...asBackend, path: '/v1/user-tokens', body: { userId: 'u' } },
    createRevocation: { ...asBackend, path: `${ofProject}/revocations`, body: { jti: 'x' } },
    createIntegration: {
      ...asBackend,
      path: '/v1/integrations',
      body: { serviceProvider: 'hubspot', clientId: 'c', clientSecret: 's', scopes: ['oauth'] },
    },
    probeClient: {
      ...asBackend,
      path: '/v1/integrations/probe',
      body: { serviceProvider: PROVIDER, clientId: 'c', clientSecret: 's' },
    },
    createEventDestination: {
      ...asBackend,
      path: '/v1/event-destinations',
      body: { url: 'http://127.0.0.1:9/', types: ['none.*'] },
    },
    disableEventDestination: { ...asBackend, path: `${destination}/disable` },
    enableEventDestination: { ...asBackend, path: `${destination}/enable` },
    replayEvents: {
      ...asBackend,
      path: `${destination}/replay`,
      body: { from: '2026-01-01T00:00:00Z' },
    },
    redeliverEvent: {
      ...asBackend,
      path: `/v1/events/${events[0].id}/redeliver`,
      body: { destinationId: disabled.id },
    },
    retryDelivery: { ...asBackend, path: `/v1/deliveries/${delivery}/retry` },
    retryDeliveries: {
      ...asBackend,
      path: `/v1/event-destinations/${disabled.id}/retry`,
      body: { states: ['dead'] },
    },
    awaitWebhookHandshake: {
      ...asBackend,
      path: `/v1/integrations/${handshaking.id}/webhook-handshake`,
    },
    createProvider: {
      ...asBackend,
      path: '/v1/providers',
      body: {
        id: 'custom:repeated',
        name: 'Repeated',
        auth: 'api-key',
        apiBaseUrl: 'https://api.repeated.test',
        apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
      },
    },
    createConnectSession: {
      bearer: project.userToken('someone'),
      path: '/v1/connect-sessions',
      body: { integrationId: integration.id },
    },
    completeConnectSession: {
      bearer: project.userToken('completing'),
      path: `/v1/connect-sessions/${message.sessionId}/complete`,
      body: { completionCode: message.completionCode },
    },
    createWebhookSubscription: {
      ...asBackend,
      path: `/v1/integrations/${byHand.id}/subscriptions`,
      body: {},
    },
    importConnection: {
      ...asBackend,
      path: '/v1/connections',
      body: { integrationId: integration.id, userId: 'imported', credentials: { accessToken: 'a' } },
    },
  };
});

const OTP_PATH = '/v1/operators/me/otp';

/** A new operator, signed in: what a browser sends with each request from then on. */
async function enter(name: string): Promise<Record<string, string>> {
  const email = `${name}@operators.example.test`;
  passwordHash ??= hashPassword(OPERATOR.password);
  await database.query(
    'INSERT INTO operators (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, now())',
    [newId(), email, await passwordHash],
  );
  const { url } = stage.gateway;
  const body = { email, password: OPERATOR.password };
  const entered = await callApi(url, 'POST', '/v1/sessions', { body });
  const cookie = entered.headers.getSetCookie().map((field) => field.split(';', 1)[0]);
  return { origin: url, cookie: cookie.join('; ') };
}

let passwordHash: Promise<string> | undefined;

/** The code is made when it is sent, since it is good for a minute. */
async function prepareConfirmation() {
  const headers = await enter('second');
  const { secret } = await callApiOk(stage.gateway.url, 'POST', OTP_PATH, {
    headers,
    body: { password: OPERATOR.password },
  });
  let made: { otp: string } | undefined;
  return {
    headers,
    path: `${OTP_PATH}/confirm`,
    get body() {
      made ??= { otp: new TOTP({ secret: Secret.fromBase32(secret) }).generate() };
      return made;
    },
  };
}

/** Of a token of its own, since the others are used until the end. */
async function prepareRotation(bearer: string) {
  const { password } = OPERATOR;
  const made = await callApiOk(stage.gateway.url, 'POST', '/v1/personal-access-tokens', {
    bearer,
    body: { name: 'Rotated', password },
  });
  return { bearer, path: `/v1/personal-access-tokens/${made.id}/rotate`, body: { password } };
}

async function prepareAppointment(bearer: string) {
  await enter('appointed');
  const email = 'appointed@operators.example.test';
  return { bearer, path: '/v1/gateway/owners', body: { email, password: OPERATOR.password } };
}

/** Of an invitation to another project than the stage's, which has one for each address. */
async function prepareAcceptance(bearer: string) {
  const { url } = stage.gateway;
  const { id } = await callApiOk(url, 'POST', '/v1/projects', { bearer, body: { name: 'Joined' } });
  const headers = await enter('invited');
  const email = 'invited@operators.example.test';
  const body = { email, role: 'viewer' };
  await callApiOk(url, 'POST', `/v1/projects/${id}/members`, { bearer, body });
  const own = '/v1/operators/me/invitations';
  const { invitations } = await callApiOk(url, 'GET', own, { headers });
  return { headers, path: `${own}/${invitations[0].id}/accept` };
}

async function prepareDisabling() {
  const headers = await enter('third');
  const { url } = stage.gateway;
  const { secret, recoveryCodes } = await callApiOk(url, 'POST', OTP_PATH, {
    headers,
    body: { password: OPERATOR.password },
  });
  const otp = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await callApiOk(url, 'POST', `${OTP_PATH}/confirm`, { headers, body: { otp } });
  return {
    headers,
    path: `${OTP_PATH}/disable`,
    body: { password: OPERATOR.password, otp: recoveryCodes[0] },
  };
}

afterAll(async () => {
  await database?.end();
  await stage?.close();
});

/** Every row that a change could make or touch, as text. */
async function everything(): Promise<string> {
  // An event moves to its stream after the reply.
  await until(async () => (await database.query('SELECT FROM event_outbox')).rowCount === 0);
  // What worked at providers is counted in memory, and written each half minute or when it is asked for.
  await callApiOk(stage.gateway.url, 'GET', `/v1/projects/${stage.project.id}/provider-evidence`, {
    bearer: stage.project.personalAccessToken,
  });
  // Revoking what a project without connections holds ends at once, in the background.
  const running = "SELECT FROM project_revocations WHERE state = 'running'";
  await until(async () => (await database.query(running)).rowCount === 0);
  // A job that an operation before this one has added changes rows when its turn comes.
  const busy = `SELECT FROM job_queue.job
    WHERE state = 'active' OR (state IN ('created', 'retry') AND start_after <= now())`;
  await until(async () => (await database.query(busy)).rowCount === 0);
  // A guess at a second factor counts, whatever becomes of its request.
  const { rows: tables } = await database.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  const parts = [];
  for (const { tablename } of tables.filter(({ tablename }) => !NOT_COUNTED.includes(tablename))) {
    const { rows } = await database.query(
      `SELECT coalesce(string_agg((to_jsonb(t) - 'last_used_at' - 'guesses_whole_at' - 'position')::text, E'\\n' ORDER BY to_jsonb(t)::text), '') AS text
       FROM "${tablename}" AS t`,
    );
    parts.push(`${tablename}\n${rows[0].text}`);
  }
  return parts.join('\n\n');
}

/** The lines that only one of the two has, so that a failure names the table and the row. */
function describeDifference(before: string, after: string): string {
  const [left, right] = [before.split('\n'), after.split('\n')];
  return [
    ...left.filter((line) => !right.includes(line)).map((line) => `- ${line}`),
    ...right.filter((line) => !left.includes(line)).map((line) => `+ ${line}`),
  ].join('\n');
}

type Call = { path: string; body?: object; bearer?: string; headers?: Record<string, string> };

/** What the operation is called with: its own example, unless it needs a preparation. */
function callOf({ operationId, path, body, schemes }: Operation): Call {
  const prepared = calls[operationId];
  if (prepared !== undefined) return prepared;
  const { apiKey, personalAccessToken } = stage.project;
  const filled = path.replaceAll(/([^/]+)\/\{[^}]+\}/g, (whole, segment: string) =>
    ids[segment] === undefined ? whole : `${segment}/${ids[segment]}`,
  );
  const named = { projectId: ids.projects, integrationId: ids.integrations, connectionId: ids.connections };
  const given = Object.entries(named).filter(([name]) => body !== undefined && Object.hasOwn(body, name));
  const bearer = schemes.includes('apiKey') ? apiKey : personalAccessToken;
  return { bearer, path: filled, ...(body && { body: { ...body, ...Object.fromEntries(given) } }) };
}

function send(operation: Operation, key: string) {
  const { path, body, bearer, headers } = callOf(operation);
  return callApi(stage.gateway.url, 'POST', path, {
    bearer,
    body,
    headers: { ...headers, 'idempotency-key': key },
  });
}

describe('two changes of one version at the same moment', () => {
  it.each([
    ['integration', 'integrations', () => stage.integration.id, (name: string) => ({ clientId: name })],
    ['connection', 'connections', imported, (name: string) => ({ customMetadata: { [name]: true } })],
  ])(
    'end in one %s that has the one change, and a refusal of the other',
    async (_what, table, idOf, change) => {
      const { gateway, project } = stage;
      const path = `/v1/${table}/${await idOf()}`;
      const bearer = project.apiKey;
      const read = await callApi(gateway.url, 'GET', path, { bearer });
      const headers = { 'if-match': read.headers.get('etag') ?? '' };
      // Both read the row; then both wait for it, which is held here.
      await database.query('BEGIN');
      await database.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [path.split('/').at(-1)]);
      const changing = ['one', 'two'].map((name) =>
        callApi(gateway.url, 'PATCH', path, { bearer, headers, body: change(name) }),
      );
      const waiting =
        'SELECT count(*)::int AS count FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))';
      while ((await database.query(waiting)).rows[0].count < 1);
      // The second waits behind the first, and not for this transaction.
      const queued = `SELECT count(*)::int AS count FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database()`;
      while ((await database.query(queued)).rows[0].count < 2);
      await database.query('COMMIT');
      const answers = await Promise.all(changing);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);
      const kept = answers.find(({ status }) => status === 200);
      expect(await callApiOk(gateway.url, 'GET', path, { bearer })).toEqual(kept?.body);
    },
  );

  async function imported(): Promise<string> {
    const { gateway, project, integration } = stage;
    const body = { integrationId: integration.id, userId: 'edited', credentials: { accessToken: 'a' } };
    const { id } = await callApiOk(gateway.url, 'POST', '/v1/connections', { bearer: project.apiKey, body });
    return id;
  }
});

describe('every operation that makes something', () => {
  it('is called as it is declared, with preparations for those alone that there are', () => {
    const posts = operations.map(({ operationId }) => operationId);
    expect(Object.keys(calls).filter((operationId) => !posts.includes(operationId))).toEqual([]);
  });

  it('does nothing where its reply cannot be kept, and then does it once and repeats its reply', async () => {
    const faults: string[] = [];
    const prepared = Object.keys(calls);
    const ordered = operations.toSorted(
      (left, right) => prepared.indexOf(left.operationId) - prepared.indexOf(right.operationId),
    );
    for (const operation of ordered) {
      const { operationId } = operation;
      const before = await everything();
      await database.query('ALTER TABLE idempotency_keys ADD CONSTRAINT full_up CHECK (false) NOT VALID');
      const lost = await send(operation, `key-of-${operationId}`);
      await database.query('ALTER TABLE idempotency_keys DROP CONSTRAINT full_up');
      if (lost.status !== 500) faults.push(`${operationId}: ${lost.status} without a kept reply`);
      const left = describeDifference(before, await everything());
      if (left !== '') faults.push(`${operationId}: its work stands without its reply: ${left}`);

      const first = await send(operation, `key-of-${operationId}`);
      if (![200, 201, 202].includes(first.status))
        faults.push(`${operationId}: ${first.status} ${first.text}`);
      const after = await everything();
      const isChanged = after !== before;
      const changesNothing = declarations.get(operationId)?.changesNothing === true;
      if (isChanged === changesNothing) faults.push(`${operationId}: ${isChanged}`);
      const again = await send(operation, `key-of-${operationId}`);
      if (again.headers.get('idempotency-replayed') !== 'true' || again.text !== first.text) {
        faults.push(`${operationId}: not repeated`);
      }
      const twice = describeDifference(after, await everything());
      if (twice !== '') faults.push(`${operationId}: done twice: ${twice}`);
    }
    expect(faults).toEqual([]);
  });
});
