import {
  credentialsContext,
  packCredentials,
  type StoredCredentials,
} from '../../connections/credentials.ts';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import {
  type CredentialRow,
  type CredentialState,
  credentialColumns,
  toCredentialState,
} from './credential-state.store.ts';
import { createRefreshClaims, deadColumns, inSeconds, rowOf, SETTLED } from './refresh-claims.store.ts';

export type RefreshedTokens = Readonly<{
  credentials: StoredCredentials;
  expiresInSeconds: number | null;
  grantedScopes: string[] | null;
  /** Those that the answer tells. */
  variables: Record<string, string>;
  /** The provider issued no other refresh token than the one that was sent. */
  isTokenKept: boolean;
}>;

export type Postponement = Readonly<{
  reason: string;
  delayMs: number;
  /** The provider refuses the integration's client. */
  isClientRefused?: boolean;
  /** The provider refuses the refresh token, in words that are not understood. */
  isTokenRefused?: boolean;
  heard?: Heard;
}>;

/** What became of a request, for operators; no status: there was no answer. */
export type Heard = Readonly<{ status: number | null; error: string; words: string | null }>;

export type RefreshStore = ReturnType<typeof createRefreshStore>;

/**
 * The rows behind `refresh-state.ts`: each function is one of its events, as one conditional statement, and changes
 * nothing where the table has no transition. All times are the store's, so that replicas whose clocks differ agree.
 * Connection ids are unguessable and come from a row that was found within its project.
 */
export function createRefreshStore({
  db,
  vault,
  processKey = null,
}: {
  db: Db;
  vault: Vault;
  /** As announced by this process; null: other processes wait for its leases to run out. */
  processKey?: number | null;
}) {
  const columns = credentialColumns(db);
  const askedBy = (on: Db, state: CredentialState, owner: string) =>
    rowOf(on, state).where({ refresh_lease_owner: owner, status: 'active' });

  const heardColumns = ({ status, error, words }: Heard) => ({
    refresh_heard_at: db.fn.now(),
    refresh_status: status,
    refresh_error: error,
    refresh_words: words,
  });

  async function read(connectionId: string, projectId: string): Promise<CredentialState | undefined> {
    const row = await db('connections')
      .where({ id: connectionId, project_id: projectId })
      .first<CredentialRow>(columns);
    return row && toCredentialState(vault, row);
  }

  /**
   * `tokens`: stores them if no other change came first; undefined means that another one stands. A late answer of any
   * process counts like one in time, also after a refusal of a later request. `ageSeconds`: since the answer came.
   */
  async function complete(
    state: CredentialState,
    tokens: RefreshedTokens,
    ageSeconds = 0,
  ): Promise<CredentialState | undefined> {
    const context = credentialsContext(state.connectionId, state.projectId);
    const { expiresInSeconds } = tokens;
    const [row] = await rowOf(db, state)
      .update({
        ...SETTLED,
        credentials_sealed: vault.seal(packCredentials(tokens.credentials), context),
        credentials_version: db.raw('credentials_version + 1'),
        access_token_expires_at:
          expiresInSeconds === null ? null : inSeconds(db, expiresInSeconds - ageSeconds),
        access_token_lifetime_seconds: expiresInSeconds,
        ...(tokens.grantedScopes !== null && { granted_scopes: tokens.grantedScopes }),
        // Merged, since the tenant of the connection may have been changed meanwhile.
        variables: db.raw('variables || ?::jsonb', [JSON.stringify(tokens.variables)]),
        refresh_token_kept: tokens.isTokenKept,
        refreshed_at: db.fn.now(),
        refresh_heard_at: db.fn.now(),
        refresh_status: 200,
        refresh_error: null,
        refresh_words: null,
        version: db.raw(`version + (status <> 'active')::integer`),
        status: 'active',
        status_reason: null,
        updated_at: db.fn.now(),
      })
      .returning<CredentialRow[]>(columns);
    return row && toCredentialState(vault, row);
  }

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
      const changed = await askedBy(trx, state, owner)
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
          ...(heard && heardColumns(heard)),
          status_reason: reason,
        });
      if (changed > 0) return;
      await rowOf(trx, state).where({ status: 'active' }).whereRaw(isOpen).update(oneLess);
    });
  }

  /** Whether the integration is as it was at the claim. Until the transaction ends, changes of it wait. */
  async function isIntegrationUnchanged(trx: Db, state: CredentialState): Promise<boolean> {
    const row = await trx('integrations')
      .where({ id: state.integrationId, project_id: state.projectId })
      .forShare()
      .first<{ version: number }>('version');
    return row?.version === state.integrationVersion;
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
    const held = askedBy(db, state, owner).whereNotNull('refresh_lease_until');
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
      ...(heard && heardColumns(heard)),
      status_reason: reason,
    });
  }

  /** No answer to the request of `owner` can come any more; before a last try, none to an earlier one could. */
  async function endListening(
    state: CredentialState,
    owner: string,
    { reason, isLastTry = false }: { reason: string; isLastTry?: boolean },
  ): Promise<void> {
    await askedBy(db, state, owner)
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
    const changed = await askedBy(trx, state, owner).update({
      ...deadColumns(trx),
      ...(heard && heardColumns(heard)),
      status_reason: reason,
      version: trx.raw('version + 1'),
    });
    return changed > 0;
  }

  /** `correction`: the integration's connections may be refreshed at once, whatever their last requests were answered. */
  async function endWaiting(trx: Db, integration: { id: string; projectId: string }): Promise<void> {
    await trx('connections')
      .where({ integration_id: integration.id, project_id: integration.projectId })
      .whereNotNull('refresh_retry_at')
      .update({ refresh_client_refused: false, refresh_retry_at: null });
  }

  /** True where the provider has accepted the integration's client for another connection within that time. */
  async function isClientProven(state: CredentialState, withinMs: number): Promise<boolean> {
    const row = await db('connections')
      .where({ integration_id: state.integrationId, project_id: state.projectId })
      .whereNot({ id: state.connectionId })
      .whereRaw('refreshed_at > now() - make_interval(secs => ?)', [withinMs / 1000])
      .first('id');
    return row !== undefined;
  }

  return {
    read,
    ...createRefreshClaims({ db, vault, processKey }),
    complete,
    postpone,
    leaveUnanswered,
    endListening,
    refuse,
    endWaiting,
    isClientProven,
  };
}
