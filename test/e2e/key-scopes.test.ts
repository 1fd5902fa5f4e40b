import pg from 'pg';
import type { Endpoint } from '../../src/http/endpoint.ts';
import {
  includesScope,
  KEY_SCOPE_NAMES,
  type KeyScope,
  listNeededScopes,
} from '../../src/http/key-scopes.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { readDeclarations } from '../support/declarations.ts';
import { seedDelivery } from '../support/deliveries.ts';
import { type ApiAnswer, callApi, callApiOk } from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import {
  authorize,
  connectAccount,
  PROVIDER,
  readOutcome,
  type Stage,
  startConnectSession,
  startStage,
} from '../support/stage.ts';
import { seedReceipt } from '../support/webhook-receipts.ts';

/** They end what the others need. */
const LAST = [
  'deleteEventDestination',
  'deletePoll',
  'deleteProvider',
  'deleteConnection',
  'deleteIntegration',
];
/** What a refused call may change all the same: the time of a key's last use, and what runs in the background. */
const NOT_COMPARED = new Set([
  ...['api_keys', 'personal_access_tokens', 'stored_amounts', 'provider_evidence', 'knex_migrations_lock'],
]);
const NO_ID = '01890000-0000-7000-8000-0000000000ff';

let stage: Stage;
let database: pg.Client;
/** Those that API keys may call. */
let operations: Operation[];
let declarations: ReadonlyMap<string, Endpoint>;
let ids: Record<string, string>;
/** A key with each scope alone. */
const keys = new Map<KeyScope, string>();

beforeAll(async () => {
  stage = await startStage();
  const { gateway, project } = stage;
  database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await database.connect();
  ids = await makeOneOfEach();
  for (const scope of KEY_SCOPE_NAMES) {
    const body = { name: scope, scopes: [scope] };
    const path = `/v1/projects/${project.id}/api-keys`;
    keys.set(
      scope,
      (await callApiOk(gateway.url, 'POST', path, { bearer: project.personalAccessToken, body })).key,
    );
  }
  operations = (await readOperations(gateway.url)).filter(({ schemes }) => schemes.includes('apiKey'));
  declarations = await readDeclarations();
});

afterAll(async () => {
  await database?.end();
  await stage?.close();
});

/** Something of each kind, by the path segment under which it is found. */
async function makeOneOfEach(): Promise<Record<string, string>> {
  const { gateway, project, integration } = stage;
  const make = (path: string, body: object) =>
    callApiOk(gateway.url, 'POST', path, { bearer: project.apiKey, body });
  const connection = await connectAccount(stage, { userId: 'u' });
  const session = await startConnectSession(stage, 'u');
  const { message } = readOutcome(await authorize(stage, session.url));
  const revocation = await make(`/v1/projects/${project.id}/revocations`, { jti: 'x' });
  await make('/v1/providers', {
    ...{ id: 'custom:scoped', name: 'Scoped', auth: 'api-key', apiBaseUrl: 'https://api.scoped.test' },
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
  });
  const destination = await make('/v1/event-destinations', { url: 'http://127.0.0.1:9/', types: ['none.*'] });
  const deliveryId = await seedDelivery(database, { projectId: project.id, destinationId: destination.id });
  // Without connections, so that nothing runs in the background while rows are compared.
  const client = { clientId: 'c', clientSecret: 's', scopes: ['base'] };
  const idle = await make('/v1/integrations', { serviceProvider: 'pipedrive', ...client });
  const custom = { object: 'scoped', record: { id: 'id' }, list: { request: { path: '/scoped' } } };
  const poll = await make('/v1/polls', { integrationId: idle.id, intervalSeconds: 3600, custom });
  const receiptId = await seedReceipt(database, { projectId: project.id, integrationId: integration.id });
  const { events } = await callApiOk(gateway.url, 'GET', '/v1/events?limit=1&wait=30', {
    bearer: project.apiKey,
  });
  return {
    ...{ projects: project.id, integrations: integration.id, connections: connection.id, polls: poll.id },
    ...{ 'event-destinations': destination.id, deliveries: deliveryId, 'webhook-receipts': receiptId },
    ...{ events: events[0].id, revocations: revocation.id, providers: 'custom:scoped' },
    ...{ users: connection.integrationUserId, 'connect-sessions': message.sessionId },
  };
}

function pathTo({ path, operationId }: Operation): string {
  const filled = path.replaceAll(/([^/]+)\/\{[^}]+\}/g, (_match, segment: string) => {
    return `${segment}/${ids[segment] ?? NO_ID}`;
  });
  return operationId === 'search' ? `${filled}?q=x` : filled;
}

/** The operation's own sample, about what there is. */
function bodyOf({ body, operationId }: Operation): Record<string, unknown> | undefined {
  const { projects: projectId, integrations: integrationId, connections: connectionId } = ids;
  if (operationId === 'createConnectSession') return { integrationId, userId: 'u' };
  if (operationId === 'probeClient')
    return { projectId, serviceProvider: PROVIDER, clientId: 'c', clientSecret: 's' };
  if (body === undefined) return undefined;
  return {
    ...body,
    ...(Object.hasOwn(body, 'integrationId') && { integrationId }),
    ...(operationId === 'createWebhookSubscription' && { connectionId }),
  };
}

const call = (operation: Operation, bearer: string, headers: Record<string, string> = {}) =>
  callApi(stage.gateway.url, operation.method, pathTo(operation), {
    ...{ bearer, headers, body: bodyOf(operation) },
  });

