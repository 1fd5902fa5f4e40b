import { createActivity } from '../activity/create-activity.ts';
import { createAgentSignIn } from '../agent-sign-in/create-agent-sign-in.ts';
import { createAgents } from '../agents/create-agents.ts';
import { createApprovals } from '../approvals/create-approvals.ts';
import { createCallLog } from '../call-log/create-call-log.ts';
import type { Catalog } from '../catalog/loading/catalog.ts';
import type { Config } from '../config.ts';
import { createConnectSessionsStore } from '../connect/connect-sessions.store.ts';
import { createConnect } from '../connect/create-connect.ts';
import { createConnections } from '../connections/create-connections.ts';
import { describeAccess } from '../credentials/calling/access-facts.ts';
import { createCredentials } from '../credentials/create-credentials.ts';
import { createErasing } from '../credentials/revoking/erasing.ts';
import { workOnRevokeAll } from '../credentials/revoking/revoke-all.ts';
import { createDiagnosis } from '../diagnosis/create-diagnosis.ts';
import { createObservations } from '../diagnosis/create-observations.ts';
import { createDeliveries } from '../events/create-deliveries.ts';
import { createEvents } from '../events/create-events.ts';
import { createIntegrations } from '../integrations/create-integrations.ts';
import type { ProviderAccess } from '../mandates/call.ts';
import { createPersons } from '../persons/create-persons.ts';
import { createPolls } from '../polls/create-polls.ts';
import { createFingerprintsStore } from '../polls/records/fingerprints.store.ts';
import { createPortal } from '../portal/create-portal.ts';
import { createHolds } from '../projects/holds.ts';
import { createSendAudit } from '../projects/send-audit.ts';
import { createProviders } from '../providers/create-providers.ts';
import { createWebhooks } from '../webhooks/create-webhooks.ts';
import { composeIdentity } from './identity.ts';
import type { ComposedPlatform } from './platform.ts';
import { composeProxy } from './proxy.ts';
import { createReplySeals } from './reply-seals.ts';
import { composeStored, readReceiptsKeepDays } from './stored.ts';

export type RoomsInput = {
  readonly platform: ComposedPlatform;
  readonly config: Config;
  readonly catalog: Catalog;
  isDraining(): boolean;
};

export type Rooms = ReturnType<typeof composeRooms>;

