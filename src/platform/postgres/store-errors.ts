import { isNativeError } from 'node:util/types';
import { StoreTimeError } from './store-time.ts';

/**
 * SQLSTATEs (https://www.postgresql.org/docs/current/errcodes-appendix.html) of a store that cannot answer now but may
 * answer later: connection trouble, resources, failover, a lock or a statement that took too long, serialization.
 */
const TRANSIENT_STATES = /^(08...|53...|57P0[1-5]|57014|55P03|40001|40P01|25006|58000|58030)$/;
const TRANSIENT_SYSTEM_CODES =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EMFILE|ENFILE)$/;
/** What pg and knex throw without a code when a connection breaks or cannot be had; knex puts the SQL and ` - ` before it. */
const TRANSIENT_MESSAGES =
  /(?:^|- )(Connection terminated|Connection ended|timeout expired|timeout exceeded when|Query read timeout|Client (has encountered|was closed)|Knex: Timeout acquiring a connection|Unable to acquire a connection|aborted$|The server does not answer)/i;
/** After these the connection itself is in doubt: it may be dead, or lead to a server that is no longer the primary. */
const CONNECTION_STATES = /^(08...|57P0[1-5]|25006)$/;

/**
 * Whether an error from knex or pg means that the store is out of reach or overloaded for now, so that a read may be
 * retried and a caller be answered 503, rather than that the query or our code is wrong.
 */
export function isTransientStoreError(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  if (error instanceof StoreTimeError || isConnectionFailure(error) || isStatementLost(error)) return true;
  return 'code' in error && typeof error.code === 'string' && TRANSIENT_STATES.test(error.code);
}

/**
 * Whether the session cannot run a statement that it was to keep: it does not have it, or another one of that name, since a pooler
 * hides that it is one; or what the statement brings has another type now.
 */
export function isStatementLost(error: Error): boolean {
  if (!('code' in error)) return false;
  if (error.code === '26000' || error.code === '42P05') return true;
  // The message comes in the language of the server.
  return error.code === '0A000' && 'routine' in error && error.routine === 'RevalidateCachedQuery';
}

/** Whether the statement took longer than the server lets one take (`statement_timeout` in database.ts). */
export function isStatementTimeout(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && error.code === '57014';
}

/** Whether a change was refused by this constraint of the schema. */
export function isConstraintViolation(error: unknown, constraint: string): boolean {
  return isNativeError(error) && 'constraint' in error && error.constraint === constraint;
}

/** Whether a change pointed at a row that is not there, such as one that another request erased just before. */
export function isForeignKeyViolation(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && error.code === '23503';
}

/** Whether the connection that this error came from must not be used again. */
export function isConnectionFailure(error: Error): boolean {
  if (!('code' in error) || typeof error.code !== 'string') return TRANSIENT_MESSAGES.test(error.message);
  // ENOENT is a missing file anywhere else; here it is the missing socket of a server that is restarting.
  if (error.code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return CONNECTION_STATES.test(error.code) || TRANSIENT_SYSTEM_CODES.test(error.code);
}
