import type { Db } from '../../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** What became of a request, for operators; no status: there was no answer. */
export type Heard = Readonly<{ status: number | null; error: string; words: string | null }>;

/** What a row says of its refresh once nothing of it is open. */
export const SETTLED = {
  refresh_lease_until: null,
  refresh_answer_until: null,
  refresh_lease_owner: null,
  refresh_process: null,
  refresh_unanswered: 0,
  refresh_requests: '{}',
  refresh_last_try_version: null,
  refresh_last_try_from: null,
  refresh_asked_at: null,
  refresh_failures: 0,
  refresh_client_refused: false,
  refresh_retry_at: null,
  refresh_refused_since: null,
};

/** A row whose grant is dead. */
export const deadColumns = (db: Db) => ({
  ...SETTLED,
  status: 'reauthorization_required',
  updated_at: db.fn.now(),
});

/** The row of a connection, while its credentials are those of that version. */
export const selectVersion = (
  on: Db,
  { connectionId, projectId, version }: Pick<RefreshTarget, 'connectionId' | 'projectId' | 'version'>,
) => on('connections').where({ id: connectionId, project_id: projectId, credentials_version: version });

/** SQL for a time so many seconds from now, by the store's clock. */
export const inSeconds = (db: Db, seconds: number) => db.raw('now() + make_interval(secs => ?)', [seconds]);

/** The same row, while `owner` is the last that asked. */
export const selectAsked = (on: Db, state: CredentialState, owner: string) =>
  selectVersion(on, state).where({ refresh_lease_owner: owner, status: 'active' });

export const heardColumns = (db: Db, { status, error, words }: Heard) => ({
  refresh_heard_at: db.fn.now(),
  refresh_status: status,
  refresh_error: error,
  refresh_words: words,
});
