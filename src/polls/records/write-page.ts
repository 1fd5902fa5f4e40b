import type { PollResource } from '../../catalog/schema/provider-polls.schema.ts';
import { mapInTurns } from '../../lib/take-turns.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { PollTask } from '../pages/poll-task.ts';
import type { Phase } from '../pages/progress.ts';
import { detectChange, type ReadRecord } from './detect-changes.ts';
import type { FingerprintsStore, FingerprintWrite } from './fingerprints.store.ts';
import type { Change } from './poll-events.ts';

/** Records of this length are written as JSON within some 10 ms. */
const LENGTH_PER_TURN = 128 * 1024;

/**
 * Judges the records of a page by their fingerprints, and writes these down. Answers how many records were new or
 * different, how many fingerprints were added, and the changes that are to be reported.
 */
export async function writePage(
  { trx, fingerprints }: { trx: Db; fingerprints: FingerprintsStore },
  task: PollTask,
  resource: PollResource,
  { records, phase }: { records: readonly ReadRecord[]; phase: Phase },
): Promise<{ changedRecords: number; added: number; changes: Change[] }> {
  if (records.length === 0) return { changedRecords: 0, added: 0, changes: [] };
  const { recordSet } = task;
  const known = await fingerprints.read(trx, recordSet, idsOf(records));
  const isScan = phase === 'scan' || phase === 'resync';
  const isTimeEnough = resource.changes !== undefined && isScan;
  const judging = { phase, floor: task.progress.floor, isTimeEnough };
  const judged = records.map((record) => ({
    record,
    verdict: detectChange(record, known.get(record.id), judging),
  }));
  const writes = judged.flatMap(({ record, verdict: { write, change } }): FingerprintWrite[] =>
    write === undefined
      ? []
      : [{ objectId: record.id, ...write, reportedAt: change === null ? null : record.updatedAt }],
  );
  if (isScan) {
    const unchanged = judged.filter(
      ({ record, verdict: { write } }) => write === undefined && !record.isDeleted,
    );
    await fingerprints.touch(trx, recordSet, idsOf(unchanged.map(({ record }) => record)));
  }
  await fingerprints.write(trx, recordSet, writes);
  const reported = judged.flatMap(({ record, verdict: { change } }) =>
    change === null ? [] : [{ record, change }],
  );
  const changes = await mapInTurns(reported, LENGTH_PER_TURN, ({ record: { id, value }, change }) => {
    const dataText = JSON.stringify(value);
    return { result: { id, change, dataText }, length: dataText.length };
  });
  const added = writes.filter(({ objectId }) => !known.has(objectId)).length;
  return { changedRecords: writes.length, added, changes };
}

function idsOf(records: readonly ReadRecord[]): string[] {
  return records.map(({ id }) => id);
}
