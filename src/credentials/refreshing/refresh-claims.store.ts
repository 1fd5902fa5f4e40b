import type { Db } from '../../platform/postgres/database.ts';
import type { Vault } from '../../platform/vault.ts';
import {
  type CredentialRow,
  type CredentialState,
  credentialColumns,
  IS_LEASED,
  toCredentialState,
} from './credential-state.store.ts';
import { type LastTry, whereSendable } from './last-tries.store.ts';
import { inSeconds, selectVersion } from './refresh-rows.store.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** Longer than every token request with its second secret and its exchange (3 × 10 s), so that no lease ends early. */
const LEASE_SECONDS = 40;
/** A caller that sends bad requests must not burn one-use tokens: one forced refresh a minute and connection. */
const FORCED_REFRESH_PAUSE_SECONDS = 60;
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
   * `owner` whose claim was granted and not answered, it answers that claim again; an owner that has withdrawn gets none.
   * Undefined where another process asks, the row moved on, is postponed, or its token must not be sent again.
   */
  async function claim(
    target: RefreshTarget,
    owner: string,
    lastTry?: LastTry,
  ): Promise<CredentialState | undefined> {
    const isOpen = db.raw('? = ANY(refresh_requests)', [owner]);
    const [row] = await selectVersion(db, target)
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
    await selectVersion(db, target)
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

  /**
   * True where the provider's refusal of `version` may lead to a refresh: once a minute per connection, for every
   * caller of a burst that saw the same version refused.
   */
  async function claimForcedRefresh(target: RefreshTarget): Promise<boolean> {
    const changed = await selectVersion(db, target)
      .where({ status: 'active' })
      .whereRaw(
        `(forced_refresh_at IS NULL OR forced_refresh_version = credentials_version
          OR forced_refresh_at < now() - make_interval(secs => ${FORCED_REFRESH_PAUSE_SECONDS}))`,
      )
      .update({ forced_refresh_at: db.fn.now(), forced_refresh_version: target.version });
    return changed > 0;
  }

  return { claim, withdraw, claimForcedRefresh };
}
