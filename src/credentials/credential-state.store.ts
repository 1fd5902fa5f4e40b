import { credentialsContext, type StoredCredentials, unpackCredentials } from '../connections/credentials.ts';
import type { Db } from '../platform/postgres/database.ts';
import { isProcessAlive } from '../platform/postgres/presence.ts';
import type { Vault } from '../platform/vault.ts';
import type { RefreshColumns } from './refresh-state.ts';

/** A connection's credentials as they stand now, opened, and what the store knows of their refresh. */
export type CredentialState = RefreshColumns &
  Readonly<{
    connectionId: string;
    projectId: string;
    integrationId: string;
    integrationVersion: number;
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
  refused_for_ms: number | null;
  is_leased: boolean;
};

/** True, in SQL, where the process that asked last is alive, or is of a release that does not say which it is. */
const IS_PROCESS_ALIVE = `(refresh_process IS NULL OR ${isProcessAlive('refresh_process')})`;

/** True, in SQL, while a process holds the lease. */
export const IS_LEASED = `(refresh_lease_until > now() AND ${IS_PROCESS_ALIVE})`;

/** True, in SQL, while a process listens for the answer to a request that timed out. */
export const IS_ANSWER_POSSIBLE = `(refresh_answer_until > now() AND ${IS_PROCESS_ALIVE})`;

const MILLISECONDS_UNTIL = (moment: string) => `extract(epoch FROM ${moment} - now()) * 1000`;

/** The columns of a `CredentialRow`. */
export function credentialColumns(db: Db) {
  return [
    'id',
    'project_id',
    'integration_id',
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
            THEN (${MILLISECONDS_UNTIL('refresh_answer_until')})::integer ELSE 0 END AS answer_in_ms`,
    ),
    db.raw(`(-1 * ${MILLISECONDS_UNTIL('refresh_refused_since')})::bigint AS refused_for_ms`),
    db.raw(`coalesce(${IS_LEASED}, false) AS is_leased`),
    db.raw(
      `(SELECT i.version FROM integrations i
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
    refusedForMs: row.refused_for_ms === null ? null : Number(row.refused_for_ms),
    isTokenKept: row.refresh_token_kept === true,
  };
}
