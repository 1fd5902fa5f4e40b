import type { PollResource } from '../catalog/provider-polls.schema.ts';
import type { OwnConnection } from '../credentials/provider-calls.ts';
import type { NewEvent } from '../events/event.ts';
import type { AppendEvents } from '../events/stream.ts';
import type { Db } from '../platform/postgres/database.ts';
import { advance, endRun, startResync } from './advance.ts';
import { hashRecords } from './fingerprint.ts';
import type { FingerprintsStore, FingerprintWrite } from './fingerprints.store.ts';
import { judgeRecord, latestById, type ReadRecord } from './judge-records.ts';
import { type Ask, beginPass, nextAsk, sourceOf, tasksOf, tasksOfResync } from './plan-run.ts';
import type { PollConnectionsStore, PollTask } from './poll-connections.store.ts';
import { PollFailure, refusalOf } from './poll-failure.ts';
import type { Pass, Progress, Task } from './progress.ts';
import { isCursorExpired, type Page, type ProviderAnswer, readPage } from './read-answer.ts';

const TIMEOUT_MS = 30_000;
/** Parsed, compared and written as JSON within some 30 ms. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024;
const SWEEP_RECORDS = 1_000;
/** A scan that misses more than half of so many records is made once more. */
const DOUBTFUL_MISSING_MIN = 20;

/** Who polls what, for the events. */
export type Subject = {
  readonly connection: OwnConnection;
  readonly resource: PollResource;
};

export type StepEnd = {
  readonly task: PollTask;
  /** `lost`: another worker has gone on meanwhile. */
  readonly outcome: 'more' | 'over' | 'lost';
};

export type TakeStep = (task: PollTask, subject: Subject, signal: AbortSignal) => Promise<StepEnd>;

/**
 * One step of a poll: a page asked for, and then in one transaction its fingerprints, the way that the poll has come,
 * and its events. A crash before the commit leaves nothing of the page, and it is read again. Throws PollFailure,
 * UnreadableAnswerError, OutboundError and refusals of a refresh.
 */
