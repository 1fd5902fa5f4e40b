import type { Db } from '../../platform/postgres/database.ts';
import type { CredentialState } from './credential-state.store.ts';
import {
  deadColumns,
  type Heard,
  heardColumns,
  inSeconds,
  selectAsked,
  selectVersion,
} from './refresh-rows.store.ts';

export type Postponement = Readonly<{
  reason: string;
  delayMs: number;
  /** The provider refuses the integration's client. */
  isClientRefused?: boolean;
  /** The provider refuses the refresh token, in words that are not understood. */
  isTokenRefused?: boolean;
  heard?: Heard;
}>;

/** Requests that brought no tokens: refused, postponed or not answered. */
export function createRefreshFailures({ db }: { db: Db }) {
  /**
   * `failure`: ends the lease and says when the next request is allowed: at once where the refused client is that of an
   * integration changed meanwhile. An earlier request whose answer has not come stays in doubt. Where another process
   * has asked since, it is a `stale_failure`, which settles only the doubt about the earlier request. May be repeated.
   */
  async function postpone(state: CredentialState, owner: string, failure: Postponement): Promise<void> {
    const { reason, delayMs, isClientRefused = false, isTokenRefused = false, heard } = failure;
    await db.transaction(async (trx) => {
      const isOutdated = isClientRefused && !(await isIntegrationUnchanged(trx, state));
      const isOpen = trx.raw('? = ANY(refresh_requests)', [owner]);
      const oneLess = {
        refresh_requests: trx.raw('array_remove(refresh_requests, ?::uuid)', [owner]),
        refresh_unanswered: trx.raw('greatest(refresh_unanswered - 1, 0)'),
        refresh_asked_at: trx.raw('CASE WHEN refresh_unanswered > 1 THEN refresh_asked_at END'),
        refresh_answer_until: trx.raw('CASE WHEN refresh_unanswered > 1 THEN refresh_answer_until END'),
      };
      const changed = await selectAsked(trx, state, owner)
        .whereRaw(isOpen)
        .update({
          ...oneLess,
          // A last try that is answered, in time or late, may be made again.
          refresh_last_try_version: null,
          refresh_lease_until: null,
          refresh_failures: db.raw('refresh_failures + 1'),
          refresh_client_refused: isClientRefused && !isOutdated,
          refresh_retry_at: isOutdated ? null : inSeconds(db, delayMs / 1000),
          ...(isTokenRefused && { refresh_refused_since: db.raw('coalesce(refresh_refused_since, now())') }),
          ...(heard && heardColumns(db, heard)),
          status_reason: reason,
        });
      if (changed > 0) return;
      await selectVersion(trx, state).where({ status: 'active' }).whereRaw(isOpen).update(oneLess);
    });
  }

  /** Whether the integration is as it was at the claim. Until the transaction ends, changes of it wait. */
  async function isIntegrationUnchanged(trx: Db, state: CredentialState): Promise<boolean> {
    const row = await trx('integrations')
      .where({ id: state.integrationId, project_id: state.projectId })
      .forShare()
      .first<{ version: number }>('version');
    if (row === undefined || state.organizationClientId === null)
      return row?.version === state.integrationVersion;
    const client = await trx('organization_clients')
      .where({ id: state.organizationClientId, project_id: state.projectId })
      .forShare()
      .first<{ version: number } | undefined>('version');
    return row.version + (client?.version ?? 0) === state.integrationVersion;
  }

  /**
   * `silence`: ends the lease with the outcome of the request unknown. `answerInMs`: how long it is listened for. May be
   * repeated.
   */
  async function leaveUnanswered(
    state: CredentialState,
    owner: string,
    {
      reason,
      delayMs,
      answerInMs,
      isLastTry = false,
      heard,
    }: { reason: string; delayMs: number; answerInMs: number; isLastTry?: boolean; heard?: Heard },
  ): Promise<void> {
    const held = selectAsked(db, state, owner).whereNotNull('refresh_lease_until');
    await held.whereRaw('? = ANY(refresh_requests)', [owner]).update({
      refresh_lease_until: null,
      ...(isLastTry && { refresh_last_try_version: state.version }),
      // An earlier request may be listened to as well, and for longer.
      ...(answerInMs > 0 && {
        refresh_answer_until: db.raw('greatest(refresh_answer_until, now() + make_interval(secs => ?))', [
          answerInMs / 1000,
        ]),
      }),
      refresh_failures: db.raw('refresh_failures + 1'),
      refresh_retry_at: inSeconds(db, delayMs / 1000),
      ...(heard && heardColumns(db, heard)),
      status_reason: reason,
    });
  }

  /** No answer to the request of `owner` can come any more; before a last try, none to an earlier one could. */
  async function endListening(
    state: CredentialState,
    owner: string,
    { reason, isLastTry = false }: { reason: string; isLastTry?: boolean },
  ): Promise<void> {
    await selectAsked(db, state, owner)
      .whereRaw('(refresh_unanswered <= 1 OR ?::boolean)', [isLastTry])
      .update({ refresh_answer_until: null, status_reason: reason });
  }

  /** `refusal`: one change of state, however many callers saw it. */
  async function refuse(
    trx: Db,
    state: CredentialState,
    owner: string,
    reason: string,
    heard?: Heard,
  ): Promise<boolean> {
    const changed = await selectAsked(trx, state, owner).update({
      ...deadColumns(trx),
      ...(heard && heardColumns(db, heard)),
      status_reason: reason,
      version: trx.raw('version + 1'),
    });
    return changed > 0;
  }

  return { postpone, leaveUnanswered, endListening, refuse };
}
