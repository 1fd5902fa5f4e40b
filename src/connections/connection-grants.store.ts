import { newId } from '../lib/ids.ts';
import type { Db } from '../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../platform/vault.ts';
import type { ConnectionRow, Grant } from './connection.ts';
import {
  credentialsContext,
  packCredentials,
  type StoredCredentials,
  unpackCredentials,
} from './credentials.ts';
import { withRefreshTokenOfBefore } from './kept-refresh-token.store.ts';

/** The columns of a new grant: nothing of the refreshes of the old one holds for it. */
const NEVER_REFRESHED = {
  refresh_lease_owner: null,
  refresh_lease_until: null,
  refresh_process: null,
  refresh_unanswered: 0,
  refresh_requests: '{}',
  refresh_last_try_version: null,
  refresh_last_try_from: null,
  refresh_asked_at: null,
  refresh_answer_until: null,
  refresh_failures: 0,
  refresh_client_refused: false,
  refresh_retry_at: null,
  refresh_refused_since: null,
  refresh_heard_at: null,
  refresh_status: null,
  refresh_error: null,
  refresh_words: null,
  call_proof_at: null,
  call_refusals: 0,
} as const;

/** Whose a new connection is, with what is said of it besides its grant. */
export type NewConnectionOwner = {
  readonly projectId: string;
  readonly integrationId: string;
  readonly endUserId: string;
  /** The user who connected it for an organization. */
  readonly connectedBy?: string | null | undefined;
  /** The version of an organization's OAuth client that it was authorized with; null: the integration's own. */
  readonly organizationClientId: string | null;
  readonly tags?: Readonly<Record<string, string>> | undefined;
};

/** What an erased connection held; null: it cannot be unsealed. */
type RemovedGrant = {
  readonly credentials: StoredCredentials | null;
  readonly organizationClientId: string | null;
  readonly version: number;
  readonly status: ConnectionRow['status'];
};

/** SQL that seals and opens what a connection was granted. */
export function createConnectionGrantsStore({ vault }: { vault: Vault }) {
  async function insert(
    db: Db,
    owner: NewConnectionOwner,
    grant: Grant,
    customMetadata: Record<string, unknown> = {},
  ): Promise<string> {
    const id = newId();
    await db('connections').insert({
      id,
      project_id: owner.projectId,
      integration_id: owner.integrationId,
      end_user_id: owner.endUserId,
      connected_by: owner.connectedBy ?? null,
      organization_client_id: owner.organizationClientId,
      tags: JSON.stringify(owner.tags ?? {}),
      status: 'active',
      custom_metadata: customMetadata,
      ...grantColumns(id, owner.projectId, grant),
    });
    return id;
  }

  /**
   * Puts a new grant in place of the old one on the same id. Ends any lease: a refresh under way loses. False where the
   * connection is gone. A grant without a refresh token keeps that of before, if it is of the same account and alive.
   */
  async function replaceGrant(
    db: Db,
    id: string,
    projectId: string,
    given: Grant,
    by: Pick<NewConnectionOwner, 'connectedBy' | 'tags' | 'organizationClientId'> = {
      organizationClientId: null,
    },
  ): Promise<boolean> {
    const { organizationClientId } = by;
    const before = { id, projectId, organizationClientId };
    const grant = await withRefreshTokenOfBefore({ db, vault }, before, given);
    const changed = await db('connections')
      .where({ id, project_id: projectId })
      .update({
        ...grantColumns(id, projectId, grant),
        organization_client_id: organizationClientId,
        ...(by.connectedBy && { connected_by: by.connectedBy }),
        ...(by.tags && { tags: JSON.stringify(by.tags) }),
        status: 'active',
        status_reason: null,
        credentials_version: db.raw('credentials_version + 1'),
        ...NEVER_REFRESHED,
        version: db.raw('version + 1'),
        updated_at: db.fn.now(),
      });
    return changed > 0;
  }

  function grantColumns(id: string, projectId: string, grant: Grant) {
    return {
      credentials_sealed: vault.seal(packCredentials(grant.credentials), credentialsContext(id, projectId)),
      access_token_expires_at: grant.accessTokenExpiresAt,
      access_token_lifetime_seconds: grant.accessTokenLifetimeSeconds,
      granted_scopes: grant.grantedScopes,
      account_id: grant.accountId,
      account_name: grant.accountName,
      tenant_id: grant.tenantId,
      tenant_name: grant.tenantName,
      variables: grant.variables,
    };
  }

  /**
   * Erases rows and returns what credentials each held then, so that they can be revoked: null where they
   * cannot be unsealed. What is not in the answer was not there.
   */
  async function remove(
    db: Db,
    ids: readonly string[],
    projectId: string,
  ): Promise<Map<string, RemovedGrant>> {
    const rows = await db<ConnectionRow>('connections')
      .where({ project_id: projectId })
      .whereIn('id', [...ids])
      .delete()
      .returning(['id', 'credentials_sealed', 'organization_client_id', 'version', 'status']);
    return new Map(
      rows.map((row) => [
        row.id,
        {
          credentials: openIfPossible(row.id, projectId, row.credentials_sealed),
          organizationClientId: row.organization_client_id,
          version: row.version,
          status: row.status,
        },
      ]),
    );
  }

  function openIfPossible(id: string, projectId: string, sealed: string): StoredCredentials | null {
    return openOrElse(() => unpackCredentials(vault.open(sealed, credentialsContext(id, projectId))), null);
  }

  return { insert, replaceGrant, remove };
}
