import {
  credentialsContext,
  type StoredCredentials,
  unpackCredentials,
} from '../../connections/credentials.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { isProcessAlive } from '../../platform/postgres/presence.ts';
import type { Vault } from '../../platform/vault.ts';
import type { RefreshColumns } from './refresh-state.ts';
import { LATE_ANSWER_MS } from './refresh-timing.ts';

/** A connection's credentials as they stand now, opened, and what the store knows of their refresh. */
export type CredentialState = RefreshColumns &
  Readonly<{
    connectionId: string;
    projectId: string;
    integrationId: string;
    /** Counts changes of the integration, and of the organization's client where one stands in it. */
    integrationVersion: number;
    /** The version of an organization's client that made it; null: the integration's own did. */
    organizationClientId: string | null;
    version: number;
    credentials: StoredCredentials;
    variables: Record<string, string>;
    expiresAt: Date | null;
    /** Milliseconds until the access token expires, by the store's clock; negative once it has. Null: not known. */
    expiresInMs: number | null;
    lifetimeSeconds: number | null;
    failures: number;
    /** The last attempt failed because the provider refuses the integration's client. */
    isClientRefused: boolean;
    /** Milliseconds for which a late answer may still come; 0 where none can come any more. */
    answerInMs: number;
    /**
     * Milliseconds until a refresh in doubt may be tried a last time; null where other processes have yet to be warned
     * of it.
     */
    lastTryInMs: number | null;
    /** The last try has been made, and its answer was lost too. */
    isLastTrySpent: boolean;
    /** How long the provider has refused this refresh token in words that are not understood; null: it has not. */
    refusedForMs: number | null;
    /** The last refresh left the refresh token as it was: this provider's tokens are not for one use. */
    isTokenKept: boolean;
  }>;

export type CredentialRow = {
  id: string;
  project_id: string;
  integration_id: string;
  integration_version: number;
  organization_client_id: string | null;
  status: 'active' | 'reauthorization_required';
  variables: Record<string, string>;
  credentials_sealed: string;
  credentials_version: number;
  access_token_expires_at: Date | null;
  access_token_lifetime_seconds: number | null;
  refresh_failures: number;
  refresh_client_refused: boolean;
  refresh_unanswered: number;
  refresh_token_kept: boolean | null;
  retry_in_ms: number;
  expires_in_ms: number | null;
  answer_in_ms: number;
  last_try_in_ms: number | null;
  is_last_try_spent: boolean;
  refused_for_ms: number | null;
  is_leased: boolean;
};

/** True, in SQL, where the process that asked last is alive, or is of a release that does not say which it is. */
const IS_PROCESS_ALIVE = `(refresh_process IS NULL OR ${isProcessAlive('refresh_process')})`;

/** True, in SQL, while a process holds the lease. */
export const IS_LEASED = `(refresh_lease_until > now() AND ${IS_PROCESS_ALIVE})`;

/** A process that is alive and has not written the outcome by the end of its lease may still hold it. */
const UNTOLD_UNTIL = `refresh_lease_until + interval '${LATE_ANSWER_MS} milliseconds'`;

/** True, in SQL, while a process listens for the answer to a request that timed out, or may hold one. */
export const IS_ANSWER_POSSIBLE = `(
  (refresh_answer_until > now() AND ${IS_PROCESS_ALIVE})
  OR (${UNTOLD_UNTIL} > now() AND refresh_process IS NOT NULL AND ${isProcessAlive('refresh_process')}))`;

/** True, in SQL, where every process that asked has said that no answer can come any more. */
const IS_END_KNOWN = '(refresh_lease_until IS NULL AND refresh_answer_until IS NULL)';

/** True, in SQL, where other processes have been warned of a last try at the refresh that is in doubt. */
export const IS_LAST_TRY_ANNOUNCED = '(refresh_last_try_from > refresh_asked_at)';

/** So many requests of one version stay without an answer at most, also where processes are killed again and again. */
const UNANSWERED_MAX = 4;

