import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { providerFromFile } from '../../src/catalog/provider-from-file.ts';
import type { PollResource } from '../../src/catalog/provider-polls.schema.ts';
import type { AccessTokens } from '../../src/credentials/access-tokens.ts';
import { createIntegrationClient } from '../../src/credentials/integration-client.ts';
import { createProviderCalls } from '../../src/credentials/provider-calls.ts';
import { createRefreshStore } from '../../src/credentials/refresh.store.ts';
import { createAppendNotices } from '../../src/events/append-notices.ts';
import { openEvents, readFeed } from '../../src/events/events.store.ts';
import { createEventStream } from '../../src/events/stream.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createDataKeys } from '../../src/platform/data-keys.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createVault, parseEncryptionKeys } from '../../src/platform/vault.ts';
import { createAllowancesStore } from '../../src/polls/allowances.store.ts';
import { createAllowances } from '../../src/polls/allowances.ts';
import { type CallerOf, createCallerOf } from '../../src/polls/callers.ts';
import { createClientTokens } from '../../src/polls/client-tokens.ts';
import { createFingerprintsStore } from '../../src/polls/fingerprints.store.ts';
import { createPollConnectionsStore } from '../../src/polls/poll-connections.store.ts';
import { PollFailure } from '../../src/polls/poll-failure.ts';
import { createPolledConnectionsStore } from '../../src/polls/polled-connections.store.ts';
import { createPollsStore, type PollToInsert } from '../../src/polls/polls.store.ts';
import { NO_PROGRESS } from '../../src/polls/progress.ts';
import { createRunPoll, jobKeyOf } from '../../src/polls/run-poll.ts';
import { createTakeStep } from '../../src/polls/step.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { insertConnection, insertEndUser, insertIntegration, insertProject } from '../support/rows.ts';

const vault = createVault(parseEncryptionKeys(`k:${randomBytes(32).toString('base64')}`));

export type PollStage = Awaited<ReturnType<typeof createPollStage>>;

