import { certificateOwner } from '../catalog/facts/client-certificate.ts';
import { usesClient } from '../catalog/facts/client-values.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { AuthorizationServers } from '../credentials/mcp-servers/authorization-servers.ts';
import { HttpError } from '../http/errors.ts';
import type { Integration } from '../integrations/integration.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import type { OrganizationClient } from '../integrations/organization-clients/organization-client.ts';
import type { SecretRecord } from '../integrations/secrets/secret-records.store.ts';
import { settleWithin } from '../lib/settle-within.ts';
import { applyDiscovery } from '../oauth/discovered-server.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { RunCheck } from './bounded-probe.ts';
import type { ClientProbe } from './client-probe.schema.ts';
import type { ProbeClient } from './client-probe.ts';
import type { SignInsStore } from './connect-attempts.store.ts';
import type { ConnectionsFactsStore } from './connections-facts.store.ts';
import type { ReadEventFlow } from './event-flow.store.ts';
import { createFinding, type Finding, mergeFindings } from './finding.ts';
import type { FindingCode } from './finding-texts.ts';
import { contextFor, hasTenant, type IntegrationContext } from './integration-context.ts';
import { judgeCertificate } from './judge-certificate.ts';
import { CLIENT_IN_CALLS, judgeClient } from './judge-client.ts';
import { judgeSignIns } from './judge-connect-attempts.ts';
import { judgeConnections, judgeOrganizationClients } from './judge-connections.ts';
import { judgeSurroundings, type Surroundings } from './judge-environment.ts';
import { judgeEventFlow } from './judge-event-flow.ts';
import { judgeProvider } from './judge-provider.ts';
import { judgeSecrets } from './judge-secrets.ts';
import { judgeStorage, judgeWebhooks, type ReadWebhookFacts } from './judge-webhooks.ts';
import type { ProbesStore } from './probes.store.ts';

const SIGN_INS_MS = 7 * 24 * 60 * 60 * 1_000;
const FAILURES_MAX = 200;

/** Whether the provider may be asked: in any case, where its last answer is old, or not at all. */
export type Probing = 'always' | 'if_outdated' | 'never';

export type Diagnosis = { readonly checkedAt: string | null; readonly findings: Finding[] };

/** What the provider said, and when. */
type Probed = { readonly checkedAt: Date; readonly facts: ClientProbe };

export type ClientDiagnosisDependencies = {
  providers: Providers;
  probes: Pick<ProbesStore, 'read' | 'claim' | 'keep'>;
  signIns: Pick<SignInsStore, 'count' | 'failures'>;
  connections: ConnectionsFactsStore;
  probeClient: ProbeClient;
  runCheck: RunCheck;
  clientOf(integration: Integration): Promise<OAuthClient>;
  /** Finds the authorization server of an MCP server, and makes the client there. */
  prepareServer: AuthorizationServers['prepareAuthorization'];
  listSecrets(integration: Integration): Promise<SecretRecord[]>;
  /** OAuth clients of organizations that the provider refused when it last heard them. */
  listRefusedClients(integration: Integration): Promise<OrganizationClient[]>;
  readSurroundings(projectId: string): Promise<Surroundings>;
  readWebhookFacts: ReadWebhookFacts;
  readEventFlow: ReadEventFlow;
  /** Whether the project keeps as much in the store as it may. */
  isFull(projectId: string): Promise<boolean>;
  publicUrl: string;
  webhookUrl?: string | undefined;
  /** How long a diagnosis that was not asked to refresh waits for the provider. */
  patienceMs: number;
  now(): number;
};

export type ClientDiagnosis = ReturnType<typeof createClientDiagnosis>;

