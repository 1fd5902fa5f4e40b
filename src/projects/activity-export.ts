import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { ActivityRow } from '../activity/activity.store.ts';
import { activityWire } from './activity-wire.ts';

export const EXPORT_FORMATS = ['csv', 'jsonl'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

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
  ...['subjectKind', 'subjectId', 'requestId', 'details', 'actorName'],
] as const;

/** Writes entries in pages as the caller reads them, the newest first. */
export async function writeExport(
  response: ServerResponse,
  signal: AbortSignal,
  format: ExportFormat,
  readPage: (beforeId: string | undefined, limit: number) => Promise<ActivityRow[]>,
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
    return csvCell(typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? ''));
  });
  return `${cells.join(',')}\r\n`;
}

/**
 * A cell of RFC 4180. Spreadsheets take text that begins with one of these characters for a formula, which could send
 * what it finds elsewhere: an apostrophe makes it text (OWASP, CSV injection).
 */
export function csvCell(value: string): string {
  const text = /^[=+\-@\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