const neededBy = ({ operationId }: Operation) => listNeededScopes(declarations.get(operationId)?.keyScope);
const isGiven = (held: KeyScope, operation: Operation) =>
  neededBy(operation).every((needed) => includesScope(held, needed));
const label = ({ method, path }: Operation, scope: string, { status, text }: ApiAnswer) =>
  `${method} ${path} with ${scope}: ${status} ${text.slice(0, 150)}`;

/** What stands in every table, as one checksum of each. */
async function readChecksums(): Promise<Record<string, string>> {
  const { rows: tables } = await database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  );
  const sums: Record<string, string> = {};
  for (const { name } of tables.filter((table) => !NOT_COMPARED.has(table.name))) {
    const { rows } = await database.query(
      `SELECT md5(coalesce(string_agg(each::text, ' ' ORDER BY each::text), '')) AS sum FROM "${name}" AS each`,
    );
    sums[name] = rows[0].sum;
  }
  return sums;
}

describe('every operation that takes an API key', () => {
  it('declares the scope that it needs, which the OpenAPI document tells', async () => {
    const document = await callApiOk(stage.gateway.url, 'GET', '/openapi.json');
    for (const operation of operations) {
      const { operationId, method, path } = operation;
      const described = document.paths[path.replace('/v1', '')][method.toLowerCase()];
      const requirement = described.security.find((way: object) => 'apiKey' in way);
      const needed = neededBy(operation);
      expect([operationId, declarations.get(operationId)?.keyScope === undefined]).toEqual([
        operationId,
        false,
      ]);
      expect([operationId, requirement.apiKey]).toEqual([operationId, needed]);
      for (const scope of needed) expect(described.description).toContain(`\`${scope}\``);
    }
  });

  it('changes something with a scope that changes something alone', () => {
    const readers = operations.filter(({ method }) => method === 'GET');
    // A POST that declares to change nothing reads, with a file in its body.
    const isReading = ({ operationId }: Operation) => declarations.get(operationId)?.changesNothing === true;
    const writers = operations.filter((each) => each.method !== 'GET' && !isReading(each));
    for (const { operationId } of writers) {
      const needed = listNeededScopes(declarations.get(operationId)?.keyScope);
      expect([operationId, needed.length > 0 && !needed.some((scope) => scope.endsWith(':read'))]).toEqual([
        operationId,
        true,
      ]);
    }
    const open = readers.filter((operation) => neededBy(operation).length === 0);
    expect(open.map(({ operationId }) => operationId).toSorted()).toEqual([
      ...['getProvider', 'listPollResources', 'listProviders', 'search', 'summarizeProviders'],
    ]);
  });

  it('is refused to keys with each other scope, which says what is missing and changes nothing', async () => {
    const before = await readChecksums();
    const faults: string[] = [];
    let refused = 0;
    for (const operation of operations) {
      for (const [scope, key] of keys) {
        if (isGiven(scope, operation)) continue;
        const answer = await call(operation, key);
        const missing = neededBy(operation).filter((needed) => !includesScope(scope, needed));
        const isNamed = missing.every((name) => answer.body?.detail.includes(`\`${name}\``));
        const hasChallenge = answer.headers.get('www-authenticate')?.includes('error="insufficient_scope"');
        refused += 1;
        if (answer.status !== 403 || answer.body?.code !== 'scope_missing' || !isNamed || !hasChallenge)
          faults.push(label(operation, scope, answer));
      }
    }
    expect(faults).toEqual([]);
    expect(refused).toBeGreaterThan(1_000);
    expect(await readChecksums()).toEqual(before);
  });

  it('is refused in the same way where the thing is another project’s, is none, or the input is bad', async () => {
    const faults: string[] = [];
    const kept = ids;
    ids = Object.fromEntries(Object.keys(kept).map((segment) => [segment, NO_ID]));
    for (const operation of operations.filter((each) => neededBy(each).length > 0)) {
      const other = KEY_SCOPE_NAMES.find((scope) => !isGiven(scope, operation)) ?? 'polls';
      const path = `${pathTo(operation)}?unknown=1`;
      const answer = await callApi(stage.gateway.url, operation.method, path, {
        ...{ bearer: keys.get(other) ?? '', body: operation.method === 'GET' ? undefined : { unknown: 1 } },
      });
      if (answer.body?.code !== 'scope_missing') faults.push(label(operation, other, answer));
    }
    ids = kept;
    expect(faults).toEqual([]);
  });

  it('works with each scope that gives it, alone or with the others that it takes', async () => {
    const faults: string[] = [];
    const { gateway, project } = stage;
    const ordered = operations.toSorted(
      (left, right) => LAST.indexOf(left.operationId) - LAST.indexOf(right.operationId),
    );
    const asOwner = { bearer: project.personalAccessToken };
    for (const operation of ordered) {
      const needed = neededBy(operation);
      const alone = KEY_SCOPE_NAMES.filter((scope) => isGiven(scope, operation));
      const bearers: [string, string][] = alone.map((scope) => [scope, keys.get(scope) ?? '']);
      if (needed.length > 1) {
        const path = `/v1/projects/${project.id}/api-keys`;
        const made = await callApiOk(gateway.url, 'POST', path, {
          ...asOwner,
          body: { name: 's', scopes: needed },
        });
        bearers.push([needed.join(' '), made.key]);
      }
      expect([operation.operationId, bearers.length > 0]).toEqual([operation.operationId, true]);
      for (const [scope, bearer] of bearers) {
        const answer = await call(operation, bearer);
        if ([401, 403].includes(answer.status) || answer.status >= 500)
          faults.push(label(operation, scope, answer));
      }
    }
    expect(faults).toEqual([]);
  });
});
