import pg from 'pg';
import { newId } from '../../src/lib/ids.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { giveConsent } from '../support/agent-sign-in.ts';
import { askApproval } from '../support/approval-stage.ts';
import {
  type ApiAnswer,
  type ApiCall,
  callApi,
  callApiOk,
  createProject,
  type Project,
  seedOperator,
} from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import {
  APP_ORIGIN,
  authorize,
  connectAccount,
  PROVIDER,
  proxyUrl,
  readOutcome,
  type Stage,
  startConnectSession,
  startStage,
} from '../support/stage.ts';
import { until } from '../support/until.ts';
import { seedReceipt } from '../support/webhook-receipts.ts';

const VICTIM = 'victim';
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

let stage: Stage;
let other: Project;
let strangeOperator: string;
let operations: Operation[];
/** Ids of what belongs to the victim, by the path segment under which they are found. */
let ids: Record<string, string>;
/** Every id that a stranger must never be shown. */
let foreignIds: Set<string>;
/** Every refusal that any call of this file was answered with. */
const refusals: { where: string; answer: ApiAnswer }[] = [];

beforeAll(async () => {
  stage = await startStage({
    gateway: { env: { RATE_LIMIT_FAILED_AUTHENTICATION_PER_MINUTE: '100000' } },
  });
  const { gateway, project, integration } = stage;
  other = await createProject(gateway.url, project.personalAccessToken, { allowedOrigins: [APP_ORIGIN] });
  strangeOperator = await seedOperator(gateway.databaseUrl ?? '');
  const connection = await connectAccount(stage, { userId: VICTIM });
  const session = await startConnectSession(stage, VICTIM);
  const outcome = readOutcome(await authorize(stage, session.url));
  const asOwner = { bearer: project.personalAccessToken };
  const { apiKeys } = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/api-keys`, asOwner);
  const { signingKeys } = await callApiOk(
    gateway.url,
    'GET',
    `/v1/projects/${project.id}/signing-keys`,
    asOwner,
  );
  const { members } = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/members`, asOwner);
  const { personalAccessTokens } = await callApiOk(gateway.url, 'GET', '/v1/personal-access-tokens', asOwner);
  const provider = await callApiOk(gateway.url, 'POST', '/v1/providers', {
    bearer: project.apiKey,
    body: {
      id: 'custom:victims',
      name: 'Victims',
      auth: 'api-key',
      apiBaseUrl: 'https://api.victims.test',
      apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    },
  });
  const destination = await callApiOk(gateway.url, 'POST', '/v1/event-destinations', {
    bearer: project.apiKey,
    body: { url: 'http://127.0.0.1:9/', types: ['*'] },
  });
  const delivery = await waitForDelivery(integration.id);
  // Further tries would change what is compared.
  await callApiOk(gateway.url, 'POST', `/v1/event-destinations/${destination.id}/disable`, {
    bearer: project.apiKey,
  });
  const database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await database.connect();
  const owner = { projectId: project.id, integrationId: integration.id };
  const receiptId = await seedReceipt(database, owner);
  const pollId = newId();
  await database.query(
    `INSERT INTO polls (id, project_id, integration_id, resource, object_type, interval_seconds, backfill, deletes,
                        scan_interval_seconds, paused_at, created_by, updated_by)
     VALUES ($1, $2, $3, 'contacts', 'contact', 3600, 'none', 'none', 3600, now(), $1, $1)`,
    [pollId, project.id, integration.id],
  );
  await database.end();
  const mandate = await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/mandates`, {
    bearer: project.apiKey,
    body: { name: 'Victims', entries: [{ type: 'gateway_access', provider: 'hubspot', access: 'read' }] },
  });
  const client = await callApiOk(gateway.url, 'POST', `/v1/integrations/${integration.id}/clients`, {
    bearer: project.apiKey,
    body: { organizationId: 'org-of-the-victim', clientId: 'app', clientSecret: 'secret' },
  });
  ids = {
    clients: client.id,
    mandates: mandate.id,
    'agent-consents': await giveConsent(gateway, project, VICTIM),
    approvals: await askApproval(gateway, project, {
      userId: VICTIM,
      provider: PROVIDER,
    }),
    polls: pollId,
    'event-destinations': destination.id,
    deliveries: delivery.id,
    events: delivery.eventId,
    'webhook-receipts': receiptId,
    projects: project.id,
    integrations: integration.id,
    connections: connection.id,
    'connect-sessions': outcome.message.sessionId,
    'api-keys': apiKeys[0].id,
    'signing-keys': signingKeys[0].id,
    members: members[0].operatorId,
    'personal-access-tokens': personalAccessTokens[0].id,
    providers: provider.id,
  };
  foreignIds = new Set([...Object.values(ids), connection.integrationUserId]);
  // The same operator owns the other project, whose activity names them rightly.
  foreignIds.delete(members[0].operatorId);
  operations = await readOperations(gateway.url);
});

afterAll(() => stage?.close());

/** A delivery that no receiver takes, of an event of the integration. */
async function waitForDelivery(integrationId: string): Promise<{ id: string; eventId: string }> {
  const bearer = stage.project.apiKey;
  const body = { scopes: ['oauth'] };
  await callApiOk(stage.gateway.url, 'PATCH', `/v1/integrations/${integrationId}`, { bearer, body });
  let found: { id: string; eventId: string } | undefined;
  await until(async () => {
    const { deliveries } = await callApiOk(stage.gateway.url, 'GET', '/v1/deliveries', { bearer });
    found = deliveries[0];
    return found !== undefined;
  });
  if (found === undefined) throw new Error('no delivery');
  return found;
}

/** The path with the victim's ids in it, each by the segment before it. */
function pathTo(operation: Operation, replaced: Record<string, string> = {}): string {
  return operation.path.replaceAll(/([^/]+)\/\{[^}]+\}/g, (_match, segment: string) => {
    const id = replaced[segment] ?? ids[segment] ?? '00000000-0000-7000-8000-000000000000';
    return `${segment}/${id}`;
  });
}

/** The operation's own sample body, wherever it names something, with the victim's. */
function bodyOf({ body }: Operation): Record<string, unknown> | undefined {
  if (body === undefined) return undefined;
  const named = { projectId: ids.projects, integrationId: ids.integrations, connectionId: ids.connections };
  const replaced = Object.entries(named).filter(([name]) => Object.hasOwn(body, name));
  return { ...body, ...Object.fromEntries(replaced) };
}

async function call({ method, operationId }: Operation, path: string, options: ApiCall): Promise<ApiAnswer> {
  const answer = await callApi(stage.gateway.url, method, path, options);
  if (answer.status >= 400) refusals.push({ where: `${operationId} ${method} ${path}`, answer });
  return answer;
}

const label = ({ method, path }: Operation, answer: ApiAnswer) =>
  `${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`;

/** A credential that the operation takes, of a principal that may do everything in the victim's project. */
function ownCredential({ schemes }: Operation): string | undefined {
  const { project } = stage;
  if (schemes.includes('operatorToken')) return project.personalAccessToken;
  if (schemes.includes('apiKey')) return project.apiKey;
  return schemes.includes('userToken') ? project.userToken(VICTIM) : undefined;
}

describe('every operation that the gateway documents', () => {
  it('is there in numbers, and says who may call it', () => {
    expect(operations.length).toBeGreaterThanOrEqual(20);
    const open = operations
      .filter(({ schemes }) => schemes.length === 0)
      .map(({ operationId }) => operationId);
    // What needs no credentials is named here, so that another one is noticed.
    expect(open.sort()).toEqual([
      'acceptInvitation',
      'completePasswordReset',
      'createSession',
      'getConfigurationSchema',
      'getSignInOptions',
      'lookUpInvitation',
      'requestPasswordReset',
      'setUp',
    ]);
  });

  it('refuses a caller without credentials, and one with made-up credentials', async () => {
    const faults: string[] = [];
    for (const operation of operations.filter(({ schemes }) => schemes.length > 0)) {
      const body = bodyOf(operation);
      const none = await call(operation, pathTo(operation), { body });
      if (none.status !== 401 || none.body?.code !== 'token_missing') faults.push(label(operation, none));
      if (!none.headers.get('www-authenticate')?.startsWith('Bearer'))
        faults.push(`no challenge: ${operation.path}`);
      for (const bearer of [
        'igk_unknown',
        'igo_unknown',
        'not.a.jwt',
        // Of a user of its own: so many forged tokens in one user's name are not all judged.
        other.userToken(operation.operationId).slice(0, -3),
      ]) {
        const unknown = await call(operation, pathTo(operation), { body, bearer });
        if (unknown.status !== 401 || unknown.body?.code !== 'token_invalid')
          faults.push(label(operation, unknown));
      }
    }
    expect(faults).toEqual([]);
  });

  it('shows and changes nothing of a project to the key and the users of another, or to an operator who is no member, as if it did not exist', async () => {
    const before = await snapshot();
    const faults: string[] = [];
    const none = '00000000-0000-7000-8000-000000000000';
    const withoutOwner = Object.fromEntries(Object.keys(ids).map((segment) => [segment, none]));
    for (const [scheme, bearer] of [
      ['apiKey', other.apiKey],
      ['userToken', other.userToken(VICTIM)],
      ['operatorToken', strangeOperator],
    ] as const) {
      for (const operation of operations) {
        const body = bodyOf(operation);
        const answer = await call(operation, pathTo(operation), { bearer, body });
        faults.push(...judge(operation, answer, scheme));
        if (!operation.schemes.includes(scheme) || !namesInPath(operation)) continue;
        const absent = await call(operation, pathTo(operation, withoutOwner), { bearer, body });
        const isSame = absent.status === 404 && shown(absent) === shown(answer);
        if (!isSame)
          faults.push(`${label(operation, answer)}, but of an id that nothing has: ${absent.text}`);
      }
    }
    expect(faults).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  it('shows and changes nothing of a user to another user of the same project', async () => {
    const before = await snapshot();
    const bearer = stage.project.userToken('somebody-else');
    const faults: string[] = [];
    for (const operation of operations.filter(({ path }) =>
      /\/(connections|connect-sessions)\b/.test(path),
    )) {
      const answer = await call(operation, pathTo(operation), { bearer, body: bodyOf(operation) });
      const isFault = answer.status < 400 && mentions(answer, [ids.connections, ids['connect-sessions']]);
      const isFound =
        /\{/.test(operation.path) && operation.schemes.includes('userToken') && answer.status !== 404;
      if (isFault || isFound || answer.status >= 500) faults.push(label(operation, answer));
    }
    expect(faults).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  /** What belongs to the gateway, its list of owners, belongs to no project. */
  const namesInPath = ({ path }: Operation) => path.includes('{') && !path.startsWith('/v1/gateway/');
  /** The path names something, or the body a thing of the victim's. */
  const namesAnother = (operation: Operation) =>
    namesInPath(operation) ||
    Object.values(bodyOf(operation) ?? {}).some((value) => foreignIds.has(`${value}`));
  /** What the answer says, without the number of the request. */
  const shown = ({ body }: ApiAnswer) => JSON.stringify({ ...body, requestId: null });

  /** What is wrong with an answer to a stranger. */
  function judge(operation: Operation, answer: ApiAnswer, scheme: string): string[] {
    const mayCall = operation.schemes.includes(scheme);
    if (answer.status >= 500) return [label(operation, answer)];
    if (answer.status < 400 && mentions(answer, [...foreignIds])) return [label(operation, answer)];
    if (!mayCall && operation.schemes.length > 0 && answer.status !== 403) return [label(operation, answer)];
    if (mayCall && namesAnother(operation) && answer.status !== 404) return [label(operation, answer)];
    return [];
  }

  function mentions({ text }: ApiAnswer, some: readonly (string | undefined)[]): boolean {
    return (text.match(UUID) ?? []).some((id) => some.includes(id));
  }

  /** All that belongs to the victim's project, as its operator sees it; without times of last use. */
  async function snapshot(): Promise<unknown> {
    const bearer = stage.project.personalAccessToken;
    const { id } = stage.project;
    const parts = [
      `/v1/projects/${id}`,
      `/v1/integrations?projectId=${id}`,
      `/v1/projects/${id}/connections`,
      `/v1/projects/${id}/api-keys`,
      `/v1/projects/${id}/signing-keys`,
      `/v1/projects/${id}/members`,
      `/v1/event-destinations?projectId=${id}`,
      '/v1/personal-access-tokens',
    ].map((path) => callApiOk(stage.gateway.url, 'GET', path, { bearer }));
    return JSON.parse(
      JSON.stringify(await Promise.all(parts), (name, value) => (name === 'lastUsedAt' ? null : value)),
    );
  }

  it('refuses what it does not know, by name: members, query parameters, broken JSON, ids that are none', async () => {
    const faults: string[] = [];
    for (const operation of operations) {
      const bearer = ownCredential(operation);
      const path = pathTo(operation);
      if (operation.body !== undefined) {
        const typo = await call(operation, path, {
          bearer,
          body: { ...bodyOf(operation), memberWithATypo: 1 },
        });
        if (!isInvalid(typo, /^body/)) faults.push(`unknown member: ${label(operation, typo)}`);
        const list = await call(operation, path, { bearer, body: [] });
        if (!isInvalid(list, /^body/)) faults.push(`array as body: ${label(operation, list)}`);
        faults.push(...(await judgeBrokenJson(operation, path, bearer)));
      }
      const query = await call(operation, `${path}?queryWithATypo=1`, { bearer, body: bodyOf(operation) });
      if (!isInvalid(query, /^query/)) faults.push(`unknown query parameter: ${label(operation, query)}`);
      if (!operation.path.includes('{')) continue;
      const none = pathTo(operation, Object.fromEntries(Object.keys(ids).map((name) => [name, 'not-an-id'])));
      const absent = await call(operation, none, { bearer, body: bodyOf(operation) });
      if (absent.status !== 404) faults.push(`no id: ${label(operation, absent)}`);
    }
    expect(faults).toEqual([]);
  });

  function isInvalid({ status, body }: ApiAnswer, path: RegExp): boolean {
    const errors: { path: string; message: string }[] = body?.errors ?? [];
    return status === 400 && body.code === 'invalid_request' && errors.some((error) => path.test(error.path));
  }

  async function judgeBrokenJson({ method }: Operation, path: string, bearer: string | undefined) {
    const response = await fetch(`${stage.gateway.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer ?? ''}` },
      body: '{"a": ',
    });
    const { code } = await response.json();
    return response.status === 400 && code === 'invalid_json'
      ? []
      : [`broken JSON: ${method} ${path}: ${code}`];
  }
});

describe('the proxy', () => {
  const call = (bearer: string, headers: Record<string, string> = {}) =>
    fetch(proxyUrl(stage, '/crm/v3/objects/contacts'), {
      headers: { authorization: `Bearer ${bearer}`, ...headers },
    });

  it('knows no token of another project, and no kind of credential but the user’s token', async () => {
    const { apiKey, personalAccessToken } = stage.project;
    for (const bearer of [other.userToken(VICTIM), apiKey, personalAccessToken, other.apiKey]) {
      const response = await call(bearer);
      expect([response.status, response.headers.get('gateway-error')]).toEqual([401, 'token_invalid']);
    }
  });

  it('finds no connection of another user, even by its id', async () => {
    for (const headers of [{}, { 'gateway-connection': ids.connections ?? '' }]) {
      const response = await call(stage.project.userToken('somebody-else'), headers);
      expect([response.status, response.headers.get('gateway-error')]).toEqual([404, 'connection_not_found']);
    }
  });

  it('serves the owner all the while', async () => {
    expect((await call(stage.project.userToken(VICTIM))).status).toBe(200);
  });
});

describe('every refusal', () => {
  it('is problem details with all members, and names the request as the header does', () => {
    expect(refusals.length).toBeGreaterThan(100);
    for (const { where, answer } of refusals) {
      const { status, headers, body } = answer;
      expect({ where, type: headers.get('content-type'), body }).toEqual({
        where,
        type: expect.stringMatching(/^application\/problem\+json/),
        body: expect.objectContaining({
          type: `${stage.gateway.url}/docs/errors#${body?.code}`,
          title: expect.any(String),
          status,
          detail: expect.any(String),
          remedy: expect.any(String),
          retryable: expect.any(Boolean),
          code: headers.get('gateway-error'),
          requestId: headers.get('gateway-request-id'),
        }),
      });
    }
  });

  it('is one for addresses and methods that do not exist, too', async () => {
    const bearer = stage.project.apiKey;
    const nowhere = await callApi(stage.gateway.url, 'GET', '/v1/nowhere', { bearer });
    expect(nowhere).toMatchObject({ status: 404, body: { code: 'not_found' } });
    const method = await callApi(stage.gateway.url, 'DELETE', '/v1/connections', { bearer });
    expect(method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(method.headers.get('allow')).toContain('GET');
  });
});
