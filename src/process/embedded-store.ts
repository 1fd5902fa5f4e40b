import { findRunningEmbedded } from '#embedded-postgres/running.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#embedded-postgres/start.ts';
import { EmbeddedPostgresError, type Log } from '#embedded-postgres/types.ts';
import { StartError } from '../lib/start-error.ts';

/** Throws StartError where an operator can do something about it. */
export async function startEmbeddedStore(dataDir: string, log: Log): Promise<EmbeddedPostgres> {
  return startEmbeddedPostgres({ dataDir, log }).catch(refuse);
}

/** The store that a running gateway has started. Throws StartError, as starting does. */
export async function findRunningStore(dataDir: string) {
  return findRunningEmbedded({ dataDir }).catch(refuse);
}

function refuse(error: unknown): never {
  throw error instanceof EmbeddedPostgresError ? new StartError(error.message, { cause: error }) : error;
}
