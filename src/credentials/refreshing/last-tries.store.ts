import type { Knex } from 'knex';
import type { Db } from '../../platform/postgres/database.ts';
import {
  IS_ANSWER_POSSIBLE,
  IS_LAST_TRY_ANNOUNCED,
  IS_LAST_TRY_DUE,
  IS_LAST_TRY_SPENT,
  IS_LEASED,
} from './credential-state.store.ts';
import { deadColumns, inSeconds, selectVersion } from './refresh-rows.store.ts';
import { reuseSeconds } from './refresh-state.ts';
import type { RefreshTarget } from './refresh-target.ts';

/** So long every process that holds an answer may write it before another one asks for the last time. */
const LAST_TRY_NOTICE_SECONDS = 10;
/** About a century: SQL knows no interval without an end. */
const ALWAYS_SECONDS = 3e9;

/** A token that may be spent is sent once more: its access token is of no use, and no answer can come any more. */
export type LastTry = Readonly<{ isAccessTokenRefused: boolean }>;

/** The last request with a token that may be spent, and what follows where it is not answered either. */
export function createLastTries({ db }: { db: Db }) {
  /**
   * Warns the other processes of a last try, where the one that asked has not written the outcome: it may be cut off from
   * the store, and hold new tokens.
   */
  async function announceLastTry(target: RefreshTarget, lastTry: LastTry): Promise<void> {
    await whereUseless(selectVersion(db, target), lastTry)
      .where({ status: 'active' })
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw(`${IS_LAST_TRY_ANNOUNCED} IS NOT TRUE`)
      .update({ refresh_last_try_from: inSeconds(db, LAST_TRY_NOTICE_SECONDS) });
  }

  /** `give_up`: the answer is lost, and so is that of the last try. */
  async function giveUp(
    trx: Db,
    target: RefreshTarget,
    { isAccessTokenRefused, reason }: { isAccessTokenRefused: boolean; reason: string },
  ): Promise<boolean> {
    const reuse = Math.min(reuseSeconds(target.reuse), ALWAYS_SECONDS);
    const changed = await whereUseless(selectVersion(trx, target), { isAccessTokenRefused })
      .where({ status: 'active' })
      .whereRaw(`${IS_LEASED} IS NOT TRUE`)
      .whereRaw(IS_LAST_TRY_SPENT)
      .whereRaw('refresh_token_kept IS NOT TRUE')
      .whereRaw('refresh_asked_at <= now() - make_interval(secs => ?)', [reuse])
      .update({ ...deadColumns(trx), status_reason: reason, version: trx.raw('version + 1') });
    return changed > 0;
  }

  return { announceLastTry, giveUp };
}

/** The refresh token may be sent: it is not in doubt, works more than once, or has nothing left to lose. */
export function whereSendable(query: Knex.QueryBuilder, { reuse }: RefreshTarget, lastTry?: LastTry): void {
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
