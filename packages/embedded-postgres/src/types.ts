import { isNativeError } from 'node:util/types';

/** What this package needs of a logger; a pino logger fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Numeric user and group that a child process runs with. Undefined everywhere means: as ourselves. */
export interface ProcessIds {
  uid: number;
  gid: number;
}

export const USE_DATABASE_URL = 'Set DATABASE_URL to a Postgres 15 or newer to use that instead.';

/** The embedded Postgres cannot start, or cannot go on. The message says what a person can do about it. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The message of whatever was thrown. */
export function errorText(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}
