import type { RecordActivity } from '../../activity/record.ts';
import type { OpenConnection } from '../../credentials/calling/connection-client.ts';
import { HttpError } from '../../http/errors.ts';
import { type Principal, principalId } from '../../http/principal.ts';
import type { Integration } from '../../integrations/integration.ts';
import type { IntegrationsStore } from '../../integrations/integrations.store.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Access, AccessMode } from '../../projects/access.ts';
import type { NamedProviders } from '../../providers/custom-providers.ts';
import type { OpenCaller } from '../pages/provider-caller.ts';
import type { DuePoll, PollProgressStore } from '../running/poll-progress.store.ts';
import type { PollStatusStore } from '../running/poll-status.store.ts';
import { toPollWire } from './poll-wire.ts';
import type { Poll, PollChange, PollsStore } from './polls.store.ts';

/** Connections that a new poll, or one that is to run, takes up at once; a chore takes up the rest within seconds. */
export const CONNECTIONS_AT_ONCE = 500;

export type PollsDependencies = {
  db: Db;
  access: Access;
  providers: NamedProviders;
  integrations: Pick<IntegrationsStore, 'find'>;
  polls: PollsStore;
  progressStore: PollProgressStore;
  statusStore: PollStatusStore;
  openConnection: OpenConnection;
  /** Undefined where the integration has no such connection that works. */
  chooseConnection(
    integration: Integration,
    connectionId: string | undefined,
  ): Promise<{ readonly id: string; readonly accountId: string | null } | undefined>;
  openCaller: OpenCaller;
  /** Runs a check of a provider within what a project may ask for. */
  runCheck<Result>(projectId: string, check: (signal: AbortSignal) => Promise<Result>): Promise<Result>;
  addJobs(db: Db, due: readonly DuePoll[]): Promise<void>;
  /** Throws `project_frozen` and `gateway_restored`. */
  assertNotHeld(projectId: string): void;
  recordActivity: RecordActivity;
  publicUrl: string;
  now(): number;
};

export type PollAccess = ReturnType<typeof createPollAccess>;

/** What the endpoints of polls share: finding, showing and changing a poll on behalf of a principal. */
export function createPollAccess(deps: PollsDependencies) {
  const { db, access, polls, progressStore } = deps;

  const find = (principal: Principal, id: string, mode: AccessMode) =>
    access.find(principal, mode, 'poll_not_found', (projectIds) => polls.find(db, id, projectIds));

  async function wireOf(poll: Poll, on: Db = db) {
    return toPollWire(poll, (await polls.counts(on, [poll])).get(poll.id));
  }

  async function change(
    trx: Db,
    principal: Principal,
    current: Poll,
    given: PollChange & { pausedAt?: Date | null },
    action: 'poll.updated' | 'poll.paused' | 'poll.resumed',
  ): Promise<Poll> {
    const row = await polls.update(trx, current, { ...given, updatedBy: principalId(principal) });
    if (row === undefined) throw new HttpError('precondition_failed');
    if (row.pausedAt === null) {
      await deps.addJobs(trx, await progressStore.makeDue(trx, row.id, CONNECTIONS_AT_ONCE));
    }
    await deps.recordActivity(trx, {
      actor: principal,
      action,
      projectId: row.projectId,
      subjectId: row.id,
      details: { fields: action === 'poll.updated' ? Object.keys(given) : [] },
    });
    return row;
  }

  return { find, wireOf, change };
}
