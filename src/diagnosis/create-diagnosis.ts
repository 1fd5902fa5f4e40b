import type { Connection } from '../connections/connection.ts';
import type { ConnectionFilter, ConnectionsStore } from '../connections/connections.store.ts';
import type { Credentials } from '../credentials/create-credentials.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Kit } from '../platform/kit.ts';
import type { Access } from '../projects/access.ts';
import type { Holds } from '../projects/holds.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { RunCheck } from './bounded-probe.ts';
import { type ClientDiagnosisDependencies, createClientDiagnosis } from './client-diagnosis.ts';
import { createClientProbe } from './client-probe.ts';
import { createSignInsStore } from './connect-attempts.store.ts';
import { createConnectAttempts } from './connect-attempts.ts';
import { createConnectionHealthEndpoints } from './connection-health.router.ts';
import { createConnectionHealth } from './connection-health.ts';
import { createTestConnection } from './connection-test.ts';
import { createConnectionsFactsStore } from './connections-facts.store.ts';
import type { Observations } from './create-observations.ts';
import { createDiagnosisEndpoints } from './diagnosis.router.ts';
import { createReadEventFlow } from './event-flow.store.ts';
import { createDeletionImpact } from './impact.ts';
import { createReadIntegrationStates } from './integration-states.ts';
import type { ReadWebhookFacts } from './judge-webhooks.ts';
import { createOverviewEndpoint } from './overview.router.ts';
import { createReadOverview, type OverviewSources } from './overview.ts';
import { createProbeUnsaved } from './probe-unsaved.ts';
import { createProbesStore } from './probes.store.ts';
import { createProviderEvidenceEndpoint } from './provider-evidence.router.ts';
import { createReadEnvironment, type FindProjectRules } from './read-environment.ts';

/** Longer than this, a person who waits for a diagnosis learns more from an answer that says so. */
const PROBE_TIMEOUT_MS = 8_000;
/** A page that shows an integration should not hang with its provider. */
const PATIENCE_MS = 5_000;
const INTEGRATIONS_MAX = 1_000;
/** As many as a finding names. */
const REFUSED_MAX = 5;

export type DiagnosisInput = Pick<Kit, 'db' | 'outbound' | 'now' | 'publicUrl'> & {
  /** The webhooks' own origin; undefined where it is `publicUrl`. */
  readonly webhookUrl: string | undefined;
  readonly providers: NamedProviders;
  readonly integrations: IntegrationsStore;
  readonly connections: ConnectionsStore;
  readonly credentials: Pick<
    Credentials,
    'accessTokens' | 'clientOf' | 'readCredentials' | 'refusedCalls' | 'servers'
  >;
  readonly observations: Observations;
  readonly findProjectRules: FindProjectRules;
  readonly listSecrets: ClientDiagnosisDependencies['listSecrets'];
  readonly listEndingSecrets: Parameters<typeof createReadOverview>[0]['listEndingSecrets'];
  readonly readWebhookFacts: ReadWebhookFacts;
  readonly runCheck: RunCheck;
  readonly holds: Pick<Holds, 'isFrozen'>;
  isFull(projectId: string): Promise<boolean>;
};

/** Builds the diagnosis: probes of providers, what the store knows, and the endpoints that say what is wrong. */
export function createDiagnosis(input: DiagnosisInput) {
  const { db, observations } = input;
  const parts = {
    ...input,
    contextOf: observations.contextOf,
    facts: createConnectionsFactsStore({ db }),
    signIns: createSignInsStore({ db }),
    probes: createProbesStore({ db }),
    readEventFlow: createReadEventFlow({ db }),
    probeClient: createClientProbe({ ...input, timeoutMs: PROBE_TIMEOUT_MS }),
    listConnections: (filter: ConnectionFilter) => input.connections.list(db, filter),
    listIntegrations: (projectId: string): Promise<Integration[]> =>
      input.integrations.list(db, { projectIds: [projectId], limit: INTEGRATIONS_MAX }),
  };
  const diagnosis = createClientDiagnosis({
    ...parts,
    connections: parts.facts,
    clientOf: input.credentials.clientOf,
    prepareServer: input.credentials.servers.prepareAuthorization,
    readSurroundings: createReadEnvironment(input),
    listRefusedClients: (integration) => input.integrations.clients.listRefused(db, integration, REFUSED_MAX),
    patienceMs: PATIENCE_MS,
  });
  const readStates = createReadIntegrationStates(parts);
  return {
    endpoints: ({ access, ...above }: OverviewSources & { readonly access: Access }): Endpoint[] => [
      ...createDiagnosisEndpoints({
        ...parts,
        access,
        diagnosis,
        connectAttempts: createConnectAttempts({ ...parts, store: parts.signIns }),
        impact: createDeletionImpact({ ...parts, connections: parts.facts }),
        readStates,
        probeUnsaved: createProbeUnsaved(parts),
      }),
      createProviderEvidenceEndpoint({ ...observations.evidence, access }),
      createOverviewEndpoint({
        access,
        readOverview: createReadOverview({ ...parts, ...above, readStates }),
      }),
      ...createConnectionHealthEndpoints({ ...parts, access, ...buildConnectionChecks(parts) }),
    ],
  };
}

function buildConnectionChecks(
  input: DiagnosisInput &
    Pick<Observations, 'contextOf'> & { readonly facts: ReturnType<typeof createConnectionsFactsStore> },
) {
  const { db, connections, integrations, credentials } = input;
  /** With the client that made the connection. */
  async function findIntegration({ integrationId, projectId, organizationClientId }: Connection) {
    const own = await integrations.find(db, integrationId, [projectId]);
    return own && integrations.clients.withVersion(db, own, organizationClientId);
  }
  return {
    health: createConnectionHealth({ ...input, findIntegration }),
    testConnection: createTestConnection({
      ...input,
      ...credentials,
      isFrozen: input.holds.isFrozen,
      findConnection: (id, projectId) => connections.find(db, id, [projectId]),
      findIntegration,
      noteTest: credentials.refusedCalls.noteTest,
    }),
  };
}
