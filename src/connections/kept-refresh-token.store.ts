import type { Db } from '../platform/postgres/database.ts';
import { openOrElse, type Vault } from '../platform/vault.ts';
import type { Grant } from './connection.ts';
import { credentialsContext, type StoredCredentials, unpackCredentials } from './credentials.ts';

/**
 * The grant that takes the place of another one, with the refresh token of that where it brings none itself and is of
 * the same account. Many providers give a refresh token with the first consent only, and leave it in force at later
 * ones. One that the provider has refused is dead; one whose account is not known may be another person's; one of another
 * client is refused. The row is locked until the transaction ends.
 */
export async function withRefreshTokenOfBefore(
  { db, vault }: { db: Db; vault: Vault },
  {
    id,
    projectId,
    organizationClientId,
  }: { readonly id: string; readonly projectId: string; readonly organizationClientId: string | null },
  grant: Grant,
): Promise<Grant> {
  const { accountId, credentials } = grant;
  if (credentials.refreshToken !== null || accountId === null || !hasAccessToken(credentials)) return grant;
  const row = await db('connections')
    .where({ id, project_id: projectId, account_id: accountId, status: 'active' })
    .whereNull('refresh_refused_since')
    .whereRaw('organization_client_id IS NOT DISTINCT FROM ?::uuid', [organizationClientId])
    .forUpdate()
    .first<{ credentials_sealed: string }>('credentials_sealed');
  const before = row && openReadable(vault, { id, projectId }, row.credentials_sealed);
  if (before === undefined || !hasAccessToken(before)) return grant;
  return { ...grant, credentials: { ...credentials, refreshToken: before.refreshToken } };
}

/** Undefined where they cannot be opened: a user who authorizes again heals that, too. */
function openReadable(
  vault: Vault,
  { id, projectId }: { readonly id: string; readonly projectId: string },
  sealed: string,
): StoredCredentials | undefined {
  return openOrElse(
    () => unpackCredentials(vault.open(sealed, credentialsContext(id, projectId))),
    undefined,
  );
}

/** Tokens of an authorization, and no key that is typed. */
function hasAccessToken({ values }: StoredCredentials): boolean {
  return values.accessToken !== undefined;
}
