import { createSecretKey, randomBytes } from 'node:crypto';
import type { Express } from 'express';
import type { Knex } from 'knex';
import request from 'supertest';
import { createRecordActivity } from '../../src/activity/record.ts';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { HttpError } from '../../src/http/errors.ts';
import type { Authenticate } from '../../src/http/principal.ts';
import { createApiKeysEndpoints } from '../../src/identity/api-keys/api-keys.router.ts';
import { createApiKeysStore } from '../../src/identity/api-keys/api-keys.store.ts';
import { createCreateProject } from '../../src/identity/create-project.ts';
import { createAddMemberEndpoints } from '../../src/identity/invitations/add-member.router.ts';
import { createInvitationsEndpoints } from '../../src/identity/invitations/invitations.router.ts';
import { createInvite } from '../../src/identity/invitations/invite.ts';
import { createOwnInvitationsEndpoints } from '../../src/identity/invitations/own-invitations.router.ts';
import { createMandatesEndpoints } from '../../src/identity/mandates/mandates.router.ts';
import { createMandatesStore } from '../../src/identity/mandates/mandates.store.ts';
import { createRevocationsEndpoints } from '../../src/identity/revocations/revocations.router.ts';
import { createRevocationsStore } from '../../src/identity/revocations/revocations.store.ts';
import { createKeySetTestEndpoints } from '../../src/identity/signing-keys/key-set-test.router.ts';
import { createSigningKeysEndpoints } from '../../src/identity/signing-keys/signing-keys.router.ts';
import { createSigningKeysStore } from '../../src/identity/signing-keys/signing-keys.store.ts';
import { createUserTokensEndpoints } from '../../src/identity/signing-keys/user-tokens.router.ts';
import { newId } from '../../src/lib/ids.ts';
import { sha256 } from '../../src/lib/opaque-tokens.ts';
import { hashPassword } from '../../src/operators/accounts/password.ts';
import { createOperators } from '../../src/operators/create-operators.ts';
import { createSetup } from '../../src/operators/gateway/setup.ts';
import { createPersonalAccessTokensEndpoints } from '../../src/operators/personal-access-tokens/personal-access-tokens.router.ts';
import { createPersonalAccessTokensStore } from '../../src/operators/personal-access-tokens/personal-access-tokens.store.ts';
import { createVault } from '../../src/platform/vault.ts';
import { createAccess } from '../../src/projects/access.ts';
import { createActivityEndpoints } from '../../src/projects/activity.router.ts';
import { createEndUsersEndpoints } from '../../src/projects/end-users.router.ts';
import { createEndUsers } from '../../src/projects/end-users.store.ts';
import { createInvitationsStore } from '../../src/projects/invitations.store.ts';
import { createMembersEndpoints } from '../../src/projects/members.router.ts';
import { createMembersStore } from '../../src/projects/members.store.ts';
import { createProjectsEndpoints } from '../../src/projects/projects.router.ts';
import { projectSchema } from '../../src/projects/projects.schema.ts';
import { createProjectsStore } from '../../src/projects/projects.store.ts';
import { createTestApp, PUBLIC_URL, SIGN_IN } from '../http/support.ts';
import { createTestDatabase } from '../support/postgres.ts';

export const PASSWORD = 'a long enough password';

export type Management = Awaited<ReturnType<typeof startManagement>>;

