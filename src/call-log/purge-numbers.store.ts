import type { Db } from '../platform/postgres/database.ts';
import { STEP_NAMES, STEPS, type Step } from './call-counts.store.ts';

/** How long numbers are kept, in ms. */
export type KeepTimes = Readonly<Record<Step, number>>;
const PURGE_SERIES = 200;

/** Erases numbers that are older than they are kept, and all those of deleted projects. */
export async function purgeNumbersOfAnyProject(
  db: Db,
  { keep, nowMs, signal }: { keep: KeepTimes; nowMs: number; signal: AbortSignal },
): Promise<void> {
  let lastId = 0;
  while (!signal.aborted) {
    const series: { id: number; project_id: string; living: string | null }[] = await db('call_series AS s')
      .leftJoin('projects AS p', 'p.id', 's.project_id')
      .where('s.id', '>', lastId)
      .orderBy('s.id')
      .limit(PURGE_SERIES)
      .select('s.id', 's.project_id', 'p.id AS living');
    if (series.length === 0) return;
    lastId = series.at(-1)?.id ?? lastId;
    const living = series.filter((row) => row.living !== null).map(({ id }) => id);
    const gone = series.filter((row) => row.living === null).map(({ id }) => id);
    for (const step of STEP_NAMES) {
      const bound = new Date(nowMs - keep[step]);
      await eraseInBatches(db, living, STEPS[step], bound, signal);
      await eraseInBatches(db, gone, STEPS[step], undefined, signal);
    }
    await db('call_series')
      .whereIn(
        'id',
        series.map(({ id }) => id),
      )
      .whereNotExists(db('call_rollups AS r').whereRaw('r.series_id = call_series.id').select(db.raw('1')))
      .where('last_call_at', '<', new Date(nowMs - keep.day))
      .orWhereIn('id', gone)
      .delete();
  }
}

const PURGE_ROWS = 2_000;

async function eraseInBatches(
  db: Db,
  seriesIds: readonly number[],
  step: number,
  before: Date | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (seriesIds.length === 0) return;
  for (let erased = PURGE_ROWS; erased === PURGE_ROWS && !signal.aborted; ) {
    const { rowCount } = await db.raw(
      `DELETE FROM call_rollups WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM call_rollups WHERE series_id = ANY (?) AND step = ? AND at < ? LIMIT ?))`,
      [[...seriesIds], step, before ?? 'infinity', PURGE_ROWS],
    );
    erased = rowCount;
  }
}
