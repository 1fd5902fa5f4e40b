import type { RecordActivity } from '../activity/record.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Grant } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Credentials } from '../credentials/create-credentials.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import type { Chore } from '../platform/chores.ts';
import type { Kit } from '../platform/kit.ts';
import type { SharedLimits } from '../platform/limits/shared-limits.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { EndUsers } from '../projects/end-users.store.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import { createAuthorization } from './authorization.ts';
import { createBrandingPreviewEndpoints } from './branding-preview.router.ts';
import { createClientDocumentsRouter } from './client-documents.router.ts';
import { createReadClientIdentity } from './client-identity.ts';
import { createCompleteSessionEndpoints } from './complete-session.router.ts';
import { createConclude } from './conclude.ts';
import { createConnectRouter } from './connect.router.ts';
import { createConnectFailures } from './connect-failures.ts';
import { type ConnectFlow, createConnectFlow } from './connect-flow.ts';
import type { ConnectSession } from './connect-session.ts';
import {
  type ConnectSessionsDependencies,
  createConnectSessionsEndpoints,
} from './connect-sessions.router.ts';
import type { ConnectSessionsStore } from './connect-sessions.store.ts';
import { createDeliveredCodesStore } from './delivered-codes.store.ts';
import { createFinishGrant, type FinishGrant } from './finish-grant.ts';
import { createGrants, type Grants } from './grants.ts';
import { createLogIn } from './log-in.ts';
import { type NoteWorked, noteGrants } from './note-grants.ts';
import { createOAuth1Authorization } from './oauth1-authorization.ts';
import type { Brand } from './pages/brand.ts';
import { createSessionsChore } from './sessions.worker.ts';
import { createUserSessions } from './sessions-of-users.ts';

export type ConnectInput = Pick<Kit, 'db' | 'log' | 'outbound' | 'metrics' | 'now' | 'publicUrl'> & {
  readonly catalog: Catalog;
  readonly providers: NamedProviders;
  readonly integrations: IntegrationsStore;
  readonly connections: ConnectionsStore;
  readonly sessions: ConnectSessionsStore;
  readonly endUsers: Pick<EndUsers, 'endUserId' | 'organizationId' | 'lockEndUser'>;
  readonly recordActivity: RecordActivity;
  readonly credentials: Pick<
    Credentials,
    'tokenEndpoint' | 'clientOf' | 'findTarget' | 'disconnecting' | 'servers'
  >;
  findBrand(projectId: string): Promise<Brand | undefined>;
  /** Claims of user tokens that the project makes tags of. */
  findTagClaims(trx: Db, projectId: string): Promise<readonly string[]>;
  readonly noteWorked: NoteWorked;
  readonly findingOf: Parameters<typeof createConnectFailures>[0]['findingOf'];
  /** Of one address; 0: any number. */
  readonly connectPerMinute: number;
  readonly sweepIntervalSeconds: number;
  readonly sessionLifetimeSeconds: number;
  readonly sessionsPerUserPerHour: number;
  readonly sharedLimits: Pick<SharedLimits, 'limiter'>;
};

/** What only the endpoints need of other rooms. */
type EndpointsInput = { readonly access: Access } & Pick<
  ConnectSessionsDependencies,
  'findProjectRules' | 'noteReturnUrl' | 'noteOrigin'
>;

/** Builds what connects accounts: connect sessions, hosted pages, callback. */
export function createConnect(input: ConnectInput) {
  const { db, connections, endUsers, credentials } = input;
  const deliveredCodes = createDeliveredCodesStore({ db });
  const parts = {
    ...input,
    ...credentials,
    deliveredCodes,
    revokeGrant: createRevokeGrant(credentials),
    finishGrant: createFinishGrant({ ...input, lockEndUser: endUsers.lockEndUser }),
    grants: noteGrants(createGrants({ ...input, clientOf: credentials.clientOf }), input.noteWorked),
    flow: createConnectFlow(input),
  };
  const authorization = createAuthorization(parts);
  return {
    /** Obtains the tokens of a connection that no browser makes. */
    logIn: createLogIn({ findTarget: credentials.findTarget, authorization }),
    router: buildRouter({ ...parts, authorization }),
    endSessions: input.sessions.expireAt,
    ofUsers: (above: Pick<EndpointsInput, 'access' | 'findProjectRules'>) =>
      createUserSessions({ ...parts, ...above }),
    clientDocuments: createClientDocumentsRouter({
      ...input,
      ...createLimiter(input),
      findIntegration: (id) => input.integrations.findOfAnyProject(db, id),
      describe: credentials.servers.describe,
    }),
    endpoints: (above: EndpointsInput): Endpoint[] => [
      ...createConnectSessionsEndpoints({
        ...{ ...parts, ...above },
        endUserId: endUsers.endUserId,
        organizationId: endUsers.organizationId,
      }),
      ...createCompleteSessionEndpoints({ ...parts, ...above, connections }),
      ...createBrandingPreviewEndpoints({
        ...parts,
        ...above,
        listChoices: parts.flow.listChoices,
        listSamples: (count) => listSamples(input.catalog, count),
      }),
    ],
    chores: [
      createSessionsChore({ ...parts, intervalMs: input.sweepIntervalSeconds * 1000 }),
    ] satisfies Chore[],
  };
}

type RevokeGrant = ReturnType<typeof createRevokeGrant>;

function createRevokeGrant({ disconnecting }: Pick<Credentials, 'disconnecting'>) {
  return async (session: ConnectSession, grant: Grant, trx?: Db): Promise<void> => {
    const { integrationId, projectId, connectionId, endUserId, organizationClientId } = session;
    if (integrationId === null) return;
    const owner = { integrationId, projectId, connectionId, endUserId, organizationClientId };
    await disconnecting.revokeGrant(owner, grant, trx);
  };
}

function createLimiter({ connectPerMinute: limit }: ConnectInput) {
  return limit > 0 && { limiter: createRateLimiter({ limit, windowSeconds: 60 }) };
}

function buildRouter(
  input: ConnectInput &
    Pick<Credentials, 'clientOf' | 'tokenEndpoint'> & {
      readonly authorization: ReturnType<typeof createAuthorization>;
      readonly revokeGrant: RevokeGrant;
      readonly finishGrant: FinishGrant;
      readonly grants: Grants;
      readonly flow: ConnectFlow;
    },
) {
  return createConnectRouter({
    ...input,
    ...createLimiter(input),
    oauth1: createOAuth1Authorization(input),
    readClientIdentity: createReadClientIdentity(input),
    conclude: createConclude(input),
    grantFromCredentials: input.grants.fromCredentials,
    noteFailure: createConnectFailures({ ...input, count: input.metrics.countConnectFailure }),
  });
}

function listSamples(catalog: Catalog, count: number) {
  const ids = catalog.ids().slice(0, count);
  return ids.flatMap((id) => catalog.find(id) ?? []);
}
