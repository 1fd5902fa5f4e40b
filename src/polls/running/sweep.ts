import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import type { AppendEvents } from '../../events/stream/stream.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { endRun, hasShiftingPages } from '../pages/advance.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Phase, Progress } from '../pages/progress.ts';
import type { FingerprintsStore } from '../records/fingerprints.store.ts';
import { buildEvents, type Change, type PollTarget } from '../records/poll-events.ts';
import type { PollProgressStore } from './poll-progress.store.ts';
import type { StepEnd } from './step-end.ts';

const SWEEP_RECORDS = 1_000;
/** A scan that misses more records than this, and more than half of all, is made once more. */
const DOUBTFUL_MISSING_MIN = 20;

/** One step of a sweep: tells of records that a scan did not find, some at a time. */
export function createSweep(deps: {
  db: Db;
  progressStore: Pick<PollProgressStore, 'lockStep' | 'saveStep'>;
  fingerprints: Pick<FingerprintsStore, 'sweep' | 'countMissing'>;
  append: AppendEvents;
  save(task: PollTask, progress: Progress): Promise<StepEnd>;
}) {
  const { db, progressStore, fingerprints } = deps;

  async function isDoubtful(recordSet: string, resource: PollResource, before: number): Promise<boolean> {
    const { all, missing } = await fingerprints.countMissing(db, recordSet, before);
    // A record that is deleted while such pages are read pushes another one past the scan: one missing is enough.
    if (missing > 0 && hasShiftingPages(resource, 'scan')) return true;
    return missing > DOUBTFUL_MISSING_MIN && missing * 2 > all;
  }

  return async (task: PollTask, target: PollTarget): Promise<StepEnd> => {
    const { progress, recordSet } = task;
    const { before, after } = progress.sweep ?? { before: 0, after: '' };
    const isFirstLook = after === '' && !progress.isConfirming;
    if (isFirstLook && (await isDoubtful(recordSet, target.resource, before))) {
      // An account that lost a permission, or an answer cut short, would look like a great deletion.
      const todo: Phase[] = ['scan', ...progress.todo.slice(1)];
      return deps.save(task, { ...progress, isConfirming: true, todo });
    }
    return db.transaction(async (trx) => {
      if (!(await progressStore.lockStep(trx, task))) return { task, outcome: 'lost' };
      const given = { sinceMs: before, after, limit: SWEEP_RECORDS };
      const { gone, last } = await fingerprints.sweep(trx, recordSet, given);
      const swept: Progress =
        last === null
          ? { ...progress, sweep: null, isConfirming: false, scannedAt: before, todo: progress.todo.slice(1) }
          : { ...progress, sweep: { before, after: last } };
      const isRunOver = swept.todo.length === 0;
      const end = { progress: isRunOver ? endRun(swept) : swept, isRunOver };
      const next = await progressStore.saveStep(trx, task, end);
      const changes = gone.map((id): Change => ({ id, change: 'deleted', dataText: JSON.stringify({ id }) }));
      await deps.append(trx, task.projectId, buildEvents(task, target, changes));
      return { task: next, outcome: isRunOver ? 'over' : 'more' };
    });
  };
}