/** Builds every room once, each from those before it. What a room needs of a later one, its endpoints take in the end. */
export function composeRooms({ platform, config, catalog, isDraining }: RoomsInput) {
  const { kit, changes, jobs } = platform;
  const { allowPrivateNetworks, webhookUrl } = config;
  const holds = createHolds({ ...kit, changes });
  const activity = createActivity({ ...kit, ...changes, keepDays: config.activityKeepDays });
  const { recordActivity } = activity;
  if (kit.telemetry.sendAudit) activity.onRecorded(createSendAudit(kit.telemetry.sendAudit));
  const stored = composeStored({ ...kit, config, activity });
  const events = createEvents({ ...kit, activity, stored, isDraining, keepDays: config.events.keepDays });
  const ownProviders = createProviders({ ...kit, catalog, changes, webhookUrl, allowPrivateNetworks });
  const { providers } = ownProviders;
  const integrations = createIntegrations(kit);
  const connections = createConnections(kit);
  const stores = {
    providers,
    integrations: integrations.integrations,
    connections: connections.connections,
  };
  const shared = {
    ...platform,
    ...kit,
    ...stores,
    config,
    catalog,
    activity,
    recordActivity,
    stored,
    events,
    holds,
  };
  const observations = createObservations(shared);
  const { noteRefusedToken, noteWorked } = observations;
  const identity = composeIdentity({ ...platform, config, recordActivity, noteRefusedToken });
  const { findProjectRules, findBrand } = identity.projects;
  const sessions = createConnectSessionsStore(kit);
  const credentials = createCredentials({
    ...shared,
    noteWorked,
    findBrand,
    noteSecretVerdict: integrations.noteSecretVerdict,
    noteOrganizationVerdict: integrations.noteOrganizationVerdict,
    takePendingGrants: sessions.takePendingOf,
    tokenRequestTimeoutMs: config.tokenRequestTimeoutMs,
    databasePoolMax: config.databasePoolMax,
    allowPrivateNetworks,
  });
  const connect = createConnect({
    ...shared,
    noteWorked,
    sessions,
    credentials,
    endUsers: identity.endUsers,
    findBrand,
    findingOf: observations.explainConnectFailure,
    connectPerMinute: config.rateLimits.connectPerMinute,
    sweepIntervalSeconds: config.connectSweepIntervalSeconds,
    sessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
    sessionsPerUserPerHour: config.tenancy.connectSessionsPerUserPerHour,
  });
  const fingerprints = createFingerprintsStore();
  const webhooks = createWebhooks({
    ...shared,
    noteWorked,
    pseudonyms: identity.pseudonyms,
    credentials,
    settleChanges: fingerprints.settleWebhookChanges,
    webhookUrl,
    keepDays: readReceiptsKeepDays(config),
  });
  const polls = createPolls({ ...shared, noteWorked, credentials, fingerprints });
  const callLog = createCallLog({ ...shared, isDraining, settings: config.calls });
  const approvals = createApprovals({
    ...shared,
    findBrand,
    findApprovalPage: identity.projects.findApprovalPage,
    lockEndUser: identity.endUsers.lockEndUser,
    endUserId: identity.endUsers.endUserId,
    pagesPerMinute: config.rateLimits.connectPerMinute,
  });
  const proxying = composeProxy({
    ...shared,
    approvals: approvals.gate,
    identity,
    credentials,
    recordCall: callLog.record,
    noteOrigin: observations.noteOrigin,
    noteRateLimit: polls.noteProxied,
  });
  const agentSignIn = createAgentSignIn({
    ...shared,
    findBrand,
    findAgentSignIn: identity.projects.findAgentSignIn,
    endUserId: identity.endUsers.endUserId,
    verifyUserToken: identity.keySets.verifyUserToken,
    admitUser: identity.keySets.admitUser,
    failedPerMinute: config.rateLimits.failedAuthenticationPerMinute,
    pagesPerMinute: config.rateLimits.connectPerMinute,
    allowPrivateNetworks,
  });
  const agents = createAgents({
    ...shared,
    sessions: connect.ofUsers(identity),
    proxy: proxying.proxy,
    verifyUserToken: agentSignIn.verifyToken,
    challengeOf: agentSignIn.challengeOf,
    isAllowedOrigin: identity.rules.isAllowed,
    endUserId: identity.endUsers.endUserId,
    organizationId: identity.endUsers.organizationId,
    messagesPerMinute: config.rateLimits.proxyPerMinute,
  });
  const deliveries = createDeliveries({
    ...shared,
    keepDays: config.events.keepDays,
    destinationsAtOnce: config.events.destinationsAtOnce,
    allowPrivateNetworks,
    ownOrigins: [kit.publicUrl, config.proxyUrl, webhookUrl].filter((origin) => origin !== undefined),
  });
  const erasing = createErasing({
    ...shared,
    disconnecting: credentials.disconnecting,
    removeWebhooks: webhooks.removeRegistrations,
  });
  const revokingAll = {
    ...shared,
    disconnecting: credentials.disconnecting,
    removeWebhooks: webhooks.removeRegistrations,
  };
  workOnRevokeAll(revokingAll);
  const persons = createPersons({
    ...shared,
    ...identity,
    disconnecting: credentials.disconnecting,
    removeWebhooks: webhooks.removeRegistrations,
    readAccounts: webhooks.readAccounts,
    openReply: createReplySeals(kit.vault).open,
    dataKeys: events.dataKeys,
    keepDays: config.activityKeepDays,
  });
  const portal = createPortal({
    ...shared,
    findBrand,
    endUserId: identity.endUsers.endUserId,
    organizationId: identity.endUsers.organizationId,
    sessions: connect.ofUsers(identity),
    async disconnect(connection, actor) {
      await webhooks.removeRegistrations({ connectionId: connection.id });
      await credentials.disconnecting.disconnect(connection, actor);
    },
    pagesPerMinute: config.rateLimits.connectPerMinute,
  });
  const diagnosis = createDiagnosis({
    ...shared,
    webhookUrl,
    credentials,
    observations,
    findProjectRules,
    listSecrets: integrations.listSecrets,
    listEndingSecrets: integrations.listEndingSecrets,
    readWebhookFacts: webhooks.readWebhookFacts,
    isFull: stored.isFull,
  });
  return {
    async findAccessFacts(
      projectId: string,
      id: string,
      readingTools: readonly string[] | undefined,
    ): Promise<ProviderAccess> {
      const provider = await providers.find(projectId, id, null);
      if (provider === undefined) throw providers.refusalOf(projectId, id);
      return describeAccess(provider, readingTools);
    },
    ...{ activity, stored, events, identity, ownProviders, integrations, connections, observations },
    ...{ credentials, connect, webhooks, polls, callLog, approvals, proxying, deliveries, erasing, persons },
    ...{ diagnosis, jobs, agents, agentSignIn, holds, portal },
  };
}
