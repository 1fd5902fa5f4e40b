import type { Knex } from 'knex';
import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import {
  type CredentialRow,
  type CredentialState,
  credentialColumns,
  IS_ANSWER_POSSIBLE,
  IS_LAST_TRY_ANNOUNCED,
  IS_LAST_TRY_DUE,
  IS_LAST_TRY_SPENT,
  IS_LEASED,
  toCredentialState,
} from './credential-state.store.ts';
import { reuseSeconds } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** Longer than every token request with its second secret and its exchange (3 × 10 s), so that no lease ends early. */
const LEASE_SECONDS = 40;
/** A caller that sends bad requests must not burn one-use tokens: one forced refresh a minute and connection. */
const FORCED_REFRESH_PAUSE_SECONDS = 60;
/** So long every process that holds an answer may write it before another one asks for the last time. */
const LAST_TRY_NOTICE_SECONDS = 10;
/** About a century: SQL knows no interval without an end. */
const ALWAYS_SECONDS = 3e9;

/** A token that may be spent is sent once more: its access token is of no use, and no answer can come any more. */
export type LastTry = Readonly<{ isAccessTokenRefused: boolean }>;

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
export const rowOf = (
  on: Db,
  { connectionId, projectId, version }: Pick<RefreshTarget, 'connectionId' | 'projectId' | 'version'>,
) => on('connections').where({ id: connectionId, project_id: projectId, credentials_version: version });

/** SQL for a moment so many seconds from now, by the store's clock. */
export const inSeconds = (db: Db, seconds: number) => db.raw('now() + make_interval(secs => ?)', [seconds]);

