import type { Change } from '../activity/actions.ts';
import { purgeActivityOfAnyProject } from '../activity/activity.store.ts';
import { createRecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Principal } from '../http/principal.ts';
import { createAccessKeyUse } from '../identity/api-keys/access-key-use.store.ts';
import { createApiKeysEndpoints } from '../identity/api-keys/api-keys.router.ts';
import { createApiKeysStore } from '../identity/api-keys/api-keys.store.ts';
import { createFindAccessKey } from '../identity/api-keys/find-access-key.ts';
import { createAuthenticate } from '../identity/authenticate.ts';
import { createCreateProject } from '../identity/create-project.ts';
import { createAcceptInvitationEndpoints } from '../identity/invitations/accept-invitation.ts';
import { createAddMemberEndpoints } from '../identity/invitations/add-member.router.ts';
import { createEndInvitations } from '../identity/invitations/end-invitations.ts';
import { createInvitationsEndpoints } from '../identity/invitations/invitations.router.ts';
import { createInvite } from '../identity/invitations/invite.ts';
import { createOwnInvitationsEndpoints } from '../identity/invitations/own-invitations.router.ts';
import { createRevocationsEndpoints } from '../identity/revocations/revocations.router.ts';
import { createRevocationsStore } from '../identity/revocations/revocations.store.ts';
import { createKeySetTestEndpoints } from '../identity/signing-keys/key-set-test.router.ts';
import { createSigningKeysEndpoints } from '../identity/signing-keys/signing-keys.router.ts';
import { createSigningKeysStore } from '../identity/signing-keys/signing-keys.store.ts';
import { createUserTokensEndpoints } from '../identity/signing-keys/user-tokens.router.ts';
import { createKeySets } from '../identity/verification/key-sets.ts';
import { createOperators } from '../operators/create-operators.ts';
import { createSetup } from '../operators/gateway/setup.ts';
import { createPersonalAccessTokensEndpoints } from '../operators/personal-access-tokens/personal-access-tokens.router.ts';
import { createPersonalAccessTokensStore } from '../operators/personal-access-tokens/personal-access-tokens.store.ts';
import { usualTokenEnd } from '../operators/personal-access-tokens/token-lifetime.ts';
import { endedSessionCookie, readSessionCookie } from '../operators/sessions/session-cookie.ts';
import type { createChanges, Notice } from '../platform/change-notices.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Logger } from '../platform/logger.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { createAccess } from '../projects/access.ts';
import { createActivityEndpoints } from '../projects/activity.router.ts';
import { createEndUsersEndpoints } from '../projects/end-users.router.ts';
import { createEndUsers } from '../projects/end-users.store.ts';
import { createInvitationsStore } from '../projects/invitations.store.ts';
import { createMembersEndpoints } from '../projects/members.router.ts';
import { createMembersStore } from '../projects/members.store.ts';
import { createProjectRules } from '../projects/project-rules.ts';
import { createProjectsEndpoints } from '../projects/projects.router.ts';
import { projectSchema } from '../projects/projects.schema.ts';
import { createProjectsStore } from '../projects/projects.store.ts';

/** About the connections of a small flood; each costs the memory of a waiting request. */
const HELD_REFUSALS_MAX = 256;
const KEY_TABLES = {
  api_key: 'api_keys',
  personal_access_token: 'personal_access_tokens',
  session: 'operator_sessions',
} as const;
const JWKS_TIMEOUT_MS = 5_000;
const JWKS_BYTES_MAX = 256 * 1024;

