import type { RecordActivity } from '../activity/record.ts';
import type { Provider } from '../catalog/provider.schema.ts';
import { partVariables } from '../catalog/resolve-url.ts';
import type { Connection, ConnectionsStore, Grant } from '../connections/connections.store.ts';
import type { StoredCredentials } from '../connections/credentials.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { redirectUrlOf } from '../integrations/integration-wire.ts';
import type { Integration, IntegrationsStore } from '../integrations/integrations.store.ts';
import { readVariablesAgain } from '../oauth/account.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { TokenFailure } from '../oauth/token-outcome.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { RefreshOutcome } from './access-tokens.ts';
import type { CredentialState } from './refresh.store.ts';
import { refreshedCredentials } from './refreshed-credentials.ts';
import { renewalOf } from './renewal.ts';

/** Requests at the provider on behalf of a stored connection: refreshing, revoking, disconnecting. */
export function createProviderCalls(deps: {
  db: Db;
  providers: Providers;
  integrations: IntegrationsStore;
  connections: ConnectionsStore;
  tokenEndpoint: TokenEndpoint;
  takePendingGrants(
    trx: Db,
    owner: { projectId: string; integrationId: string; connectionId?: string },
  ): Promise<Grant[]>;
  recordActivity: RecordActivity;
  /** Counts refreshes by provider and outcome. */
  noteRefresh(provider: string, outcome: string): void;
  now(): number;
  publicUrl: string;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, providers, integrations, connections, tokenEndpoint, log } = deps;

  async function findTarget(
    integrationId: string,
    projectId: string,
  ): Promise<{ provider: Provider; integration: Integration } | undefined> {
    const integration = await integrations.find(db, integrationId, [projectId]);
    const provider = integration && (await providers.find(projectId, integration.serviceProvider));
    return integration && provider && { provider, integration };
  }

  /** Variables of integration and connection together, and the redirect URI that goes with them. */
  function addressedBy(
    { provider, integration }: { provider: Provider; integration: Integration },
    ofConnection: Record<string, string>,
  ) {
    const variables = { ...integration.variables, ...ofConnection };
    const registered = redirectUrlOf(deps.publicUrl, integration);
    return { variables, redirectUrl: redirectUriFor(provider, registered, variables) ?? registered };
  }

  /** The integration's client, secrets opened: for one request, never to be kept. */
  async function clientOf(integration: Integration): Promise<OAuthClient> {
    const { clientSecrets, variables } = await integrations.openSecrets(db, integration);
    return { clientId: integration.clientId ?? '', clientSecrets, secretVariables: variables };
  }

  async function requestRefresh(state: CredentialState): Promise<RefreshOutcome> {
    const target = await findTarget(state.integrationId, state.projectId);
    if (target === undefined) return { ok: false, kind: 'client', errorCode: 'provider_unknown' };
    const { provider, integration } = target;
    const request = {
      provider,
      client: await clientOf(integration),
      ...addressedBy(target, { ...state.variables, ...secretVariablesOf(state.credentials) }),
    };
    const { accessToken = '' } = state.credentials.values;
    const renewal = renewalOf(provider, state.credentials.refreshToken !== null);
    if (renewal === 'access-token' && state.expiresAt !== null && state.expiresAt.getTime() <= deps.now()) {
      return { ok: false, kind: 'invalid_grant', errorCode: 'access_token_expired' };
    }
    const ask = () => {
      if (renewal === 'client')
        return tokenEndpoint.clientCredentials({ ...request, scopes: integration.scopes });
      if (renewal === 'access-token') return tokenEndpoint.renew({ ...request, accessToken });
      return tokenEndpoint.refresh({ ...request, refreshToken: state.credentials.refreshToken ?? '' });
    };
    let outcome = await ask();
    // No answer may mean that the provider acted and we did not hear: asking once more is cheaper than a dead grant.
    if (!outcome.ok && outcome.mayHaveBeenProcessed) outcome = await ask();
    deps.noteRefresh(provider.id, outcome.ok ? 'refreshed' : outcome.kind);
    if (!outcome.ok) return failureOf(outcome, provider);
    const { tokens } = outcome;
    const told = partVariables(provider, readVariablesAgain(provider, tokens.raw));
    return {
      ok: true,
      tokens: {
        credentials: refreshedCredentials(state.credentials, tokens, told.secret),
        expiresInSeconds: tokens.expiresInSeconds,
        grantedScopes: tokens.scopes === null ? null : [...tokens.scopes],
        variables: { ...state.variables, ...told.open },
      },
    };
  }

  /** Tries to revoke a grant at the provider (RFC 7009). Never throws: what cannot be revoked is logged and dropped. */
  async function revoke(
    owner: { integrationId: string; projectId: string },
    variables: Record<string, string>,
    credentials: StoredCredentials,
  ): Promise<'revoked' | 'unsupported' | 'failed'> {
    try {
      const target = await findTarget(owner.integrationId, owner.projectId);
      if (target === undefined || target.provider.auth !== 'oauth2') return 'unsupported';
      const { provider, integration } = target;
      const outcome = await tokenEndpoint.revoke({
        provider,
        client: await clientOf(integration),
        ...addressedBy(target, { ...variables, ...secretVariablesOf(credentials) }),
        accessToken: credentials.values.accessToken ?? null,
        refreshToken: credentials.refreshToken,
      });
      if (outcome.ok) return 'revoked';
      if (outcome.kind === 'unsupported') return 'unsupported';
      log.warn({ integrationId: owner.integrationId, errorCode: outcome.errorCode }, 'revocation failed');
    } catch (error) {
      log.warn({ err: error, integrationId: owner.integrationId }, 'revocation failed');
    }
    return 'failed';
  }

  /**
   * Erases a connection, then revokes the grant that it held at that very moment (a refresh under way finds its row
   * gone and revokes what it got), and those that a re-authorization brought and nobody completed.
   */
  async function disconnect(connection: Connection, actor: Principal): Promise<void> {
    const { id, projectId, integrationId } = connection;
    const { erased, pending } = await db.transaction(async (trx) => {
      const pending = await deps.takePendingGrants(trx, { projectId, integrationId, connectionId: id });
      const credentials = await connections.remove(trx, id, projectId);
      if (credentials === undefined) throw new HttpError('connection_not_found');
      await deps.recordActivity(trx, {
        projectId,
        actor,
        action: 'connection.deleted',
        subjectId: id,
        details: { integrationId, integrationUserId: connection.endUserId },
      });
      return { erased: credentials, pending };
    });
    await revoke(connection, connection.variables, erased);
    await revokeAll(connection, pending);
  }

  async function revokeAll(owner: { integrationId: string; projectId: string }, grants: readonly Grant[]) {
    await Promise.all(grants.map(({ variables, credentials }) => revoke(owner, variables, credentials)));
  }

  /** Revokes what an integration's users have authorized and nobody has completed. */
  async function revokePending({ id: integrationId, projectId }: Integration): Promise<void> {
    const owner = { integrationId, projectId };
    await revokeAll(owner, await db.transaction((trx) => deps.takePendingGrants(trx, owner)));
  }

  /** Disconnects every connection of an integration, a page at a time. */
  async function disconnectAll(integration: Integration, actor: Principal): Promise<void> {
    for (;;) {
      const page = await connections.list(db, {
        projectIds: [integration.projectId],
        integrationId: integration.id,
        limit: 20,
      });
      if (page.length === 0) return;
      await Promise.all(page.map((connection) => disconnect(connection, actor)));
    }
  }

  return { clientOf, requestRefresh, revoke, disconnect, disconnectAll, revokePending };
}

function failureOf(failure: TokenFailure, { refreshTokenReuseSeconds }: Provider): RefreshOutcome {
  const { kind, errorCode, retryAfterMs } = failure;
  const mayBeRepeated = failure.mayHaveBeenProcessed && refreshTokenReuseSeconds > 0;
  return {
    ok: false,
    kind,
    errorCode,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(mayBeRepeated && { repeatWithinMs: refreshTokenReuseSeconds * 1000 }),
  };
}

/** What is sealed with a connection beside its tokens. */
function secretVariablesOf({ values }: StoredCredentials): Record<string, string> {
  const { accessToken: _accessToken, ...secretVariables } = values;
  return secretVariables;
}
