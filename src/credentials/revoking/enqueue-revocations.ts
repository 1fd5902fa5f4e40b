import type { Provider } from '../../catalog/schema/provider.schema.ts';
import type { Grant } from '../../connections/connection.ts';
import type { Integration } from '../../integrations/integration.ts';
import { prepareRevocation } from '../../oauth/prepare-revocation.ts';
import type { OAuthClient } from '../../oauth/token-message.ts';
import type { Db } from '../../platform/postgres/database.ts';
import { VaultError } from '../../platform/vault.ts';
import type { IntegrationClient, IntegrationTarget } from '../client/integration-client.ts';
import type { GrantToRevoke, RevocationsStore } from './revocations.store.ts';
import { readConsent } from './shared-consent.ts';

export type RevocableGrant = Pick<Grant, 'credentials' | 'variables' | 'accountId' | 'accountName'>;
export type Owner = { readonly projectId: string; readonly integrationId: string };
/** The version of an organization's client that made a grant; null, or left out: the integration's own did. */
type OfClient = { readonly organizationClientId?: string | null };
/** `endUserId` is left out where the grant has no end user any more. */
export type GrantOwner = Owner &
  OfClient & { readonly connectionId: string | null; readonly endUserId?: string };

/** What revocations of one client have in common; undefined where nothing can be revoked. */
type Revoker = { readonly target: IntegrationTarget; readonly client: OAuthClient } | undefined;

/** Those of one integration, by the organization's client where one made the grant. */
export type Revokers = (organizationClientId: string | null) => Promise<Revoker>;

/** Puts grants among those that the background revokes at their providers. */
export function createEnqueueRevocations(deps: {
  client: IntegrationClient;
  revocations: Pick<RevocationsStore, 'insert'>;
  log: { warn(fields: object, message: string): void };
}) {
  /** What is needed to revoke grants of these clients; what a grant of another one needs is read when that turns up. */
  async function findRevokers(owner: Owner, expected: Iterable<OfClient>): Promise<Revokers> {
    const found = new Map<string | null, Promise<Revoker>>();
    const revokerOf: Revokers = (id) => {
      const known = found.get(id) ?? findRevoker({ ...owner, organizationClientId: id });
      found.set(id, known);
      return known;
    };
    for (const { organizationClientId = null } of expected) await revokerOf(organizationClientId);
    return revokerOf;
  }

  async function findRevoker(owner: Owner & OfClient): Promise<Revoker> {
    const target = await deps.client.findTarget(owner);
    if (target === undefined || !endsGrants(target.provider)) return undefined;
    return { target, client: await readableClient(target.integration) };
  }

  async function readableClient(integration: Integration): Promise<OAuthClient> {
    try {
      return await deps.client.clientOf(integration);
    } catch (error) {
      if (!(error instanceof VaultError)) throw error;
      deps.log.warn(
        { integrationId: integration.id },
        'client secret cannot be unsealed: its grants stay unrevoked',
      );
      return { clientId: integration.clientId ?? '', clientSecrets: [] };
    }
  }

  /** What the background asks the provider to end a grant; undefined where the provider takes no tokens back. */
  function findRevocation(
    revoker: Revoker,
    owner: GrantOwner,
    grant: RevocableGrant,
  ): GrantToRevoke | undefined {
    if (revoker === undefined) return undefined;
    const { target, client } = revoker;
    const { credentials, variables } = grant;
    const request = prepareRevocation({
      provider: target.provider,
      client,
      ...deps.client.addressOf(target, variables, credentials),
      accessToken: credentials.values.accessToken ?? null,
      refreshToken: credentials.refreshToken,
    });
    if (request === undefined || request.messages.length === 0) return undefined;
    const { projectId, integrationId, connectionId, endUserId = null } = owner;
    const consent = readConsent(target.provider, grant, { clientId: client.clientId || null, endUserId });
    return { projectId, integrationId, connectionId, serviceProvider: target.provider.id, request, consent };
  }

  /** Puts grants among those that are to be revoked, where their provider takes tokens back. */
  async function enqueue(
    trx: Db,
    revokers: Revokers,
    grants: Iterable<readonly [GrantOwner, RevocableGrant]>,
  ): Promise<void> {
    const toRevoke: GrantToRevoke[] = [];
    for (const [owner, grant] of grants) {
      const found = findRevocation(await revokers(owner.organizationClientId ?? null), owner, grant);
      if (found !== undefined) toRevoke.push(found);
    }
    await deps.revocations.insert(trx, toRevoke);
  }

  return { findRevokers, enqueue };
}

/** True where a connection that is deleted may end something at the provider: a grant, or a session. */
function endsGrants({ auth, logout }: Provider): boolean {
  return auth === 'oauth2' || logout !== undefined;
}