/** Composes what authenticates callers: operators, projects, keys, end users. */
export function composeIdentity(input: {
  config: Config;
  database: Database;
  vault: Vault;
  log: Logger;
  outbound: Outbound;
  now(): number;
  changes: ReturnType<typeof createChanges>;
  mailer: Mailer;
  enqueueEvents(trx: Db, changes: readonly Change[]): Promise<void>;
  countConnections(db: Db, projectId: string): Promise<number>;
  hide(trx: Db, projectId: string, actor: Principal): Promise<void>;
  eraseSoon(projectId: string): Promise<void>;
}) {
  const { config, database, vault, log, outbound, now, changes, mailer, countConnections, hide, eraseSoon } =
    input;
  const { publicUrl, allowPrivateNetworks } = config;
  const db = database.knex;
  const recordActivity = createRecordActivity({
    announce: changes.announce,
    enqueue: input.enqueueEvents,
  });
  const stores = {
    projects: createProjectsStore({ db }),
    members: createMembersStore({ db }),
    signingKeys: createSigningKeysStore({ db, vault }),
    apiKeys: createApiKeysStore({ db }),
    personalAccessTokens: createPersonalAccessTokensStore({ db }),
    revocations: createRevocationsStore({ db }),
    invitations: createInvitationsStore({ db }),
  };
  const access = createAccess({ db });
  const endUsers = createEndUsers({ db });
  const use = createAccessKeyUse({ db });
  const { createProject, createFirstProject } = createCreateProject({ ...stores, recordActivity });
  const signingIn = createOperators({
    ...{ config, db, vault, mailer, outbound, recordActivity, now, log },
    joinEveryProject: stores.members.insertIntoEveryProject,
    endInvitations: createEndInvitations({ ...stores, recordActivity }),
  });
  const { passwords, browserSessions } = signingIn;
  const setup = createSetup({
    db,
    publicUrl,
    projectSchema,
    createFirstProject,
    recordActivity,
    passwords,
    browserSessions,
    tokenEnd: () => usualTokenEnd(now(), config.personalAccessTokenDaysMax),
  });

  const rules = createProjectRules({
    findProjectRules: stores.projects.findProjectRules,
    findKnownOrigins: stores.projects.findKnownOriginsOfAnyProject,
    publicUrl,
    now,
    log,
  });
  const fetchJwks = (url: string) => fetchJson(outbound, url);
  const keySets = createKeySets({
    loadProjectKeys: (id) => rules.readAlong(id, (keep) => stores.signingKeys.loadProjectKeys(id, keep)),
    loadRevocations: stores.revocations.loadRevocations,
    heldRefusalsMax: Math.min(HELD_REFUSALS_MAX, Math.floor(config.proxy.concurrency.total / 20)),
    refusedPerNetworkPerMinute: config.rateLimits.failedAuthenticationPerMinute,
    fetchJwks,
    now,
    log,
  });
  const authenticate = createAuthenticate({
    findApiKey: createFindAccessKey({
      find: stores.apiKeys.findApiKey,
      findMany: stores.apiKeys.findApiKeys,
      now,
    }),
    findPersonalAccessToken: createFindAccessKey({
      find: stores.personalAccessTokens.findPersonalAccessToken,
      findMany: stores.personalAccessTokens.findPersonalAccessTokens,
      now,
    }),
    sessions: {
      readCookie: (request) => readSessionCookie(request, publicUrl),
      endedCookie: endedSessionCookie(publicUrl),
      find: createFindAccessKey({
        find: signingIn.sessions.findSession,
        findMany: signingIn.sessions.findSessions,
        now,
      }),
    },
    verifyManagementToken: keySets.verifyManagementToken,
    endUserId: endUsers.endUserId,
    noteAccessKeyUse: (kind, id) => use.noteAccessKeyUse({ table: KEY_TABLES[kind], id }),
  });

  const { tenancy } = config;
  const shared = {
    tenancy,
    db,
    access,
    recordActivity,
    publicUrl,
    countConnections,
    hide,
    eraseSoon,
    ...stores,
  };
  const invite = createInvite({ ...shared, ...signingIn, mailer, log });
  const endpoints: Endpoint[] = [
    ...setup.endpoints,
    ...signingIn.endpoints,
    ...createPersonalAccessTokensEndpoints({
      ...{ ...shared, ...signingIn, mailer, now },
      daysMax: config.personalAccessTokenDaysMax,
    }),
    ...createProjectsEndpoints({ ...shared, createProject, allowInsecureAddresses: allowPrivateNetworks }),
    ...createMembersEndpoints({
      ...shared,
      renewOwnSession: (trx, operatorId, by) => browserSessions.renewOwn(trx, operatorId, by, 'role_change'),
    }),
    ...createInvitationsEndpoints({ ...shared, ...signingIn, invite }),
    ...createAddMemberEndpoints({ ...shared, ...signingIn, invite }),
    ...createOwnInvitationsEndpoints(shared),
    ...createAcceptInvitationEndpoints({ ...shared, ...signingIn }),
    ...createApiKeysEndpoints(shared),
    ...createSigningKeysEndpoints({ ...shared, allowPrivateNetworks }),
    ...createKeySetTestEndpoints({ access, fetchJwks, allowPrivateNetworks }),
    ...createUserTokensEndpoints({ ...shared, now }),
    ...createRevocationsEndpoints(shared),
    ...createEndUsersEndpoints({ ...shared, endUsers }),
    ...createActivityEndpoints(shared),
  ];

  return {
    access,
    endUsers,
    recordActivity,
    keySets,
    rules,
    authenticate,
    operators: signingIn.operators,
    endpoints,
    projects: stores.projects,
    findProjectRules: stores.projects.findProjectRules,
    findBrand: stores.projects.findBrand,
    setup,
    singleSignOn: signingIn.singleSignOnRouter,
    chores: [
      use.chore,
      ...signingIn.chores,
      { name: 'old invitations', ...HOURLY, run: stores.invitations.purgeOfAnyProject },
      { name: 'old revocations', ...HOURLY, run: stores.revocations.purgeOfAnyProject },
      {
        name: 'old activity',
        ...HOURLY,
        run: (signal) => purgeActivityOfAnyProject(db, { keepDays: config.activityKeepDays, signal }),
      },
    ] satisfies Chore[],
    changed({ table, projectId }: Notice): void {
      if (table === 'origins') rules.invalidateOrigins();
      if (table === 'projects') rules.invalidateProject(projectId);
      if (table === 'projects' || table === 'signing_keys') keySets.invalidate(projectId);
    },
    markAllStale(): void {
      rules.markAllStale();
      keySets.markAllStale();
    },
    setHasNotices(value: boolean): void {
      rules.setHasNotices(value);
      keySets.setHasNotices(value);
    },
  };
}

async function fetchJson(outbound: Outbound, url: string): Promise<unknown> {
  const { status, body } = await outbound.request({
    url,
    headers: { Accept: 'application/jwk-set+json, application/json' },
    timeoutMs: JWKS_TIMEOUT_MS,
    responseBytesMax: JWKS_BYTES_MAX,
  });
  if (status !== 200) throw new Error(`the key set answered ${status}`);
  return JSON.parse(body.toString('utf8'));
}
