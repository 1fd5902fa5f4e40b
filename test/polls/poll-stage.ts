import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import type { PollResource } from '../../src/catalog/schema/provider-polls.schema.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import { readFeed } from '../../src/events/stream/events.store.ts';
import { openEvents } from '../../src/events/stream/sealed-events.ts';
import { newId } from '../../src/lib/ids.ts';
import { createVault, parseEncryptionKeys } from '../../src/platform/vault.ts';
import { createPollsStore, type PollToInsert } from '../../src/polls/api/polls.store.ts';
import { NO_PROGRESS } from '../../src/polls/pages/progress.ts';
import { createPollStatusStore } from '../../src/polls/running/poll-status.store.ts';
import { formatJobKey } from '../../src/polls/running/run-poll.ts';
import type { TestDatabase } from '../support/postgres.ts';
import { insertConnection, insertEndUser, insertIntegration, insertProject } from '../support/rows.ts';
import { createPollRunner, type RunnerOptions } from './poll-runner.ts';

/** What the vault of every stage opens with. */
export const ENCRYPTION_KEY = `k:${randomBytes(32).toString('base64')}`;
const vault = createVault(parseEncryptionKeys(ENCRYPTION_KEY));

export type PollStage = Awaited<ReturnType<typeof createPollStage>>;

/** A poll of one connection at a server of the test, run by hand: everything but queue and refreshes is the real thing. */
export async function createPollStage(
  database: TestDatabase,
  crmUrl: string,
  resource: PollResource,
  options: Partial<Pick<PollToInsert, 'backfill' | 'deletes'>> & {
    db?: Knex;
    accountId?: string;
  } & RunnerOptions = {},
) {
  const runner = createPollRunner({ db: options.db ?? database.knex, vault, crmUrl }, options);
  const { progressStore, fingerprints, rateBudgets, rateBudgetsStore, dataKeys, outcomes, runPoll } = runner;
  const { openConnection, openCaller } = runner;
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
  const [key] = await progressStore.join(database.knex, { pollId: poll.id }, 10);
  if (key === undefined) throw new Error('no connection joined');
  const { read: readCredentials } = createRefreshStore({ db: database.knex, vault, processKey: 1 });

  async function slice(signal = new AbortController().signal) {
    await database.knex('poll_connections').where({ poll_id: key?.pollId }).update({ next_run_at: null });
    return runPoll(formatJobKey(key ?? { pollId: '', connectionId: '' }), signal);
  }

  async function forgetReported(): Promise<void> {
    await database.knex('events').where({ project_id: projectId }).delete();
  }

  return {
    projectId,
    integrationId,
    endUserId,
    connectionId,
    openConnection,
    openCaller,
    readCredentials,
    poll,
    key,
    progressStore,
    fingerprints,
    rateBudgets,
    rateBudgetsStore,
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
    /** The next slice is due now, and looks for what is gone. */
    async makeScanDue(): Promise<void> {
      await database
        .knex('poll_connections')
        .where({ poll_id: poll.id })
        .update({ next_run_at: null, progress: database.knex.raw(`progress || '{"scannedAt": 0}'`) });
    },
    /** As if the poll had just been made. */
    async forgetAll(): Promise<void> {
      await database.knex('poll_records').delete();
      await database.knex('poll_connections').update({ progress: NO_PROGRESS, run_began_at: null });
      await forgetReported();
    },
    forgetReported,
    async task() {
      const task = await progressStore.load(database.knex, key);
      if (task === undefined) throw new Error('no task');
      return task;
    },
    async shown() {
      const [shown] = await createPollStatusStore().listOfPoll(database.knex, poll.id, { limit: 1 });
      if (shown === undefined) throw new Error('nothing shown');
      return shown;
    },
    /** `created:1` and so on, in the order of the stream. */
    async reported(): Promise<string[]> {
      return (await eventsOf(database.knex, projectId)).map(({ change, id }) => `${change}:${id}`);
    },
    async payloads(): Promise<string[]> {
      const { rows } = await readFeed(database.knex, { projectId, afterPosition: 0, limit: 100 });
      return (await openEvents(database.knex, dataKeys, rows)).flatMap((text) => text ?? []);
    },
  };
}

async function eventsOf(db: Knex, projectId: string): Promise<{ change: string; id: string }[]> {
  const { rows } = await db.raw(
    'SELECT change, object_id AS id FROM events WHERE project_id = ? ORDER BY position',
    [projectId],
  );
  return rows;
}

/** Tells each change once: ids that came twice, and ids that are missing. */
export function listFaults(reported: readonly string[], expected: readonly string[]) {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const one of reported) {
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
