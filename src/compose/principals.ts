import {
  type ActivityEntry,
  type RecordActivity,
  recordActivity as writeActivity,
} from '../activity/activity.store.ts';
import type { Config } from '../config.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { createApiKeysEndpoints } from '../identity/api-keys.router.ts';
import { createApiKeysStore } from '../identity/api-keys.store.ts';
import { createAuthenticate } from '../identity/authenticate.ts';
import { createCreateProject } from '../identity/create-project.ts';
import { createCredentialUse } from '../identity/credential-use.store.ts';
import { createKeySets } from '../identity/key-sets.ts';
import { createSigningKeysEndpoints } from '../identity/signing-keys.router.ts';
import { createSigningKeysStore } from '../identity/signing-keys.store.ts';
import { createUserTokensEndpoints } from '../identity/user-tokens.router.ts';
import { createPersonalAccessTokensEndpoints } from '../operators/personal-access-tokens.router.ts';
import { createPersonalAccessTokensStore } from '../operators/personal-access-tokens.store.ts';
import { createSetupRouter } from '../operators/setup.router.ts';
import { createSetup } from '../operators/setup.ts';
import type { Change, createChanges } from '../platform/changes.ts';
import type { Logger } from '../platform/logger.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Database, Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import { createAccess } from '../projects/access.ts';
import { createActivityEndpoints } from '../projects/activity.router.ts';
import { createEndUsersEndpoints } from '../projects/end-users.router.ts';
import { createEndUsers } from '../projects/end-users.store.ts';
import { createMembersEndpoints } from '../projects/members.router.ts';
import { createMembersStore } from '../projects/members.store.ts';
import { createProjectRules } from '../projects/project-rules.ts';
import { createProjectsEndpoints } from '../projects/projects.router.ts';
import { projectSchema } from '../projects/projects.schema.ts';
import { createProjectsStore } from '../projects/projects.store.ts';

const JWKS_TIMEOUT_MS = 5_000;
const JWKS_BYTES_MAX = 256 * 1024;

/** The half of the composition that knows who calls: operators, projects, keys, end users. */
export function composePrincipals(input: {
  config: Config;
  database: Database;
  vault: Vault;
  log: Logger;
  outbound: Outbound;
  now(): number;
  changes: ReturnType<typeof createChanges>;
}) {
  const { config, database, vault, log, outbound, now, changes } = input;
  const { publicUrl, allowPrivateNetworks } = config;
  const db = database.knex;
  const recordActivity = announcing(writeActivity, changes.recorded);
  const projectChanged = (projectId: string) => changes.announce({ table: 'projects', projectId });
  const stores = {
    projects: createProjectsStore({ db }),
    members: createMembersStore({ db }),
    signingKeys: createSigningKeysStore({ db, vault }),
    apiKeys: createApiKeysStore({ db }),
    personalAccessTokens: createPersonalAccessTokensStore({ db }),
  };
  const access = createAccess({ db });
  const endUsers = createEndUsers({ db });
  const use = createCredentialUse({ db });
  const { createProject, createFirstProject } = createCreateProject({ ...stores, recordActivity });
  const setup = createSetup({ db, publicUrl, projectSchema, createFirstProject, recordActivity });

  const rules = createProjectRules({
    findProjectRules: stores.projects.findProjectRules,
    isKnownOriginOfAnyProject: stores.projects.isKnownOriginOfAnyProject,
    publicUrl,
    now,
  });
  const keySets = createKeySets({
    loadProjectKeys: (id) => stores.signingKeys.loadProjectKeys(id, rules.learner(id)),
    fetchJwks: (url) => fetchJson(outbound, url),
    now,
    log,
  });
  const authenticate = createAuthenticate({
    findApiKey: stores.apiKeys.findApiKey,
    findPersonalAccessToken: async (hash) => {
      const found = await stores.personalAccessTokens.findPersonalAccessToken(hash);
      return found && { id: found.personalAccessTokenId, ...found };
    },
    verifyManagementToken: keySets.verifyManagementToken,
    endUserId: endUsers.endUserId,
    noteCredentialUse: (kind, id) =>
      use.noteCredentialUse({ table: kind === 'api_key' ? 'api_keys' : 'personal_access_tokens', id }),
  });

  const shared = { db, access, recordActivity, projectChanged, publicUrl, ...stores };
  const endpoints: Endpoint[] = [
    ...setup.endpoints,
    ...createPersonalAccessTokensEndpoints(shared),
    ...createProjectsEndpoints({ ...shared, createProject, allowInsecureAddresses: allowPrivateNetworks }),
    ...createMembersEndpoints(shared),
    ...createApiKeysEndpoints(shared),
    ...createSigningKeysEndpoints({ ...shared, allowPrivateNetworks }),
    ...createUserTokensEndpoints({ ...shared, now }),
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
    endpoints,
    findProjectRules: stores.projects.findProjectRules,
    findBrand: stores.projects.findBrand,
    setup,
    setupPage: createSetupRouter(setup),
    chores: [use.chore],
    changed(table: Change['table'], projectId: string): void {
      if (table === 'projects') rules.invalidateProject(projectId);
      if (table === 'projects' || table === 'signing_keys') keySets.invalidate(projectId);
    },
    distrustAll(): void {
      rules.distrustAll();
      keySets.distrustAll();
    },
  };
}

/**
 * Every change writes an activity record in its transaction, so that is where this process hears of it: what it keeps
 * in memory is dropped when the transaction commits, and the caller's next call finds the change.
 */
function announcing(record: RecordActivity, recorded: (entry: ActivityEntry) => void): RecordActivity {
  return async (trx: Db, entry) => {
    await record(trx, entry);
    if (!('executionPromise' in trx)) return recorded(entry);
    trx.executionPromise.then(
      () => recorded(entry),
      () => undefined,
    );
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
