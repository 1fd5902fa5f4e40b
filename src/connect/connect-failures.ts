import { LRUCache } from 'lru-cache';
import type { RecordActivity } from '../activity/record.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { ConnectFailure, NoteConnectFailure } from './connect-pages.ts';
import type { ConnectSession } from './connect-session.ts';

/** A link can be opened again and again: its failures fill neither the activity log nor the memory. */
const RECORDS_PER_SESSION_MAX = 20;
const SESSIONS_REMEMBERED_MAX = 10_000;
/** An integration may ask for hundreds of scopes; a record names no more of those that lack. */
const MISSING_SCOPES_MAX = 50;

/**
 * Where operators find why an account could not be connected: the log, the metrics and, where the session is known, its
 * project's activity. All of them carry the request id that the page shows.
 */
export function createConnectFailures(deps: {
  db: Db;
  recordActivity: RecordActivity;
  /** What the diagnosis makes of a failure. */
  findingOf(
    failure: ConnectFailure,
  ): Promise<{ readonly code: string; readonly title: string; readonly remedy: string }>;
  /** Counts failures by provider and code. */
  count(provider: string, error: string): void;
  log: { warn(fields: object, message: string): void };
}): NoteConnectFailure {
  const recorded = new LRUCache<string, number>(entriesUpTo(SESSIONS_REMEMBERED_MAX));

  async function record(failure: ConnectFailure, session: ConnectSession): Promise<void> {
    const { code, title, remedy } = await deps.findingOf(failure);
    await deps.recordActivity(deps.db, {
      projectId: session.projectId,
      actor: { kind: 'gateway', requestId: failure.requestId },
      action: 'connect_session.failed',
      subjectId: session.id,
      details: {
        ...detailsOf(failure),
        integrationId: session.integrationId,
        integrationUserId: session.endUserId,
        findings: [{ code, title, remedy }],
        ...(failure.provider !== undefined && { serviceProvider: failure.provider }),
      },
    });
  }

  return (failure) => {
    const { requestId, session, provider, error } = failure;
    deps.count(provider ?? 'none', error);
    const fields = {
      ...detailsOf(failure),
      provider,
      connectSessionId: session?.id,
      integrationId: session?.integrationId,
    };
    deps.log.warn({ ...fields, projectId: session?.projectId }, 'an account could not be connected');
    if (session === undefined) return;
    const count = recorded.get(session.id) ?? 0;
    if (count >= RECORDS_PER_SESSION_MAX) return;
    recorded.set(session.id, count + 1);
    record(failure, session).catch((err: unknown) =>
      deps.log.warn({ err, requestId }, 'a failure to connect was not recorded'),
    );
  };
}

function detailsOf(failure: ConnectFailure) {
  const { error, reason, providerCode, providerWords, requestId, missingScopes, refusedVariable } = failure;
  return {
    code: error,
    reason,
    providerCode,
    providerWords,
    requestId,
    ...(missingScopes !== undefined && { missingScopes: missingScopes.slice(0, MISSING_SCOPES_MAX) }),
    ...(refusedVariable !== undefined && { refusedVariable }),
  };
}
