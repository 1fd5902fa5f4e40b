import type { RecordActivity } from '../activity/record.ts';
import type { Config } from '../config.ts';
import type { createConnect } from '../connect/create-connect.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { Endpoint } from '../http/endpoint.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import { createSecretRecordsEndpoints } from '../integrations/secret-records.router.ts';
import { createSecretRecordsStore } from '../integrations/secret-records.store.ts';
import { createSecretUse } from '../integrations/secret-use.ts';
import type { Logger } from '../platform/logger.ts';
import type { Outbound } from '../platform/outbound.ts';
import { measureClockSkew } from '../platform/postgres/clock.ts';
import type { Database } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { RunCheck } from './bounded-probe.ts';
import { createClientDiagnosis } from './client-diagnosis.ts';
import { createClientProbe } from './client-probe.ts';
import { createSignInsStore } from './connect-attempts.store.ts';
import { createSignIns } from './connect-attempts.ts';
import { findingOfFailure } from './connect-failure-findings.ts';
import { createConnectionHealthEndpoints } from './connection-health.router.ts';
import { createConnectionHealth } from './connection-health.ts';
import { createTestConnection } from './connection-test.ts';
import { createConnectionsFactsStore } from './connections-facts.store.ts';
import { createDiagnosisEndpoints } from './diagnosis.router.ts';
import { createDeletionImpact } from './impact.ts';
import { createReadContext } from './integration-context.ts';
import { createReadIntegrationStates } from './integration-states.ts';
import type { Surroundings } from './judge-environment.ts';
import type { ReadWebhookFacts } from './judge-webhooks.ts';
import { createNoticedFaultsStore } from './observed-faults.store.ts';
import { createNoticedFaults } from './observed-faults.ts';
import { createProbeUnsaved } from './probe-unsaved.ts';
import { createProbesStore } from './probes.store.ts';

/** Longer than this, a person who waits for a diagnosis learns more from being told so. */
const PROBE_TIMEOUT_MS = 8_000;
/** A page that shows an integration should not hang with its provider. */
const PATIENCE_MS = 5_000;
const INTEGRATIONS_MAX = 1_000;

/** Composes what other rooms report to the diagnosis, and ask of it. */
export function createObservations(input: {
  config: Config;
  database: Database;
  log: Logger;
  now(): number;
  providers: NamedProviders;
  integrations: IntegrationsStore;
}) {
  const { database, log, now, providers, integrations } = input;
  const db = database.knex;
  const store = createNoticedFaultsStore({ db });
  const records = createSecretRecordsStore();
  const contextOf = createReadContext({ providers, publicUrl: input.config.publicUrl });

  /** What the activity record of a failed sign-in says of it. */
  async function findingOf(failure: FailedSession) {
    const { session, provider, ...told } = failure;
    const id = session?.integrationId ?? null;
    const integration = id === null ? undefined : await integrations.find(db, id, [session?.projectId ?? '']);
    const context = integration
      ? await contextOf(integration)
      : { provider: provider ?? 'the provider', redirectUrl: '', scopes: [] };
    return findingOfFailure(told, context);
  }

  return {
    store,
    contextOf,
    findingOf,
    noticed: createNoticedFaults({ store }),
    records,
    noteSecretVerdict: createSecretUse({ db, records, now, log }),
  };
}

type FailedSession = {
  readonly error: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly providerWords?: string;
  readonly missingScopes?: readonly string[];
  readonly refusedVariable?: string;
  readonly provider: string | undefined;
  readonly session: { readonly integrationId: string | null; readonly projectId: string } | undefined;
};

/** Composes the diagnosis: probes of providers, what the store tells, and the endpoints that say what is wrong. */
export function createDiagnosis(input: {
  config: Config;
  database: Database;
  outbound: Outbound;
  now(): number;
  providers: NamedProviders;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  access: Access;
  recordActivity: RecordActivity;
  findProjectRules(
    projectId: string,
  ): Promise<{ allowedOrigins: readonly string[]; returnUrls: readonly string[] } | undefined>;
  connecting: ReturnType<typeof createConnect>;
  notices: ReturnType<typeof createObservations>;
  readWebhookFacts: ReadWebhookFacts;
  runCheck: RunCheck;
  isFull(projectId: string): Promise<boolean>;
}): Endpoint[] {
  const {
    config,
    outbound,
    now,
    providers,
    integrations,
    connections,
    access,
    connecting,
    notices,
    runCheck,
  } = input;
  const { publicUrl } = config;
  const { clientOf } = connecting;
  const db = input.database.knex;
  const facts = createConnectionsFactsStore({ db });
  const signIns = createSignInsStore({ db });
  const probeClient = createClientProbe({ outbound, now, timeoutMs: PROBE_TIMEOUT_MS });
  const { contextOf } = notices;
  const findIntegration = (id: string, projectId: string) => integrations.find(db, id, [projectId]);

  async function readSurroundings(projectId: string): Promise<Surroundings> {
    // What this process has noticed a moment ago counts as well.
    await notices.noticed.flush();
    const [rules, noticed, isOnlyProject, clockSkewMs] = await Promise.all([
      input.findProjectRules(projectId),
      notices.store.listFor(projectId),
      notices.store.isOnlyProjectOfGateway(),
      measureClockSkew(db, now),
    ]);
    const { allowedOrigins = [], returnUrls = [] } = rules ?? {};
    return { publicUrl, allowedOrigins, returnUrls, isOnlyProject, noticed, clockSkewMs };
  }

  const diagnosis = createClientDiagnosis({
    providers,
    probes: createProbesStore({ db }),
    signIns,
    connections: facts,
    probeClient,
    runCheck,
    isFull: input.isFull,
    clientOf,
    prepareServer: input.connecting.servers.prepareAuthorization,
    listSecrets: (integration) => notices.records.list(db, integration),
    readSurroundings,
    readWebhookFacts: input.readWebhookFacts,
    publicUrl,
    webhookUrl: config.webhookUrl,
    patienceMs: PATIENCE_MS,
    now,
  });
  const shared = { db, access, integrations, connections };
  return [
    ...createDiagnosisEndpoints({
      ...shared,
      diagnosis,
      signIns: createSignIns({ store: signIns, contextOf, now }),
      impact: createDeletionImpact({
        connections: facts,
        providers,
        listIntegrations: (projectId): Promise<Integration[]> =>
          integrations.list(db, { projectIds: [projectId], limit: INTEGRATIONS_MAX }),
      }),
      readStates: createReadIntegrationStates({
        providers,
        probes: createProbesStore({ db }),
        signIns,
        listIntegrations: (projectId) =>
          integrations.list(db, { projectIds: [projectId], limit: INTEGRATIONS_MAX }),
        contextOf,
        now,
      }),
      probeUnsaved: createProbeUnsaved({ providers, probeClient, runCheck, publicUrl, now }),
    }),
    ...createConnectionHealthEndpoints({
      ...shared,
      health: createConnectionHealth({ providers, facts, findIntegration, contextOf }),
      testConnection: createTestConnection({
        outbound,
        providers,
        runCheck,
        accessTokens: connecting.accessTokens,
        readCredentials: connecting.readCredentials,
        findConnection: (id, projectId) => connections.find(db, id, [projectId]),
        findIntegration,
        clientOf,
        facts,
        noteTest: connecting.refusedCalls.noteTest,
        contextOf,
        now,
      }),
    }),
    ...createSecretRecordsEndpoints({
      ...shared,
      records: notices.records,
      recordActivity: input.recordActivity,
    }),
  ];
}
