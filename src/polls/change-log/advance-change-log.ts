import { UnreadableResponseError } from '../pages/parse-response.ts';
import type { Pass, Progress } from '../pages/progress.ts';
import type { ChangeLogPage } from './read-change-log.ts';

/**
 * How far a poll of a log has come once a page is committed. Throws UnreadableAnswerError where the log does not go on.
 * `isStart`: the page only gave the first token.
 */
export function advanceChangeLog(
  progress: Progress,
  { pass, page, isStart }: { pass: Pass; page: ChangeLogPage; isStart: boolean },
): Progress {
  const { entries, token, nextAt } = page;
  const counted: Progress = {
    ...progress,
    pagesRead: progress.pagesRead + 1,
    recordsSeen: progress.recordsSeen + entries.length,
  };
  if (token === null || isStart) {
    return { ...counted, token: token ?? progress.token, pass: null, todo: progress.todo.slice(1) };
  }
  const read: Pass = { ...pass, pages: pass.pages + 1, records: pass.records + entries.length };
  if (nextAt !== null) return { ...counted, pass: { ...read, page: token, afterId: String(nextAt) } };
  if (token === progress.token) {
    throw new UnreadableResponseError('The log does not go on: its next token is the same as this one.');
  }
  return { ...counted, token, pass: { ...read, page: null, afterId: null } };
}
