import { z } from 'zod';
import type { Grant } from '../connections/connection.ts';
import type { Tenant } from '../oauth/tenants.ts';
import { openOrElse, type Vault } from '../platform/vault.ts';
import type { ConnectSessionRow } from './connect-session.ts';

const sealedTenant = z.object({
  id: z.string(),
  name: z.string().nullable(),
  detail: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
});

const sealedGrant = z.object({
  credentials: z.object({ values: z.record(z.string(), z.string()), refreshToken: z.string().nullable() }),
  accessTokenExpiresAt: z.coerce.date().nullable(),
  accessTokenLifetimeSeconds: z.number().nullable(),
  grantedScopes: z.array(z.string()),
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  tenantId: z.string().nullable().default(null),
  tenantName: z.string().nullable().default(null),
  variables: z.record(z.string(), z.string()),
});

/** A grant with the tenants among which its user chooses. */
const sealedChoice = sealedGrant.extend({ tenants: z.array(sealedTenant) });

export type SealedGrants = ReturnType<typeof createSealedGrants>;

/** Seals grants for the row of a connect session, and opens them. */
export function createSealedGrants({ vault }: { vault: Vault }) {
  const context = (rowId: string, projectId: string) => ({
    table: 'connect_sessions',
    column: 'pending_sealed',
    rowId,
    projectId,
  });

  function seal(
    { id, projectId }: { readonly id: string; readonly projectId: string },
    grant: Grant & { readonly tenants?: readonly Tenant[] },
  ): string {
    return vault.seal(JSON.stringify(grant), context(id, projectId));
  }

  function openGrant(id: string, projectId: string, sealed: string): Grant {
    return sealedGrant.parse(JSON.parse(vault.open(sealed, context(id, projectId))));
  }

  function openChoice(id: string, projectId: string, sealed: string) {
    const { tenants, ...grant } = sealedChoice.parse(JSON.parse(vault.open(sealed, context(id, projectId))));
    return { grant, tenants };
  }

  /** One row that a lost key sealed must not keep all others from being revoked. */
  function openIfPossible({ id, project_id, pending_sealed }: ConnectSessionRow): Grant | undefined {
    if (pending_sealed === null) return undefined;
    return openOrElse(() => openGrant(id, project_id, pending_sealed), undefined);
  }

  return { seal, openGrant, openChoice, openIfPossible };
}
