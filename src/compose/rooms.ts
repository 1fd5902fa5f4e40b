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
export function composeRooms(input: RoomsInput) {
  const base = composeBase(input);
  const connecting = composeConnecting(input, base);
  const calling = composeCalling(input, base, connecting);
  const keeping = composeKeeping(input, base, connecting);
  const { db, providers } = base.shared;
  const { integrations } = base.rooms.integrations;
  return {
    async findAccessFacts(
      projectId: string,
      id: string,
      readingTools: readonly string[] | undefined,
    ): Promise<ProviderAccess> {
      const provider = await providers.find(projectId, id, null);
      if (provider === undefined) throw providers.refusalOf(projectId, id);
      if (readingTools !== undefined) return describeAccess(provider, readingTools);
      const filter = { projectIds: [projectId], serviceProvider: id, limit: INTEGRATIONS_MAX };
      const marked = (await integrations.list(db, filter)).map(({ settings }) => settings.readingTools ?? []);
      return describeAccess(provider, markedByAll(marked));
    },
    jobs: input.platform.jobs,
    ...base.rooms,
    ...connecting,
    ...calling,
    ...keeping,
  };
}

/** More than a project has of one provider. */
const INTEGRATIONS_MAX = 1_000;

/** Which integration a call goes by depends on the user: what holds for each of them holds for the call. */
function markedByAll([first = [], ...others]: readonly (readonly string[])[]): readonly string[] {
  return first.filter((tool) => others.every((tools) => tools.includes(tool)));
}

type Base = ReturnType<typeof composeBase>;

/** Builds what rooms write to and read from, whoever asks: activity, events, providers, integrations, connections, callers. */
function composeBase({ platform, config, catalog, isDraining }: RoomsInput) {
  const { kit, changes } = platform;
  const { allowPrivateNetworks, webhookUrl } = config;
  const holds = createHolds({ ...kit, changes });
  const activity = createActivity({ ...kit, ...changes, keepDays: config.activityKeepDays });
  const { recordActivity } = activity;
  if (kit.telemetry.sendAudit) activity.onRecorded(createSendAudit(kit.telemetry.sendAudit));
  const stored = composeStored({ ...kit, config, activity });
  const events = createEvents({ ...kit, activity, stored, isDraining, keepDays: config.events.keepDays });
  const ownProviders = createProviders({ ...kit, catalog, changes, webhookUrl, allowPrivateNetworks });
  const integrations = createIntegrations(kit);
  const connections = createConnections(kit);
  const facts = {
    ...platform,
    ...kit,
    providers: ownProviders.providers,
    integrations: integrations.integrations,
    connections: connections.connections,
    ...{ config, catalog, allowPrivateNetworks, activity, recordActivity, stored, events, holds },
  };
  const observations = createObservations(facts);
  const { noteRefusedToken, noteWorked } = observations;
  const identity = composeIdentity({ ...platform, config, recordActivity, noteRefusedToken });
  return {
    /** What most rooms are built with. */
    shared: { ...facts, noteWorked, findBrand: identity.projects.findBrand },
    rooms: {
      ...{ activity, stored, events, identity, ownProviders, integrations, connections, observations, holds },
    },
  };
}

type Connecting = ReturnType<typeof composeConnecting>;

