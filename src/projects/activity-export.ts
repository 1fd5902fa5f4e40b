import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ActivityRow } from '../activity/activity.store.ts';
import type { WriteStream } from '../http/idempotency.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';
import { activityWire } from './activity-wire.ts';
import { createExportPlaces } from './export-places.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Rows of one export. Who wants more asks again for what is older. */
export const EXPORT_ROWS_MAX = 100_000;
const PAGE_ROWS = 500;
/** A reader that takes nothing for so long is cut off. */
const DRAIN_MS = 60_000;

export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl',
};

const COLUMNS = [
  ...['id', 'createdAt', 'projectId', 'actorKind', 'actorId', 'sourceAddress', 'action'],
  ...['subjectKind', 'subjectId', 'requestId', 'details', 'actorName', 'subjectName'],
] as const;

type ReadPage = (beforeId: string | undefined, limit: number) => Promise<ActivityRow[]>;

/** What writes exports of the audit log, within the places for exports. */
export function createExports() {
  const { begin, read } = createExportPlaces();

  /** The writer of an export, which must be run: it counts from now on. Throws `rate_limited`. */
  return (caller: string, format: ExportFormat, readPage: ReadPage): WriteStream => {
    const end = begin(caller);
    const readInTurn: ReadPage = (beforeId, limit) => read(caller, () => readPage(beforeId, limit));
    return (response, signal) =>
      withoutStoreLimit(() => writeExport(response, signal, format, readInTurn).finally(end));
  };
}

/** Writes entries in pages as the caller reads them, the newest first. */
async function writeExport(
  response: ServerResponse,
  signal: AbortSignal,
  format: ExportFormat,
  readPage: ReadPage,
): Promise<void> {
  if (format === 'csv') response.write(`${COLUMNS.join(',')}\r\n`);
  let beforeId: string | undefined;
  for (let written = 0; written < EXPORT_ROWS_MAX && !signal.aborted; ) {
    const rows = await readPage(beforeId, PAGE_ROWS);
    written += rows.length;
    beforeId = rows.at(-1)?.id;
    const text = rows.map(format === 'csv' ? csvLine : jsonLine).join('');
    if (text !== '' && !response.write(text))
      await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(DRAIN_MS)]) });
    if (rows.length < PAGE_ROWS) break;
  }
  response.end();
}

function jsonLine(row: ActivityRow): string {
  return `${JSON.stringify(activityWire(row))}\n`;
}

function csvLine(row: ActivityRow): string {
  const entry = activityWire(row);
  const cells = COLUMNS.map((column) => {
    const value = entry[column];
    return csvCell(typeof value === 'object' && value !== null ? jsonCell(value) : (value ?? ''));
  });
  return `${cells.join(',')}\r\n`;
}

/** JSON without a semicolon, its escape instead: who reads the JSON has the same text. */
function jsonCell(value: object): string {
  return JSON.stringify(value).replaceAll(';', '\\u003b');
}

/**
 * A cell of RFC 4180, by one rule for every column of every export. Spreadsheets part cells at semicolons or tabs by
 * their settings, where quotes in the middle of a line mean nothing, and take text that begins with one of these
 * characters for a formula, which could send what it finds elsewhere: what parts cells becomes a blank, and an
 * apostrophe makes the rest text (OWASP, CSV injection).
 */
export function csvCell(value: string): string {
  const whole = value.replace(/[;\t\r\n]+/g, ' ');
  const text = /^\s*[=+\-@]/.test(whole) ? `'${whole}` : whole;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