/** True, in SQL, where the last try at the present version has been made in vain. */
export const IS_LAST_TRY_SPENT = `(refresh_last_try_version IS NOT DISTINCT FROM credentials_version
  OR refresh_unanswered >= ${UNANSWERED_MAX})`;

/**
 * True, in SQL, where the asking process has written that no answer can come, or where it is silent, its lease is over, and
 * every process that may hold an answer has had the time to write it.
 */
export const IS_LAST_TRY_DUE = `(${IS_END_KNOWN} OR coalesce(
  ${IS_LAST_TRY_ANNOUNCED} AND refresh_last_try_from <= now()
  AND (refresh_lease_until IS NULL OR refresh_lease_until <= now()), false))`;

const MILLISECONDS_UNTIL = (column: string) => `extract(epoch FROM ${column} - now()) * 1000`;

/** The columns of a `CredentialRow`. */
export function credentialColumns(db: Db) {
  return [
    'id',
    'project_id',
    'integration_id',
    'organization_client_id',
    'status',
    'variables',
    'credentials_sealed',
    'credentials_version',
    'access_token_expires_at',
    'access_token_lifetime_seconds',
    'refresh_failures',
    'refresh_client_refused',
    'refresh_unanswered',
    'refresh_token_kept',
    db.raw(`greatest(0, coalesce(${MILLISECONDS_UNTIL('refresh_retry_at')}, 0))::bigint AS retry_in_ms`),
    db.raw(`(${MILLISECONDS_UNTIL('access_token_expires_at')})::bigint AS expires_in_ms`),
    db.raw(
      `CASE WHEN ${IS_ANSWER_POSSIBLE}
            THEN (${MILLISECONDS_UNTIL(`greatest(refresh_answer_until, ${UNTOLD_UNTIL})`)})::integer ELSE 0 END AS answer_in_ms`,
    ),
    db.raw(
      `CASE WHEN ${IS_END_KNOWN} THEN 0
            WHEN ${IS_LAST_TRY_ANNOUNCED}
            THEN greatest(0, ${MILLISECONDS_UNTIL('greatest(refresh_last_try_from, refresh_lease_until)')})::integer
       END AS last_try_in_ms`,
    ),
    db.raw(`${IS_LAST_TRY_SPENT} AS is_last_try_spent`),
    db.raw(`(-1 * ${MILLISECONDS_UNTIL('refresh_refused_since')})::bigint AS refused_for_ms`),
    db.raw(`coalesce(${IS_LEASED}, false) AS is_leased`),
    db.raw(
      `(SELECT i.version + coalesce((SELECT o.version FROM organization_clients o
          WHERE o.id = connections.organization_client_id), 0) FROM integrations i
        WHERE i.project_id = connections.project_id AND i.id = connections.integration_id) AS integration_version`,
    ),
  ];
}

/** Opens a row. Throws VaultError where its credentials cannot be unsealed. */
export function toCredentialState(vault: Vault, row: CredentialRow): CredentialState {
  const opened = vault.open(row.credentials_sealed, credentialsContext(row.id, row.project_id));
  return {
    connectionId: row.id,
    projectId: row.project_id,
    integrationId: row.integration_id,
    integrationVersion: row.integration_version,
    organizationClientId: row.organization_client_id,
    version: row.credentials_version,
    status: row.status,
    credentials: unpackCredentials(opened),
    variables: row.variables,
    expiresAt: row.access_token_expires_at,
    expiresInMs: row.expires_in_ms === null ? null : Number(row.expires_in_ms),
    lifetimeSeconds: row.access_token_lifetime_seconds,
    failures: row.refresh_failures,
    retryInMs: Number(row.retry_in_ms),
    isClientRefused: row.refresh_client_refused,
    isLeased: row.is_leased,
    unanswered: row.refresh_unanswered,
    answerInMs: Number(row.answer_in_ms),
    lastTryInMs: row.last_try_in_ms,
    isLastTrySpent: row.is_last_try_spent,
    refusedForMs: row.refused_for_ms === null ? null : Number(row.refused_for_ms),
    isTokenKept: row.refresh_token_kept === true,
  };
}