/** Finds out what is wrong with an integration, from what the store knows and what its provider says. */
export function createClientDiagnosis(deps: ClientDiagnosisDependencies) {
  const { now, publicUrl } = deps;
  const underWay = new Map<string, Promise<Probed | undefined>>();

  async function probe(stored: Integration, provider: Provider): Promise<Probed | undefined> {
    const prepared = await deps.prepareServer({ provider, integration: stored });
    const integration = prepared.ok ? prepared.target.integration : stored;
    if (!(await deps.probes.claim(integration))) return deps.probes.read(integration);
    const facts = prepared.ok
      ? await deps.runCheck(integration.projectId, async (signal) =>
          deps.probeClient(await targetOf(integration, provider), signal),
        )
      : { ...withoutClient(provider), reason: prepared.fault };
    await deps.probes.keep(integration, facts);
    return { checkedAt: new Date(now()), facts };
  }

  /** Requests that come together share one. */
  function probeOnce(integration: Integration, provider: Provider): Promise<Probed | undefined> {
    const key = `${integration.id} ${integration.version}`;
    const running = underWay.get(key);
    if (running !== undefined) return running;
    // Others may share it: it must not be cut when the request that began it has no time left for the store.
    const started = withoutStoreLimit(() => probe(integration, provider))
      .catch((error: unknown) => {
        // Too many checks: what is known is reported.
        if (error instanceof HttpError) return deps.probes.read(integration);
        throw error;
      })
      .finally(() => underWay.delete(key));
    underWay.set(key, started);
    return started;
  }

  async function targetOf(stored: Integration, described: Provider) {
    const { provider, integration } = applyDiscovery(described, stored);
    const [client, ofUser] = await Promise.all([
      deps.clientOf(integration),
      deps.connections.newestVariables(integration),
    ]);
    return {
      provider,
      client,
      scopes: integration.scopes,
      optionalScopes: integration.optionalScopes,
      authorizationParams: integration.settings.authorizationParams,
      // As the next authorization would have them.
      variables: templateValues({ before: ofUser, integration: integration.variables }),
      redirectUrl: buildRedirectUrl(publicUrl, integration),
    };
  }

  async function readProbe(
    integration: Integration,
    provider: Provider,
    probing: Probing,
  ): Promise<Probed | undefined> {
    if (!hasClient(provider)) return { checkedAt: new Date(now()), facts: withoutClient(provider) };
    if (probing === 'always') return probeOnce(integration, provider);
    const kept = await deps.probes.read(integration);
    if (kept?.isFresh || probing === 'never') return kept;
    // The check goes on, for the next diagnosis to find.
    return settleWithin(deps.patienceMs, probeOnce(integration, provider), () => kept);
  }

  async function diagnose(integration: Integration, probing: Probing): Promise<Diagnosis> {
    const { projectId, serviceProvider, grant } = integration;
    const provider = await deps.providers.find(projectId, serviceProvider, grant);
    if (provider === undefined) {
      const name = { provider: serviceProvider };
      return { checkedAt: null, findings: [createFinding('provider_missing', name)] };
    }
    const context = contextFor(provider, integration, publicUrl);
    const [probed, stored, flow] = await Promise.all([
      readProbe(integration, provider, probing),
      judgeStore(integration, context),
      deps.readEventFlow(projectId),
    ]);
    const known = [...stored, ...judgeEventFlow(flow, integration, provider)];
    const ofCertificate = await judgeOwnCertificate(integration, provider);
    const ofClient = judgeProbed(probed, provider, context);
    const remaining = probed === undefined ? known : withoutDisproved(known, ofClient, probed.checkedAt);
    return {
      checkedAt: probed?.checkedAt.toISOString() ?? null,
      findings: mergeFindings([...judgeProvider(provider), ...ofCertificate, ...ofClient, ...remaining]),
    };
  }

  async function judgeOwnCertificate(integration: Integration, provider: Provider): Promise<Finding[]> {
    if (certificateOwner(provider) !== 'integration') return [];
    const { secretVariables = {} } = await deps.clientOf(integration);
    return judgeCertificate(
      provider,
      templateValues({ integration: integration.variables, integrationSecrets: secretVariables }),
      now(),
    );
  }

  async function judgeStore(integration: Integration, context: IntegrationContext): Promise<Finding[]> {
    const from = new Date(now() - SIGN_INS_MS);
    const [counts, failures, facts, secrets, surroundings, webhooks, isFull, refused] = await Promise.all([
      deps.signIns.count(integration, from),
      deps.signIns.failures(integration, from, FAILURES_MAX),
      deps.connections.read(integration),
      deps.listSecrets(integration),
      deps.readSurroundings(integration.projectId),
      deps.readWebhookFacts(integration),
      deps.isFull(integration.projectId),
      deps.listRefusedClients(integration),
    ]);
    const webhookUrl = `${deps.webhookUrl ?? publicUrl}/webhooks/${integration.id}`;
    return [
      ...judgeSignIns(counts, failures, integration, context),
      ...judgeConnections(facts, integration, context),
      ...judgeOrganizationClients(refused, context),
      ...judgeSecrets(secrets, { provider: context.provider, nowMs: now() }),
      ...judgeSurroundings(surroundings),
      ...judgeStorage(isFull),
      ...judgeWebhooks(webhooks, { ...context, webhookUrl }),
    ];
  }

  return { diagnose };
}

function withoutClient(provider: Provider): ClientProbe {
  const reason = usesClient(provider) ? CLIENT_IN_CALLS : 'no_client';
  return { token: null, reason, older: null, otherRegion: null, isSwapped: false, authorization: null };
}

/** Whether an integration has a client at the provider, which can be checked. */
export function hasClient({ auth }: Provider): boolean {
  return auth === 'oauth2' || auth === 'oauth2-client-credentials';
}

/** Findings of what the provider said, or that it has not been asked. */
export function judgeProbed(
  probed: Probed | undefined,
  provider: Provider,
  context: IntegrationContext,
): Finding[] {
  if (probed === undefined) return [createFinding('client_not_checked', { provider: provider.name })];
  const at = probed.checkedAt.toISOString();
  return judgeClient(probed.facts, { ...context, hasTenant: hasTenant(provider), at });
}

/** What an accepted client disproves, where it was seen before. */
const DISPROVED: ReadonlySet<FindingCode> = new Set([
  'client_secret_refused',
  'client_secret_expired',
  'client_id_unknown',
  'client_refused',
  'provider_down',
  'provider_name_unresolved',
  'provider_tls_broken',
  'client_certificate_refused',
  'provider_timeout',
  'provider_address_refused',
]);

/** Less what the provider's own answer, which came later, says otherwise. Pure. */
export function withoutDisproved(
  known: readonly Finding[],
  ofClient: readonly Finding[],
  checkedAt: Date,
): Finding[] {
  if (!ofClient.some(({ code }) => code === 'client_accepted')) return [...known];
  return known.filter(({ code, evidence, severity }) => {
    const isBefore = evidence.every(({ at }) => at !== undefined && Date.parse(at) < checkedAt.getTime());
    // An end that the operator noted was met by an accepted secret: the note is wrong, which stays worth a warning.
    return !(DISPROVED.has(code) && isBefore && severity === 'error');
  });
}