/** The endpoints of operators and projects on a database of their own, with credentials looked up in it. */
export async function startManagement(
  tenancy: { projectsPerOperatorMax?: number; apiKeysPerProjectMax?: number } = {},
) {
  const database = await createTestDatabase();
  const db = database.knex;
  const vault = createVault([{ id: 'k1', key: createSecretKey(randomBytes(32)) }]);
  const access = createAccess({ db });
  const projects = createProjectsStore({ db });
  const members = createMembersStore({ db });
  const apiKeys = createApiKeysStore({ db });
  const signingKeys = createSigningKeysStore({ db, vault });
  const endUsers = createEndUsers({ db });
  const personalAccessTokens = createPersonalAccessTokensStore({ db });
  const changed: string[] = [];
  /** What stands at the addresses of identity providers. */
  const keySets = new Map<string, unknown>();
  const recordActivity = createRecordActivity({ announce: ({ projectId }) => changed.push(projectId) });
  const revocations = createRevocationsStore({ db });
  const shared = { db, access, projects, members, apiKeys, signingKeys, endUsers, recordActivity };
  const creation = createCreateProject(shared);
  const invitations = createInvitationsStore({ db });
  const signingIn = createOperators({ ...SIGN_IN, db, vault, recordActivity });
  const setup = createSetup({
    ...shared,
    ...creation,
    ...signingIn,
    publicUrl: PUBLIC_URL,
    projectSchema,
    tokenEnd: () => new Date(Date.now() + 86_400_000),
  });
  const invite = createInvite({ ...SIGN_IN, ...shared, ...signingIn, invitations, publicUrl: PUBLIC_URL });
  const deps = {
    ...signingIn,
    ...SIGN_IN,
    daysMax: 365,
    ...shared,
    vault,
    ...creation,
    personalAccessTokens,
    publicUrl: PUBLIC_URL,
    allowPrivateNetworks: false,
    tenancy: {
      projectCreation: 'any' as const,
      projectsPerOperatorMax: 1_000,
      apiKeysPerProjectMax: 1_000,
      ...tenancy,
    },
    countConnections: createConnectionsStore({ vault }).countOfProject,
    hide: async (trx: Knex, id: string) => {
      await trx('projects').where({ id }).delete();
    },
    endSessions: async () => undefined,
    eraseSoon: async () => undefined,
    revocations,
    invitations,
    renewOwnSession: async () => [],
    fetchJwks: async (url: string) => {
      const document = keySets.get(url);
      if (document === undefined) throw new Error('the key set answered 404');
      return document;
    },
  };
  const endpoints = [
    ...setup.endpoints,
    ...createPersonalAccessTokensEndpoints(deps),
    ...createProjectsEndpoints(deps),
    ...createMembersEndpoints(deps),
    ...createInvitationsEndpoints({ ...deps, invite }),
    ...createAddMemberEndpoints({ ...deps, invite }),
    ...createOwnInvitationsEndpoints(deps),
    ...createApiKeysEndpoints(deps),
    ...createSigningKeysEndpoints(deps),
    ...createKeySetTestEndpoints(deps),
    ...createUserTokensEndpoints({ ...deps, mandates: createMandatesStore({ db }) }),
    ...createMandatesEndpoints({ ...deps, mandates: createMandatesStore({ db }) }),
    ...createRevocationsEndpoints(deps),
    ...createEndUsersEndpoints(deps),
    ...createActivityEndpoints(deps),
  ];
  const authenticate = createAuthenticate({ apiKeys, personalAccessTokens, endUsers });
  const { app, text } = createTestApp(endpoints, { authenticate });
  const stores = { projects, members, apiKeys, signingKeys, endUsers, personalAccessTokens, revocations };
  return {
    ...stores,
    access,
    recordActivity,
    db,
    app,
    endpoints,
    setup,
    changed,
    keySets,
    logText: text,
    drop: database.drop,
  };
}

type Lookups = {
  apiKeys: ReturnType<typeof createApiKeysStore>;
  personalAccessTokens: ReturnType<typeof createPersonalAccessTokensStore>;
  endUsers: ReturnType<typeof createEndUsers>;
};

