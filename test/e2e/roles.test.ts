import pg from 'pg';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { newId } from '../../src/lib/ids.ts';
import { hashPassword } from '../../src/operators/accounts/password.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { readDeclarations } from '../support/declarations.ts';
import { type ApiAnswer, callApi, callApiOk, OPERATOR, seedMember } from '../support/gateway.ts';
import { type Operation, readOperations } from '../support/openapi.ts';
import { type Stage, startStage } from '../support/stage.ts';
import { prepareWalk, type Walk } from '../support/walked-project.ts';

const ROLES = ['stranger', 'viewer', 'admin', 'owner'] as const;
type Role = (typeof ROLES)[number];
const RANK = { anyone: 0, viewer: 1, admin: 2, owner: 3 } as const;
/** They end what the others need. */
const LAST = [
  'deleteEventDestination',
  'deletePoll',
  'deleteProvider',
  'deleteConnection',
  'deleteIntegration',
  'revokeAll',
  'removeMember',
  'deleteProject',
];
/** They end the session that calls, or change how it signs in. */
const OWN_END = ['deleteSession', 'updateOwnOperator'];

let stage: Stage;
let operations: Operation[];
let declarations: ReadonlyMap<string, Endpoint>;
let walk: Walk;
/** What the browser of an operator of each role sends. */
const cookies = new Map<Role, Record<string, string>>();

beforeAll(async () => {
  stage = await startStage();
  const { gateway, project } = stage;
  const people = await addOperators(gateway.databaseUrl ?? '', project.id);
  for (const role of ROLES) cookies.set(role, await enter(people.get(role)?.email ?? ''));
  walk = await prepareWalk(stage, { members: people.get('bystander')?.id ?? '' });
  operations = await readOperations(gateway.url);
  declarations = await readDeclarations();
});

afterAll(() => stage?.close());

type Person = { readonly id: string; readonly email: string };

/** One of each role to be, and a bystander, straight into the store: it is not about how they come. */
async function addOperators(databaseUrl: string, projectId: string): Promise<Map<string, Person>> {
  const client = new pg.Client(connectionSettings(databaseUrl));
  await client.connect();
  const hash = await hashPassword(OPERATOR.password);
  const people = new Map<string, Person>();
  for (const name of [...ROLES, 'bystander']) {
    const person = { id: newId(), email: `${name}@roles.example.test` };
    await client.query(
      'INSERT INTO operators (id, email, password_hash, email_verified_at) VALUES ($1, $2, $3, now())',
      [person.id, person.email, hash],
    );
    people.set(name, person);
    const role = name === 'bystander' ? 'viewer' : name;
    if (role !== 'stranger') await seedMember(client, { projectId, operatorId: person.id, role });
  }
  await client.end();
  return people;
}

async function enter(email: string): Promise<Record<string, string>> {
  const body = { email, password: OPERATOR.password };
  const entered = await callApi(stage.gateway.url, 'POST', '/v1/sessions', { body });
  const pairs = entered.headers.getSetCookie().map((field) => field.split(';', 1)[0]);
  return { cookie: pairs.join('; '), origin: stage.gateway.url };
}

function call(operation: Operation, headers: Record<string, string>): Promise<ApiAnswer> {
  const { method } = operation;
  return callApi(stage.gateway.url, method, walk.pathTo(operation), {
    headers,
    body: walk.bodyOf(operation),
  });
}

const asked = (path: string, role: Role) =>
  callApiOk(stage.gateway.url, 'GET', path, { headers: cookies.get(role) ?? {} });

/** There is none to name: the refusal comes after the decision. */
const NOT_MADE = new Set([
  'call_not_found',
  'delivery_not_found',
  'integration_secret_not_found',
  'organization_client_not_found',
  'organization_not_found',
  'subscription_not_found',
  'user_erasure_not_found',
  'user_not_found',
  'webhook_receipt_not_found',
]);

/** The least role by the operation's declaration. */
const rankOf = ({ operationId }: Operation) => RANK[declarations.get(operationId)?.leastRole ?? 'anyone'];
const isOperators = ({ schemes }: Operation) => schemes.includes('operatorSession');
const label = ({ method, path }: Operation, role: string, { status, text }: ApiAnswer) =>
  `${method} ${path} as ${role}: ${status} ${text.slice(0, 150)}`;