/** A poll of one connection at a server of the test, run by hand: everything but queue and refreshes is the real thing. */
export async function createPollStage(
  database: TestDatabase,
  crmUrl: string,
  resource: PollResource,
  options: Partial<Pick<PollToInsert, 'backfill' | 'deletes'>> & {
    db?: Knex;
    accessTokens?: Pick<AccessTokens, 'refresh' | 'refreshAfter401'>;
    rateLimit?: unknown;
    accountId?: string;
    callerOf?: CallerOf;
  } = {},
) {
  const db = options.db ?? database.knex;
  const loaded = providerFromFile(
    {
      id: 'fake-crm',
      name: 'Fake CRM',
      auth: 'oauth2',
      authorizationUrl: `${crmUrl}/authorize`,
      tokenUrl: `${crmUrl}/token`,
      apiBaseUrl: crmUrl,
      ...(options.rateLimit !== undefined && { rateLimit: options.rateLimit }),
    },
    { allowPrivateNetworks: true },
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  const { provider } = loaded;
  const projectId = await insertProject(database.knex);
  const integrationId = await insertIntegration(database.knex, vault, projectId, 'fake-crm');
  const endUserId = await insertEndUser(database.knex, projectId, `user-${projectId}`);
  const connectionId = await insertConnection(
    database.knex,
    vault,
    { projectId, integrationId, endUserId },
    {
      accessTokenExpiresAt: null,
      accessTokenLifetimeSeconds: null,
      accountId: options.accountId ?? null,
    },
  );
  const connections = createPollConnectionsStore();
  const fingerprints = createFingerprintsStore();
  const dataKeys = createDataKeys({ vault });
  const notices = createAppendNotices({ notify: async () => undefined });
  const stream = createEventStream({ db, dataKeys, notices, log: { warn: () => undefined } });
  const allowancesStore = createAllowancesStore({ db });
  const allowances = createAllowances({ store: allowancesStore, now: Date.now });
  const poll = await createPollsStore().insert(database.knex, {
    projectId,
    integrationId,
    resource: null,
    custom: resource,
    objectType: resource.object,
    intervalSeconds: 60,
    fields: [],
    parameters: {},
    backfill: options.backfill ?? 'none',
    deletes: options.deletes ?? 'none',
    scanIntervalSeconds: 3600,
    createdBy: newId(),
  });
  if (poll === undefined) throw new Error('no poll');
  const [key] = await connections.join(database.knex, { pollId: poll.id }, 10);
  if (key === undefined) throw new Error('no connection joined');
  const integrations = createIntegrationsStore({ vault });
  const providers = { find: () => provider };
  const outbound = createOutbound({ allowPrivateNetworks: true });
  const openConnection = createProviderCalls({
    outbound,
    client: createIntegrationClient({ db, providers, integrations, publicUrl: 'http://gateway.test' }),
    readCredentials: createRefreshStore({ db, vault, processKey: 1 }).read,
    accessTokens: options.accessTokens ?? { refresh: neverAsked, refreshAfter401: async () => null },
    now: Date.now,
  });
  const callerOf =
    options.callerOf ??
    createCallerOf({
      clientTokens: createClientTokens({ tokenEndpoint: createTokenEndpoint({ outbound }), now: Date.now }),
    });
  const outcomes: string[] = [];
  const runPoll = createRunPoll({
    db,
    providers,
    connections,
    openConnection,
    allowances,
    takeStep: createTakeStep({
      callerOf,
      db,
      connections,
      fingerprints,
      append: stream.append,
      noteAnswer(_task, _connection, { status, headers }) {
        const watch = { allowanceId: connectionId, rules: provider };
        const told = allowances.learn(watch, status, (name) => [headers[name.toLowerCase()] ?? []].flat()[0]);
        if (told?.pausedForMs != null) throw new PollFailure('rate_limited', null, told.pausedForMs);
      },
    }),
    countRun: (outcome) => outcomes.push(outcome),
    random: () => 0,
    log: { warn: () => undefined },
  });

  const { read: readCredentials } = createRefreshStore({ db: database.knex, vault, processKey: 1 });

  async function slice(signal = new AbortController().signal) {
    await database.knex('poll_connections').where({ poll_id: key?.pollId }).update({ next_run_at: null });
    return runPoll(jobKeyOf(key ?? { pollId: '', connectionId: '' }), signal);
  }

  async function forgetTold(): Promise<void> {
    await database.knex('events').where({ project_id: projectId }).delete();
  }

  return {
    projectId,
    integrationId,
    endUserId,
    connectionId,
    openConnection,
    callerOf,
    readCredentials,
    poll,
    connections,
    fingerprints,
    allowances,
    allowancesStore,
    outcomes,
    slice,
    /** Slices until a run is over. */
    async run(): Promise<void> {
      const before = outcomes.filter((outcome) => outcome === 'completed').length;
      for (let count = 0; count < 2_000; count += 1) {
        await slice();
        if (outcomes.filter((outcome) => outcome === 'completed').length > before) return;
        const last = outcomes.at(-1);
        if (last !== undefined && last !== 'completed' && outcomes.length > 50) break;
      }
      throw new Error(`the run does not end: ${outcomes.slice(-3).join(', ')}`);
    },
    async makeScanDue(): Promise<void> {
      await database
        .knex('poll_connections')
        .where({ poll_id: poll.id })
        .update({ progress: database.knex.raw(`progress || '{"scannedAt": 0}'`) });
    },
    /** As if the poll had just been made. */
    async forgetAll(): Promise<void> {
      await database.knex('poll_records').delete();
      await database.knex('poll_connections').update({ progress: NO_PROGRESS, run_began_at: null });
      await forgetTold();
    },
    forgetTold,
    async task() {
      const task = await connections.load(database.knex, key);
      if (task === undefined) throw new Error('no task');
      return task;
    },
    async shown() {
      const [shown] = await createPolledConnectionsStore().listOfPoll(database.knex, poll.id, { limit: 1 });
      if (shown === undefined) throw new Error('nothing shown');
      return shown;
    },
    /** `created:1` and so on, in the order of the stream. */
    async told(): Promise<string[]> {
      return (await eventsOf(database.knex, projectId)).map(({ change, id }) => `${change}:${id}`);
    },
    async payloads(): Promise<string[]> {
      const { rows } = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 100 });
      return (await openEvents(database.knex, dataKeys, rows)).flatMap((text) => text ?? []);
    },
  };
}

async function neverAsked(): Promise<never> {
  throw new Error('no refresh was expected');
}

async function eventsOf(db: Knex, projectId: string): Promise<{ change: string; id: string }[]> {
  const { rows } = await db.raw(
    'SELECT change, object_id AS id FROM events WHERE project_id = ? ORDER BY position',
    [projectId],
  );
  return rows;
}

/** Tells each change once: ids that came twice, and ids that are missing. */
export function faultsOf(told: readonly string[], expected: readonly string[]) {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const one of told) {
    if (seen.has(one)) twice.push(one);
    seen.add(one);
  }
  const wanted = new Set(expected);
  return {
    twice,
    missing: expected.filter((one) => !seen.has(one)),
    unexpected: [...seen].filter((one) => !wanted.has(one)),
  };
}

export const NO_FAULTS = { twice: [], missing: [], unexpected: [] };
