import { credentialsContext, packCredentials, type StoredCredentials } from '../connections/credentials.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Vault } from '../platform/vault.ts';
import {
  type CredentialRow,
  type CredentialState,
  credentialColumns,
  IS_ANSWER_POSSIBLE,
  IS_LEASED,
  toCredentialState,
} from './credential-state.store.ts';
import { reuseSeconds, type TokenReuse } from './refresh-state.ts';

/** Longer than every token request with its second secret and its exchange (3 × 10 s), so that no lease ends early. */
const LEASE_SECONDS = 40;
/** A caller that sends bad requests must not burn one-use tokens: one forced refresh a minute and connection. */
const FORCED_REFRESH_PAUSE_SECONDS = 60;
/** About a century: SQL knows no interval without an end. */
const ALWAYS_SECONDS = 3e9;

/** Which credentials are to be followed by newer ones. */
export type RefreshTarget = Readonly<{
  connectionId: string;
  projectId: string;
  integrationId: string;
  version: number;
  /** How often the refresh token may be sent. */
  reuse: TokenReuse;
}>;

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
  const inSeconds = (seconds: number) => db.raw('now() + make_interval(secs => ?)', [seconds]);
  const rowOf = (
    on: Db,
    { connectionId, projectId, version }: Omit<RefreshTarget, 'reuse' | 'integrationId'>,
  ) => on('connections').where({ id: connectionId, project_id: projectId, credentials_version: version });
  const askedBy = (on: Db, state: CredentialState, owner: string) =>
    rowOf(on, state).where({ refresh_lease_owner: owner, status: 'active' });

  const heardColumns = ({ status, error, words }: Heard) => ({
    refresh_heard_at: db.fn.now(),
    refresh_status: status,
    refresh_error: error,
    refresh_words: words,
  });

  const SETTLED = {
    refresh_lease_until: null,
    refresh_answer_until: null,
    refresh_lease_owner: null,
    refresh_process: null,
    refresh_unanswered: 0,
    refresh_asked_at: null,
    refresh_failures: 0,
    refresh_client_refused: false,
    refresh_retry_at: null,
    refresh_refused_since: null,
  };

  async function read(connectionId: string, projectId: string): Promise<CredentialState | undefined> {
    const row = await db('connections')
      .where({ id: connectionId, project_id: projectId })
      .first<CredentialRow>(columns);
    return row && toCredentialState(vault, row);
  }

  /**
   * `claim` or `claim_again`: takes the lease and writes down that a request is about to be sent, in one statement. It
   * is also the proof, before a one-use refresh token is spent, that the store can be written to. Undefined where
   * another process asks, the row moved on, is postponed, or its token must not be sent again.
   */
  async function claim(target: RefreshTarget, owner: string): Promise<CredentialState | undefined> {
    const reuse = Math.min(reuseSeconds(target.reuse), ALWAYS_SECONDS);
    const [row] = await rowOf(db, target)
      .where({ status: 'active' })
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw('(refresh_retry_at IS NULL OR refresh_retry_at <= now())')
      .whereRaw(
        `(refresh_unanswered = 0 OR refresh_token_kept
          OR refresh_asked_at > now() - make_interval(secs => ?))`,
        [reuse],
      )
      .update({
        refresh_lease_owner: owner,
        refresh_lease_until: inSeconds(LEASE_SECONDS),
        refresh_process: processKey,
        refresh_unanswered: db.raw('refresh_unanswered + 1'),
        refresh_asked_at: db.raw('coalesce(refresh_asked_at, now())'),
      })
      .returning<CredentialRow[]>(columns);
    return row && toCredentialState(vault, row);
  }

  /**
   * `tokens`: stores them if no other change came first; undefined means that another one stands. A late answer of any
   * process counts like one in time, also after a refusal of a later request.
   */
  async function complete(
    state: CredentialState,
    tokens: RefreshedTokens,
  ): Promise<CredentialState | undefined> {
    const context = credentialsContext(state.connectionId, state.projectId);
    const [row] = await rowOf(db, state)
      .update({
        ...SETTLED,
        credentials_sealed: vault.seal(packCredentials(tokens.credentials), context),
        credentials_version: db.raw('credentials_version + 1'),
        access_token_expires_at: tokens.expiresInSeconds === null ? null : inSeconds(tokens.expiresInSeconds),
        access_token_lifetime_seconds: tokens.expiresInSeconds,
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
   * has asked since, it is a `stale_failure`, which settles only the doubt about the earlier request.
   */
  async function postpone(state: CredentialState, owner: string, failure: Postponement): Promise<void> {
    const { reason, delayMs, isClientRefused = false, isTokenRefused = false, heard } = failure;
    await db.transaction(async (trx) => {
      const isOutdated = isClientRefused && !(await isIntegrationUnchanged(trx, state));
      const oneLess = {
        refresh_unanswered: trx.raw('greatest(refresh_unanswered - 1, 0)'),
        refresh_asked_at: trx.raw('CASE WHEN refresh_unanswered > 1 THEN refresh_asked_at END'),
        refresh_answer_until: trx.raw('CASE WHEN refresh_unanswered > 1 THEN refresh_answer_until END'),
      };
      const changed = await askedBy(trx, state, owner).update({
        ...oneLess,
        refresh_lease_until: null,
        refresh_failures: db.raw('refresh_failures + 1'),
        refresh_client_refused: isClientRefused && !isOutdated,
        refresh_retry_at: isOutdated ? null : inSeconds(delayMs / 1000),
        ...(isTokenRefused && { refresh_refused_since: db.raw('coalesce(refresh_refused_since, now())') }),
        ...(heard && heardColumns(heard)),
        status_reason: reason,
      });
      if (changed > 0) return;
      await rowOf(trx, state).where({ status: 'active' }).where('refresh_unanswered', '>', 0).update(oneLess);
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

  /** `silence`: ends the lease with the outcome of the request unknown. `answerInMs`: how long it is listened for. */
  async function leaveUnanswered(
    state: CredentialState,
    owner: string,
    {
      reason,
      delayMs,
      answerInMs,
      heard,
    }: { reason: string; delayMs: number; answerInMs: number; heard?: Heard },
  ): Promise<void> {
    await askedBy(db, state, owner).update({
      refresh_lease_until: null,
      // An earlier request may be listened to as well, and for longer.
      ...(answerInMs > 0 && {
        refresh_answer_until: db.raw('greatest(refresh_answer_until, now() + make_interval(secs => ?))', [
          answerInMs / 1000,
        ]),
      }),
      refresh_failures: db.raw('refresh_failures + 1'),
      refresh_retry_at: inSeconds(delayMs / 1000),
      ...(heard && heardColumns(heard)),
      status_reason: reason,
    });
  }

  /** No answer to the request of `owner` can come any more. */
  async function endListening(state: CredentialState, owner: string, reason: string): Promise<void> {
    await askedBy(db, state, owner)
      .where('refresh_unanswered', '<=', 1)
      .update({ refresh_answer_until: null, status_reason: reason });
  }

  const DEAD = { ...SETTLED, status: 'reauthorization_required', updated_at: db.fn.now() };

  /** `refusal`: one change of state, however many callers saw it. */
  async function refuse(
    trx: Db,
    state: CredentialState,
    owner: string,
    reason: string,
    heard?: Heard,
  ): Promise<boolean> {
    const changed = await askedBy(trx, state, owner).update({
      ...DEAD,
      ...(heard && heardColumns(heard)),
      status_reason: reason,
      version: trx.raw('version + 1'),
    });
    return changed > 0;
  }

  /** `give_up`: the answer is lost, and the token must not be sent again. */
  async function giveUp(
    trx: Db,
    target: RefreshTarget,
    { isAccessTokenRefused, reason }: { isAccessTokenRefused: boolean; reason: string },
  ): Promise<boolean> {
    const reuse = Math.min(reuseSeconds(target.reuse), ALWAYS_SECONDS);
    const changed = await rowOf(trx, target)
      .where({ status: 'active' })
      .where('refresh_unanswered', '>', 0)
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw(`${IS_ANSWER_POSSIBLE} IS NOT TRUE`)
      .whereRaw('refresh_token_kept IS NOT TRUE')
      .whereRaw('refresh_asked_at <= now() - make_interval(secs => ?)', [reuse])
      .whereRaw('(?::boolean OR access_token_expires_at <= now())', [isAccessTokenRefused])
      .update({ ...DEAD, status_reason: reason, version: trx.raw('version + 1') });
    return changed > 0;
  }

  /**
   * True where the provider's refusal of `version` may lead to a refresh: once a minute per connection, for every
   * caller of a burst that saw the same version refused.
   */
  async function claimForcedRefresh(target: RefreshTarget): Promise<boolean> {
    const changed = await rowOf(db, target)
      .where({ status: 'active' })
      .whereRaw(
        `(forced_refresh_at IS NULL OR forced_refresh_version = credentials_version
          OR forced_refresh_at < now() - make_interval(secs => ${FORCED_REFRESH_PAUSE_SECONDS}))`,
      )
      .update({ forced_refresh_at: db.fn.now(), forced_refresh_version: target.version });
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
    claim,
    complete,
    postpone,
    leaveUnanswered,
    endListening,
    refuse,
    giveUp,
    claimForcedRefresh,
    endWaiting,
    isClientProven,
  };
}