/** Besides real keys and tokens it takes `user:<project id>:<subject>` for an end user whose JWT was verified. */
function createAuthenticate({ apiKeys, personalAccessTokens, endUsers }: Lookups): Authenticate {
  return async ({ headers }) => {
    if (headers.authorization === undefined) throw new HttpError('token_missing');
    const credential = headers.authorization.replace('Bearer ', '');
    const [kind, projectId, subject] = credential.split(':');
    if (kind === 'user' && projectId !== undefined && subject !== undefined) {
      const endUserId = await endUsers.endUserId(projectId, subject);
      return { kind: 'end_user', projectId, endUserId, subject };
    }
    const key = await apiKeys.findApiKey(sha256(credential));
    const found = key ?? (await personalAccessTokens.findPersonalAccessToken(sha256(credential)));
    if (!found) throw new HttpError('token_invalid');
    if (found.isExpired) throw new HttpError('token_expired');
    if ('apiKeyId' in found) {
      const { apiKeyId, lineageId, projectId: own, scopes } = found;
      return { kind: 'api_key', apiKeyId, lineageId, projectId: own, scopes };
    }
    return { kind: 'operator', operatorId: found.operatorId };
  };
}

export type Person = { readonly id: string; readonly email: string; readonly token: string };

let passwordHash: Promise<string> | undefined;

/** An operator with a personal access token, and `PASSWORD`. */
export async function addOperator({ db, personalAccessTokens }: Management): Promise<Person> {
  passwordHash ??= hashPassword(PASSWORD);
  const id = newId();
  const email = `${id}@example.test`;
  const verified = { email_verified_at: db.fn.now() };
  await db('operators').insert({ id, email, password_hash: await passwordHash, ...verified });
  const { token } = await personalAccessTokens.insert(db, { operatorId: id, name: 'test', expiresAt: null });
  return { id, email, token };
}

export type OwnProject = { readonly id: string; readonly owner: Person; readonly apiKey: string };

/** A project of its own operator, with an API key, all through the API. */
export async function addProject(management: Management, name = 'Project'): Promise<OwnProject> {
  const owner = await addOperator(management);
  const { id } = await call(management.app, 'post', '/projects', owner.token, { name })
    .expect(201)
    .then(readBody);
  const path = `/projects/${id}/api-keys`;
  const { key } = await call(management.app, 'post', path, owner.token, { name: 'k' })
    .expect(201)
    .then(readBody);
  return { id, owner, apiKey: key };
}

/** The endpoints with two projects, each of an operator of its own: what most test files begin with. */
export async function startProjects() {
  const management = await startManagement();
  const project = await addProject(management);
  const theirs = await addProject(management, 'Theirs');
  return { management, project, theirs, send: caller(() => management.app) };
}

export async function addMember(
  management: Management,
  project: OwnProject,
  role: 'owner' | 'admin' | 'viewer',
): Promise<Person> {
  const person = await addOperator(management);
  const path = `/projects/${project.id}/members`;
  const body = { email: person.email, role };
  await call(management.app, 'post', path, project.owner.token, body).expect(201);
  await acceptOnlyInvitation(management, person);
  return person;
}

export async function acceptOnlyInvitation({ app }: Management, { token }: Person): Promise<void> {
  const own = '/operators/me/invitations';
  const [invitation] = (await call(app, 'get', own, token).expect(200)).body.invitations;
  await call(app, 'post', `${own}/${invitation.id}/accept`, token).expect(200);
}

/** One request; `credential` undefined sends none. */
export function call(
  app: Express,
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  credential?: string,
  body?: object,
): request.Test {
  const made = request(app)[method](`/v1${path}`);
  if (credential !== undefined) made.set('Authorization', `Bearer ${credential}`);
  return body === undefined ? made : made.send(body);
}

export function readBody(response: request.Response) {
  return response.body;
}

/** `404 project_not_found`: what a refusal comes down to. */
export function readProblemCode({ status, body }: request.Response): string {
  return `${status} ${body.code}`;
}

/** `call` for one gateway. */
export function caller(getApp: () => Express) {
  return (...[method, path, credential, body]: [Parameters<typeof call>[1], string, string?, object?]) =>
    call(getApp(), method, path, credential, body);
}
