import type { RecordActivity } from '../activity/record.ts';
import type { Endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import type { TokenRefusal } from '../http/token-refusal.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Operators } from '../operators/create-operators.ts';
import { endedSessionCookie, readSessionCookie } from '../operators/sessions/session-cookie.ts';
import type { Changes } from '../platform/change-notices.ts';
import { type Chore, HOURLY } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Mailer } from '../platform/mailer.ts';
import type { Pseudonyms } from '../platform/pseudonyms.ts';
import type { Projects } from '../projects/create-projects.ts';
import { createAccessKeyUse } from './api-keys/access-key-use.store.ts';
import { createApiKeysEndpoints } from './api-keys/api-keys.router.ts';
import { createApiKeysStore } from './api-keys/api-keys.store.ts';
import { createFindAccessKey } from './api-keys/find-access-key.ts';
import { createNoteRefusedAddress } from './api-keys/refused-addresses.ts';
import { createAuthenticate } from './authenticate.ts';
import { createCreateProject } from './create-project.ts';
import { createExchangeRouter, type OriginRules } from './exchange/exchange.router.ts';
import { createExchangeToken, type ExchangeDependencies } from './exchange/exchange-token.ts';
import { createAcceptInvitationEndpoints } from './invitations/accept-invitation.ts';
import { createAddMemberEndpoints } from './invitations/add-member.router.ts';
import { createInvitationsEndpoints } from './invitations/invitations.router.ts';
import { createInvite, type Invite } from './invitations/invite.ts';
import { createOwnInvitationsEndpoints } from './invitations/own-invitations.router.ts';
import { createExplainEndpoints, type FindAccessFacts } from './mandates/explain.router.ts';
import { createMandatesEndpoints } from './mandates/mandates.router.ts';
import { createMandatesStore } from './mandates/mandates.store.ts';
import { createNamedMandates } from './mandates/named-mandates.ts';
import { createRevocationsEndpoints } from './revocations/revocations.router.ts';
import { createRevocationsStore } from './revocations/revocations.store.ts';
import { ERASED_USER_PREFIX } from './revocations/revocations.ts';
import { createKeySetTestEndpoints } from './signing-keys/key-set-test.router.ts';
import { createSigningKeysEndpoints } from './signing-keys/signing-keys.router.ts';
import { createSigningKeysStore } from './signing-keys/signing-keys.store.ts';
import { createUserTokensEndpoints } from './signing-keys/user-tokens.router.ts';
import { createFetchJwks } from './verification/fetch-jwks.ts';
import { createKeySets, type KeySets } from './verification/key-sets.ts';

/** About the connections of a small flood; each costs the memory of a waiting request. */
const HELD_REFUSALS_MAX = 256;
const KEY_TABLES = {
  api_key: 'api_keys',
  personal_access_token: 'personal_access_tokens',
  session: 'operator_sessions',
} as const;

export type IdentityInput = Pick<Kit, 'db' | 'vault' | 'log' | 'outbound' | 'now' | 'publicUrl'> & {
  readonly changes: Pick<Changes, 'subscribe'>;
  readonly recordActivity: RecordActivity;
  readonly mailer: Mailer;
  readonly projects: Projects;
  readonly operators: Operators;
  readonly pseudonyms: Pick<Pseudonyms, 'find'>;
  readonly tenancy: { readonly apiKeysPerProjectMax: number };
  readonly allowPrivateNetworks: boolean;
  /** Calls in flight in one process. */
  readonly callsAtOnceMax: number;
  readonly failedAuthenticationPerMinute: number;
  /** Left out: this process is the only one. */
  readonly sharedLimits?: Pick<SharedLimits, 'limiter'>;
  /** Hears why a token of the project was refused, of some of them; must not throw. */
  noteRefusedToken(projectId: string, refusal: TokenRefusal): void;
};

export type Identity = ReturnType<typeof createIdentity>;

/** Builds what tells who calls: keys of projects and operators, sessions, tokens of end users. */
export function createIdentity(input: IdentityInput) {
  const { db } = input;
  const stores = {
    signingKeys: createSigningKeysStore(input),
    apiKeys: createApiKeysStore({ db }),
    revocations: createRevocationsStore({ db }),
    mandates: createMandatesStore({ db }),
  };
  const use = createAccessKeyUse({ db });
  const fetchJwks = createFetchJwks(input);
  const named = createNamedMandates({ ...input, find: stores.mandates.find });
  const keySets = buildKeySets({ ...input, ...stores, fetchJwks, named });
  const { projects, members, invitations, access } = input.projects;
  const creators = createCreateProject({ ...input, ...stores, projects, members });
  const people = { projects, members, invitations, access };
  const invite = createInvite({ ...input, ...input.operators, ...people });
  const deps = { ...input, ...input.operators, ...stores, ...people, fetchJwks, invite };
  return {
    keySets,
    invite,
    ...creators,
    revokeTokensOfErased: stores.revocations.revokeTokensOfErased,
    authenticate: buildAuthenticate({
      ...{ ...deps, keySets, use, endUsers: input.projects.endUsers },
      noteRefusedAddress: createNoteRefusedAddress(input),
    }),
    endpoints: (above: { readonly findAccessFacts: FindAccessFacts }) =>
      buildEndpoints({ ...deps, ...above }),
    exchangeRouter: (above: {
      readonly findAccessFacts: FindAccessFacts;
      readonly origins: readonly string[];
      /** 0: any number. */
      readonly perUserPerMinute: number;
    }) =>
      buildExchangeRouter({
        ...{ ...deps, ...above, keySets, findMandate: named.find },
        findTagClaims: (projectId) => projects.findTagClaims(db, projectId),
        rules: input.projects.rules,
      }),
    chores: [
      use.chore,
      { name: 'old invitations', ...HOURLY, run: invitations.purgeOfAnyProject },
      { name: 'old revocations', ...HOURLY, run: stores.revocations.purgeOfAnyProject },
    ] satisfies Chore[],
  };
}