/** Who may ask for the next credentials: the events of `refresh-state.ts` that come before a request, and its end. */
export function createRefreshClaims({
  db,
  vault,
  processKey,
}: {
  db: Db;
  vault: Vault;
  processKey: number | null;
}) {
  const columns = credentialColumns(db);

  /**
   * `claim`, `claim_again` or `claim_last`: takes the lease and writes down that a request is about to be sent, in one
   * statement. It is also the proof, before a one-use refresh token is spent, that the store can be written to. With an
   * `owner` whose claim was granted and not told, it answers that claim again; an owner that has withdrawn gets none.
   * Undefined where another process asks, the row moved on, is postponed, or its token must not be sent again.
   */
  async function claim(
    target: RefreshTarget,
    owner: string,
    lastTry?: LastTry,
  ): Promise<CredentialState | undefined> {
    const isOpen = db.raw('? = ANY(refresh_requests)', [owner]);
    const [row] = await rowOf(db, target)
      .where({ status: 'active' })
      .where((either) =>
        either
          .where((own) =>
            own.where({ refresh_lease_owner: owner }).whereRaw(isOpen).whereNotNull('refresh_lease_until'),
          )
          .orWhere((free) =>
            free
              .whereRaw(`${IS_LEASED} IS NOT TRUE`)
              .whereRaw('refresh_lease_owner IS DISTINCT FROM ?', [owner])
              .whereRaw('(refresh_retry_at IS NULL OR refresh_retry_at <= now())')
              .where((sendable) => whereSendable(sendable, target, lastTry)),
          ),
      )
      .update({
        refresh_lease_owner: owner,
        refresh_lease_until: inSeconds(db, LEASE_SECONDS),
        refresh_process: processKey,
        refresh_unanswered: db.raw('refresh_unanswered + (NOT ?)::integer', [isOpen]),
        refresh_requests: db.raw('array_append(array_remove(refresh_requests, ?::uuid), ?::uuid)', [
          owner,
          owner,
        ]),
        refresh_last_try_from: null,
        refresh_asked_at: db.raw('coalesce(refresh_asked_at, now())'),
      })
      .returning<CredentialRow[]>(columns);
    return row && toCredentialState(vault, row);
  }

  /** The refresh token may be sent: it is not in doubt, works more than once, or has nothing left to lose. */
  function whereSendable(query: Knex.QueryBuilder, { reuse }: RefreshTarget, lastTry?: LastTry): void {
    const seconds = Math.min(reuseSeconds(reuse), ALWAYS_SECONDS);
    query
      .where({ refresh_unanswered: 0 })
      .orWhere('refresh_token_kept', true)
      .orWhereRaw('refresh_asked_at > now() - make_interval(secs => ?)', [seconds]);
    if (lastTry === undefined) return;
    query.orWhere((last) =>
      whereUseless(last, lastTry).whereRaw(IS_LAST_TRY_DUE).whereRaw(`NOT ${IS_LAST_TRY_SPENT}`),
    );
  }

  /** The access token is of no use, and no answer to a request for the next one is awaited. */
  function whereUseless(query: Knex.QueryBuilder, { isAccessTokenRefused }: LastTry): Knex.QueryBuilder {
    return query
      .where('refresh_unanswered', '>', 0)
      .whereRaw(`${IS_ANSWER_POSSIBLE} IS NOT TRUE`)
      .whereRaw('(?::boolean OR access_token_expires_at <= now())', [isAccessTokenRefused]);
  }

  /**
   * Warns the other processes of a last try, where the one that asked has not told the outcome: it may be cut off from
   * the store, and hold new tokens.
   */
  async function announceLastTry(target: RefreshTarget, lastTry: LastTry): Promise<void> {
    await whereUseless(rowOf(db, target), lastTry)
      .where({ status: 'active' })
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw(`${IS_LAST_TRY_ANNOUNCED} IS NOT TRUE`)
      .update({ refresh_last_try_from: inSeconds(db, LAST_TRY_NOTICE_SECONDS) });
  }

  /**
   * `withdrawal`: takes back a claim of which nothing was sent, also one that may never have been granted: the same owner
   * gets no other, so that a claim which the store executes late changes nothing. May be repeated.
   */
  async function withdraw(
    target: Pick<RefreshTarget, 'connectionId' | 'projectId' | 'version'>,
    owner: string,
  ): Promise<void> {
    const isOpen = db.raw('? = ANY(refresh_requests)', [owner]);
    const isOthers = db.raw(`(${IS_LEASED} IS TRUE AND refresh_lease_owner IS DISTINCT FROM ?)`, [owner]);
    const unlessSettled = (column: string) =>
      db.raw(`CASE WHEN refresh_unanswered - (?)::integer > 0 THEN ${column} END`, [isOpen]);
    await rowOf(db, target)
      .whereRaw('(? OR NOT ?)', [isOpen, isOthers])
      .update({
        refresh_unanswered: db.raw('greatest(refresh_unanswered - (?)::integer, 0)', [isOpen]),
        refresh_requests: db.raw('array_remove(refresh_requests, ?::uuid)', [owner]),
        refresh_asked_at: unlessSettled('refresh_asked_at'),
        refresh_answer_until: unlessSettled('refresh_answer_until'),
        refresh_lease_until: db.raw(
          'CASE WHEN refresh_lease_owner IS DISTINCT FROM ? THEN refresh_lease_until END',
          [owner],
        ),
        refresh_lease_owner: db.raw('CASE WHEN ? THEN refresh_lease_owner ELSE ?::uuid END', [
          isOthers,
          owner,
        ]),
      });
  }

  /** `give_up`: the answer is lost, and so is that of the last try. */
  async function giveUp(
    trx: Db,
    target: RefreshTarget,
    { isAccessTokenRefused, reason }: { isAccessTokenRefused: boolean; reason: string },
  ): Promise<boolean> {
    const reuse = Math.min(reuseSeconds(target.reuse), ALWAYS_SECONDS);
    const changed = await whereUseless(rowOf(trx, target), { isAccessTokenRefused })
      .where({ status: 'active' })
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw(IS_LAST_TRY_SPENT)
      .whereRaw('refresh_token_kept IS NOT TRUE')
      .whereRaw('refresh_asked_at <= now() - make_interval(secs => ?)', [reuse])
      .update({ ...deadColumns(trx), status_reason: reason, version: trx.raw('version + 1') });
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

  return { claim, announceLastTry, withdraw, giveUp, claimForcedRefresh };
}
