import type { Method } from './console-call.ts';

/** A call as the history keeps it: no headers and no body, where secrets and personal data stand. */
export type HistoryEntry = {
  readonly at: string;
  readonly provider: string;
  readonly method: Method;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string | null;
};

const ENTRIES_MAX = 30;

function keyOf(projectId: string, operatorId: string): string {
  return `dashboard-console:${projectId}:${operatorId}`;
}

/** What this operator sent from this browser, newest first. */
export function readHistory(projectId: string, operatorId: string): readonly HistoryEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(projectId, operatorId)) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

/** Adds a call; its path loses the query, in which providers take keys. Gives back the history. */
export function addToHistory(
  projectId: string,
  operatorId: string,
  entry: HistoryEntry,
): readonly HistoryEntry[] {
  const [path = ''] = entry.path.split('?');
  const entries = [{ ...entry, path }, ...readHistory(projectId, operatorId)].slice(0, ENTRIES_MAX);
  try {
    localStorage.setItem(keyOf(projectId, operatorId), JSON.stringify(entries));
  } catch {
    // Storage is full or switched off: the history lasts as long as the page.
  }
  return entries;
}

export function clearHistory(projectId: string, operatorId: string): void {
  try {
    localStorage.removeItem(keyOf(projectId, operatorId));
  } catch {
    // Then there was none.
  }
}