type Stores = {
  readonly signingKeys: ReturnType<typeof createSigningKeysStore>;
  readonly apiKeys: ReturnType<typeof createApiKeysStore>;
  readonly revocations: ReturnType<typeof createRevocationsStore>;
  readonly mandates: ReturnType<typeof createMandatesStore>;
};

function buildKeySets(
  input: IdentityInput &
    Stores & {
      readonly fetchJwks: ReturnType<typeof createFetchJwks>;
      readonly named: ReturnType<typeof createNamedMandates>;
    },
): KeySets {
  const { named } = input;
  const { rules } = input.projects;
  const keySets = createKeySets({
    ...input,
    findMandate: named.find,
    loadProjectKeys: (id) => rules.readAlong(id, (keep) => input.signingKeys.loadProjectKeys(id, keep)),
    loadRevocations: input.revocations.loadRevocations,
    async findNameErased(projectId) {
      const pseudonymize = await input.pseudonyms.find(input.db, projectId);
      return pseudonymize && ((userId) => `${ERASED_USER_PREFIX}${pseudonymize('user', userId)}`);
    },
    heldRefusalsMax: Math.min(HELD_REFUSALS_MAX, Math.floor(input.callsAtOnceMax / 20)),
    refusedPerNetworkPerMinute: input.failedAuthenticationPerMinute,
  });
  input.changes.subscribe({
    changed({ table, projectId }) {
      if (table === 'projects' || table === 'signing_keys') keySets.invalidate(projectId);
      if (table === 'mandates') named.invalidate(projectId);
    },
    markAllStale() {
      keySets.markAllStale();
      named.markAllStale();
    },
    setHasNotices(value) {
      keySets.setHasNotices(value);
      named.setHasNotices(value);
    },
  });
  return keySets;
}

function buildAuthenticate({
  apiKeys,
  personalAccessTokens,
  sessions,
  keySets,
  use,
  endUsers,
  publicUrl,
  now,
  noteRefusedAddress,
}: Pick<Kit, 'publicUrl' | 'now'> &
  Pick<Stores, 'apiKeys'> &
  Pick<Operators, 'personalAccessTokens' | 'sessions'> &
  Pick<Projects, 'endUsers'> & {
    readonly keySets: KeySets;
    readonly use: ReturnType<typeof createAccessKeyUse>;
    readonly noteRefusedAddress: ReturnType<typeof createNoteRefusedAddress>;
  }) {
  return createAuthenticate({
    findApiKey: createFindAccessKey({ find: apiKeys.findApiKey, findMany: apiKeys.findApiKeys, now }),
    findPersonalAccessToken: createFindAccessKey({
      find: personalAccessTokens.findPersonalAccessToken,
      findMany: personalAccessTokens.findPersonalAccessTokens,
      now,
    }),
    sessions: {
      readCookie: (request) => readSessionCookie(request, publicUrl),
      endedCookie: endedSessionCookie(publicUrl),
      find: createFindAccessKey({ find: sessions.findSession, findMany: sessions.findSessions, now }),
    },
    verifyManagementToken: keySets.verifyManagementToken,
    endUserId: endUsers.endUserId,
    organizationId: endUsers.organizationId,
    noteAccessKeyUse: (kind, id) => use.noteAccessKeyUse({ table: KEY_TABLES[kind], id }),
    noteRefusedAddress,
  });
}

function buildExchangeRouter(
  input: Omit<ExchangeDependencies, 'countExchange'> &
    Pick<Kit, 'log'> & { readonly perUserPerMinute: number; readonly rules: OriginRules },
) {
  const { perUserPerMinute } = input;
  const rate = createRateLimiter({ limit: Math.max(perUserPerMinute, 1), windowSeconds: 60 });
  const exchange = createExchangeToken({
    ...input,
    countExchange(projectId, subject) {
      const state = perUserPerMinute > 0 ? rate.check(`${projectId} ${subject}`) : undefined;
      if (state?.allowed === false)
        throw new HttpError('rate_limited', { headers: { 'Retry-After': String(state.retryAfterSeconds) } });
    },
  });
  return createExchangeRouter({ exchange, originRules: input.rules, log: input.log });
}

type EndpointsInput = Omit<IdentityInput, 'projects' | 'operators'> &
  Stores &
  Operators &
  Pick<Projects, 'projects' | 'members' | 'invitations' | 'access'> & {
    readonly fetchJwks: ReturnType<typeof createFetchJwks>;
    readonly findAccessFacts: FindAccessFacts;
    readonly invite: Invite;
  };

function buildEndpoints(deps: EndpointsInput): Endpoint[] {
  return [
    ...createInvitationsEndpoints(deps),
    ...createAddMemberEndpoints(deps),
    ...createOwnInvitationsEndpoints(deps),
    ...createAcceptInvitationEndpoints(deps),
    ...createApiKeysEndpoints(deps),
    ...createSigningKeysEndpoints(deps),
    ...createKeySetTestEndpoints(deps),
    ...createUserTokensEndpoints(deps),
    ...createRevocationsEndpoints(deps),
    ...createMandatesEndpoints(deps),
    ...createExplainEndpoints(deps),
  ];
}