describe('the gateway’s own page', () => {
  it('tells its own owners of its store, keys, replicas and settings, others of its version and addresses', async () => {
    const { url, env } = stage.gateway;
    const shared = { version: expect.stringMatching(/^\d/), publicUrl: url, proxyUrl: url, demo: false };
    const asFirst = { bearer: stage.project.personalAccessToken };
    const own = await callApiOk(url, 'GET', '/v1/gateway', asFirst);
    expect(own).toMatchObject({
      ...shared,
      store: { embedded: false, migration: expect.stringMatching(/^\d{4}_/) },
      encryptionKeys: [{ id: 'k1', rows: expect.any(Number) }],
      replicas: [{ id: expect.any(String), startedAt: expect.any(String) }],
      settings: { workers: 1, singleSignOn: null, mail: null, trustProxy: null },
      untrustedProxy: null,
    });
    const forwarded = { headers: { 'x-forwarded-for': '203.0.113.9' } };
    expect((await callApi(url, 'GET', '/proxy/hubspot/x', forwarded)).body.detail).toContain(
      '/projects/{projectId}/proxy',
    );
    expect(await callApiOk(url, 'GET', '/v1/gateway', asFirst)).toMatchObject({
      untrustedProxy: { address: '127.0.0.1', seenAt: expect.any(String) },
    });
    for (const secret of [env.DATABASE_URL, env.ENCRYPTION_KEYS, env.SETUP_TOKEN]) {
      expect(JSON.stringify(own)).not.toContain(secret);
    }
    const nothing = {
      ...{ store: null, encryptionKeys: null, replicas: null, settings: null },
      untrustedProxy: null,
    };
    // The operator who makes a project owns it, and not the gateway.
    await callApiOk(url, 'POST', '/v1/projects', {
      headers: cookies.get('stranger') ?? {},
      body: { name: 'Own' },
    });
    for (const role of ROLES) {
      expect(await asked('/v1/gateway', role)).toMatchObject({ ...shared, ...nothing });
      const refused = await callApi(url, 'GET', '/v1/gateway/owners', { headers: cookies.get(role) ?? {} });
      expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    }
  });
});

describe('every operation', () => {
  it('has a decision on who may call it, and takes the session cookie wherever it takes an operator’s token', () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual([...declarations.keys()].sort());
    for (const { operationId, schemes } of operations) {
      const isDecided = declarations.get(operationId)?.leastRole !== undefined;
      expect([operationId, isDecided]).toEqual([operationId, schemes.includes('operatorToken')]);
    }
    for (const { schemes } of operations) {
      expect(schemes.includes('operatorSession')).toBe(schemes.includes('operatorToken'));
    }
  });

  it('refuses a cookie that is none, and a change by cookie from anywhere but a page of the gateway', async () => {
    const faults: string[] = [];
    const owner = cookies.get('owner')?.cookie ?? '';
    for (const operation of operations.filter(isOperators)) {
      const dead = await call(operation, { cookie: `gateway_session=${'x'.repeat(43)}` });
      if (dead.body?.code !== 'signed_out') faults.push(label(operation, 'nobody', dead));
      if (operation.method === 'GET') continue;
      for (const from of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
        const answer = await call(operation, { cookie: owner, ...from });
        if (answer.body?.code !== 'csrf_rejected') faults.push(label(operation, 'owner', answer));
      }
    }
    expect(faults).toEqual([]);
  });

  it('is refused to operators whose role is too low, and hidden from those who are no members', async () => {
    const faults: string[] = [];
    for (const operation of operations.filter(isOperators)) {
      const needed = rankOf(operation);
      for (const role of ROLES.filter((_role, rank) => rank < needed)) {
        const answer = await call(operation, cookies.get(role) ?? {});
        const isRefused =
          role === 'stranger' ? answer.status === 404 : answer.body?.code === 'insufficient_role';
        if (!isRefused) faults.push(label(operation, role, answer));
      }
    }
    expect(faults).toEqual([]);
  });

  it('is open to operators of the least role that may, by cookie and from a page of the gateway', async () => {
    const faults: string[] = [];
    const rest = operations.filter(isOperators).filter(({ operationId }) => !OWN_END.includes(operationId));
    const ordered = rest.toSorted(
      (left, right) => LAST.indexOf(left.operationId) - LAST.indexOf(right.operationId),
    );
    for (const operation of ordered) {
      const role = ROLES[rankOf(operation)] ?? 'owner';
      const { status, body, ...answer } = await call(operation, cookies.get(role) ?? {});
      const isRefused = ['insufficient_role', 'forbidden_principal', 'csrf_rejected'].includes(body?.code);
      const isHidden = status === 404 && role !== 'stranger' && !NOT_MADE.has(body?.code);
      if (status === 401 || status >= 500 || isRefused || isHidden) {
        faults.push(label(operation, role, { status, body, ...answer }));
      }
    }
    expect(faults).toEqual([]);
  });
});