export function createTakeStep(deps: {
  db: Db;
  connections: PollConnectionsStore;
  fingerprints: FingerprintsStore;
  append: AppendEvents;
  /** Throws PollFailure (`rate_limited`) where the provider refuses for now. */
  noteAnswer(task: PollTask, connection: OwnConnection, answer: ProviderAnswer): void;
}): TakeStep {
  const { db, connections, fingerprints } = deps;

  return async (given, subject, signal) => {
    const task = { ...given, progress: withTasks(given, subject.resource) };
    const [current] = task.progress.todo;
    if (current === undefined) return endOfRun(task);
    if (current === 'sweep') return sweep(task, subject);
    const pass = task.progress.pass ?? beginPass(subject.resource, task.progress, current, task.nowMs);
    const answer = await askProvider(task, subject, { current, pass, signal });
    if (isCursorExpired(subject.resource, answer)) {
      return save(task, startResync(task.progress, tasksOfResync(subject.resource)));
    }
    if (answer.status >= 300 && answer.status !== 304) throw refusalOf(answer, subject.connection.secrets());
    const page = readPage(
      { resource: subject.resource, task: current, progress: task.progress, pass },
      answer,
    );
    return tellPage(task, subject, { current, pass, page });
  };

  async function askProvider(
    task: PollTask,
    { connection, resource }: Subject,
    { current, pass, signal }: { current: Task; pass: Pass; signal: AbortSignal },
  ): Promise<ProviderAnswer> {
    const { progress, options, nowMs } = task;
    const { variables } = connection;
    const ask = nextAsk({ resource, options, progress, task: current, pass, nowMs, variables });
    const answer = await sendAsk(connection, ask, signal);
    deps.noteAnswer(task, connection, answer);
    return answer;
  }

  async function tellPage(
    task: PollTask,
    { connection, resource }: Subject,
    { current, pass, page }: { current: Task; pass: Pass; page: Page },
  ): Promise<StepEnd> {
    const records = await hashRecords(
      latestById(page.records, isNewestFirst(resource, current)),
      resource.record.ignore,
    );
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return { task, outcome: 'lost' };
      const told = await writePage(trx, task, resource, { records, current });
      const progress = advance({
        resource,
        progress: task.progress,
        task: current,
        pass,
        page,
        news: told.news,
        deletes: task.options.deletes,
        nowMs: task.nowMs,
      });
      const isRunOver = progress.todo.length === 0;
      const next = await connections.saveStep(trx, task, {
        progress: isRunOver ? endRun(progress) : progress,
        isRunOver,
      });
      await deps.append(trx, task.projectId, eventsOf(task, connection, resource, told.changes));
      return { task: next, outcome: isRunOver ? 'over' : 'more' };
    });
  }

  async function writePage(
    trx: Db,
    task: PollTask,
    resource: PollResource,
    { records, current }: { records: readonly ReadRecord[]; current: Task },
  ) {
    if (records.length === 0) return { news: 0, changes: [] };
    const known = await fingerprints.read(
      trx,
      task.recordSet,
      records.map(({ id }) => id),
    );
    const isTimeEnough = resource.changes !== undefined && (current === 'scan' || current === 'resync');
    const judged = records.map((record) => ({
      record,
      verdict: judgeRecord(record, known.get(record.id), {
        task: current,
        floor: task.progress.floor,
        isTimeEnough,
      }),
    }));
    const writes = judged.flatMap(({ record, verdict: { write, change } }): FingerprintWrite[] =>
      write === undefined
        ? []
        : [{ objectId: record.id, ...write, toldAt: change === null ? null : record.updatedAt }],
    );
    const isScan = current === 'scan' || current === 'resync';
    const unchanged = judged.filter(
      ({ record, verdict }) => verdict.write === undefined && !record.isDeleted,
    );
    if (isScan)
      await fingerprints.touch(
        trx,
        task.recordSet,
        unchanged.map(({ record }) => record.id),
      );
    await fingerprints.write(trx, task.recordSet, writes);
    const changes = judged.flatMap(({ record, verdict: { change } }) =>
      change === null ? [] : [{ id: record.id, change, dataText: JSON.stringify(record.value) }],
    );
    return { news: writes.length, changes };
  }

  /** Tells of records that a scan did not find, some at a time. */
  async function sweep(task: PollTask, { connection, resource }: Subject): Promise<StepEnd> {
    const { progress, recordSet } = task;
    const { before, after } = progress.sweep ?? { before: 0, after: '' };
    if (after === '' && !progress.isConfirming && (await isDoubtful(recordSet, before))) {
      // An account that lost a permission, or an answer cut short, would look like a great deletion.
      const todo: Task[] = ['scan', ...progress.todo.slice(1)];
      return save(task, { ...progress, sweep: null, isConfirming: true, todo });
    }
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return { task, outcome: 'lost' };
      const { gone, last } = await fingerprints.sweep(trx, recordSet, {
        sinceMs: before,
        after,
        limit: SWEEP_RECORDS,
      });
      const swept: Progress =
        last === null
          ? { ...progress, sweep: null, isConfirming: false, scannedAt: before, todo: progress.todo.slice(1) }
          : { ...progress, sweep: { before, after: last } };
      const isRunOver = swept.todo.length === 0;
      const next = await connections.saveStep(trx, task, {
        progress: isRunOver ? endRun(swept) : swept,
        isRunOver,
      });
      const changes = gone.map((id) => ({
        id,
        change: 'deleted' as const,
        dataText: JSON.stringify({ id }),
      }));
      await deps.append(trx, task.projectId, eventsOf(task, connection, resource, changes));
      return { task: next, outcome: isRunOver ? 'over' : 'more' };
    });
  }

  async function isDoubtful(recordSet: string, before: number): Promise<boolean> {
    const { all, missing } = await fingerprints.countMissing(db, recordSet, before);
    return missing > DOUBTFUL_MISSING_MIN && missing * 2 > all;
  }

  async function endOfRun(task: PollTask): Promise<StepEnd> {
    const end = await save(task, endRun(task.progress), true);
    return { ...end, outcome: end.outcome === 'lost' ? 'lost' : 'over' };
  }

  async function save(task: PollTask, progress: Progress, isRunOver = false): Promise<StepEnd> {
    return db.transaction(async (trx) => {
      if (!(await connections.lockStep(trx, task))) return { task, outcome: 'lost' };
      return { task: await connections.saveStep(trx, task, { progress, isRunOver }), outcome: 'more' };
    });
  }
}

/** A run that begins gets its tasks. */
function withTasks({ progress, options, nowMs }: PollTask, resource: PollResource): Progress {
  if (progress.todo.length > 0) return progress;
  return { ...progress, todo: [...tasksOf(resource, options, progress, nowMs)] };
}

async function sendAsk(
  connection: OwnConnection,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  if (ask === undefined) {
    throw new PollFailure('request_incomplete', 'The path of the request names a value that is not known.');
  }
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal };
  if (ask.kind === 'request') return connection.call(ask.request, limits);
  const answer = connection.follow(ask.link, ask.request, limits);
  if (answer === undefined) {
    throw new PollFailure('answer_unreadable', 'The next page is at another address than the API.');
  }
  return answer;
}

function isNewestFirst(resource: PollResource, task: Task): boolean {
  const { changes } = resource;
  return (
    sourceOf(resource, task) === 'changes' && changes?.by === 'timestamp' && changes.order === 'descending'
  );
}

type Change = {
  readonly id: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly dataText: string;
};

function eventsOf(
  task: PollTask,
  { provider }: OwnConnection,
  { object }: PollResource,
  changes: readonly Change[],
): NewEvent[] {
  return changes.map(({ id, change, dataText }) => ({
    type: `${provider.id}.${object}.${change}`,
    source: 'poll',
    integrationId: task.integrationId,
    connectionId: task.connectionId,
    integrationUserId: task.endUserId,
    userId: task.subject,
    object: { type: object, id, change },
    dataText,
  }));
}
