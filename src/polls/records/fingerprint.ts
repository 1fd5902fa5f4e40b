import { createHash } from 'node:crypto';
import { readRawNumber } from '../../lib/exact-json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { mapInTurns } from '../../lib/take-turns.ts';
import type { PolledRecord } from '../pages/read-response.ts';
import type { ReadRecord } from './detect-changes.ts';

const HASH_BYTES = 16;
/** A text of this length is hashed in a few milliseconds; other work gets its turn then. */
const LENGTH_PER_TURN = 128 * 1024;
const DEPTH_MAX = 200;

/**
 * The first 16 bytes of the SHA-256 of a record as JSON with its members in order, without the `ignore`d ones: a
 * provider may write the same record in another order. Throws RangeError for a record nested too deeply.
 */
export async function hashRecords(
  records: readonly PolledRecord[],
  ignore: readonly string[],
): Promise<ReadRecord[]> {
  return mapInTurns(records, LENGTH_PER_TURN, (record) => {
    const text = canonicalText(record.value, ignore);
    const hash = createHash('sha256').update(text).digest().subarray(0, HASH_BYTES);
    return { result: { ...record, hash }, length: text.length };
  });
}

function canonicalText(value: unknown, ignore: readonly string[]): string {
  return writeValue(value, new Set(ignore), '', 0);
}

function writeValue(value: unknown, ignored: ReadonlySet<string>, path: string, depth: number): string {
  if (depth > DEPTH_MAX) throw new RangeError('a record nested too deeply');
  if (readRawNumber(value) !== undefined) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${value.map((item) => writeValue(item, ignored, path, depth + 1)).join(',')}]`;
  }
  if (!isRecord(value)) return JSON.stringify(value) ?? 'null';
  const members: string[] = [];
  for (const name of Object.keys(value).sort()) {
    const place = path === '' ? name : `${path}.${name}`;
    if (ignored.size > 0 && ignored.has(place)) continue;
    members.push(`${JSON.stringify(name)}:${writeValue(value[name], ignored, place, depth + 1)}`);
  }
  return `{${members.join(',')}}`;
}