/** Builds how a connection comes to be, stays usable, and tells of changes. */
function composeConnecting({ config }: RoomsInput, { shared, rooms }: Base) {
  const { identity, integrations, observations } = rooms;
  const sessions = createConnectSessionsStore(shared);
  const credentials = createCredentials({
    ...shared,
    noteSecretVerdict: integrations.noteSecretVerdict,
    noteOrganizationVerdict: integrations.noteOrganizationVerdict,
    takePendingGrants: sessions.takePendingOf,
    tokenRequestTimeoutMs: config.tokenRequestTimeoutMs,
    databasePoolMax: config.databasePoolMax,
  });
  const connect = createConnect({
    ...shared,
    sessions,
    credentials,
    endUsers: identity.endUsers,
    findTagClaims: identity.projects.findTagClaims,
    findingOf: observations.explainConnectFailure,
    connectPerMinute: config.rateLimits.connectPerMinute,
    sweepIntervalSeconds: config.connectSweepIntervalSeconds,
    sessionLifetimeSeconds: config.connectSessionLifetimeSeconds,
    sessionsPerUserPerHour: config.tenancy.connectSessionsPerUserPerHour,
  });
  const fingerprints = createFingerprintsStore();
  const webhooks = createWebhooks({
    ...shared,
    pseudonyms: identity.pseudonyms,
    credentials,
    settleChanges: fingerprints.settleWebhookChanges,
    webhookUrl: config.webhookUrl,
    keepDays: readReceiptsKeepDays(config),
  });
  const polls = createPolls({ ...shared, credentials, fingerprints });
  return { credentials, connect, webhooks, polls };
}

/** Builds the doors through which a user's calls go to a provider, and what each of them is asked and noted by. */
function composeCalling(
  { config, isDraining }: RoomsInput,
  { shared, rooms: { identity, observations } }: Base,
  { credentials, connect, polls }: Connecting,
) {
  const { findApprovalPage, findAgentSignIn, findProjectRules } = identity.projects;
  const { endUserId, lockEndUser, organizationId } = identity.endUsers;
  const pagesPerMinute = config.rateLimits.connectPerMinute;
  const callLog = createCallLog({ ...shared, isDraining, settings: config.calls });
  const approvals = createApprovals({ ...shared, findApprovalPage, lockEndUser, endUserId, pagesPerMinute });
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
    findAgentSignIn,
    endUserId,
    verifyUserToken: identity.keySets.verifyUserToken,
    admitUser: identity.keySets.admitUser,
    failedPerMinute: config.rateLimits.failedAuthenticationPerMinute,
    pagesPerMinute,
  });
  const agents = createAgents({
    ...shared,
    sessions: connect.ofUsers({ ...identity, findProjectRules }),
    proxy: proxying.proxy,
    verifyUserToken: agentSignIn.verifyToken,
    challengeOf: agentSignIn.challengeOf,
    isAllowedOrigin: identity.rules.isAllowed,
    endUserId,
    organizationId,
    messagesPerMinute: config.rateLimits.proxyPerMinute,
  });
  return { callLog, approvals, proxying, agentSignIn, agents };
}

/** Builds what reports, delivers, diagnoses and erases what the others have made. */
function composeKeeping(
  { config }: RoomsInput,
  { shared, rooms: { identity, events, integrations, observations, stored } }: Base,
  { credentials, connect, webhooks }: Connecting,
) {
  const { webhookUrl, proxyUrl } = config;
  const { findProjectRules } = identity.projects;
  const removing = {
    disconnecting: credentials.disconnecting,
    removeWebhooks: webhooks.removeRegistrations,
  };
  const timed = { ...shared, now: shared.storeClock.now };
  const deliveries = createDeliveries({
    ...timed,
    sentNow: shared.now,
    keepDays: config.events.keepDays,
    destinationsAtOnce: config.events.destinationsAtOnce,
    ownOrigins: [shared.publicUrl, proxyUrl, webhookUrl].filter((origin) => origin !== undefined),
  });
  const erasing = createErasing({ ...timed, ...removing });
  workOnRevokeAll({ ...timed, ...removing });
  const persons = createPersons({
    ...timed,
    ...identity,
    ...removing,
    readAccounts: webhooks.readAccounts,
    openReply: createReplySeals(shared.vault).open,
    dataKeys: events.dataKeys,
    keepDays: config.activityKeepDays,
  });
  const portal = createPortal({
    ...shared,
    endUserId: identity.endUsers.endUserId,
    organizationId: identity.endUsers.organizationId,
    sessions: connect.ofUsers({ ...identity, findProjectRules }),
    disconnect: (connection, actor) =>
      webhooks.unregisterWhile(connection.id, () => removing.disconnecting.disconnect(connection, actor)),
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
  return { deliveries, erasing, persons, portal, diagnosis };
}
