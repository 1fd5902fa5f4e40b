import { consentedValues } from '../catalog/facts/template-values.ts';
import type { LoginResult } from '../connections/import-connection.ts';
import type { IntegrationTarget } from '../credentials/client/integration-client.ts';
import type { Authorization } from './authorization.ts';

type LoginIntegration = {
  readonly id: string;
  readonly projectId: string;
  readonly organizationClient?: { readonly versionId: string } | null;
};

/**
 * Obtains the grant of a connection that no browser makes: by the integration's own client (RFC 6749 section 4.4), or by
 * a log-in with what was entered.
 */
export function createLogIn({
  findTarget,
  authorization,
}: {
  findTarget(owner: {
    readonly integrationId: string;
    readonly projectId: string;
    readonly organizationClientId: string | null;
  }): Promise<IntegrationTarget | undefined>;
  readonly authorization: Pick<Authorization, 'grantByClient' | 'grantByLogin'>;
}) {
  return async (
    { id, projectId, organizationClient }: LoginIntegration,
    entered: { variables: Record<string, string>; secrets: Record<string, string> },
  ): Promise<LoginResult> => {
    const organizationClientId = organizationClient?.versionId ?? null;
    const target = await findTarget({ integrationId: id, projectId, organizationClientId });
    if (target === undefined) return { ok: false, error: 'integration_misconfigured' };
    const known = target.integration.variables;
    const isByClient = target.provider.auth === 'oauth2-client-credentials';
    const grantBy = isByClient ? authorization.grantByClient : authorization.grantByLogin;
    const kept = consentedValues(target.provider, known);
    const made = await grantBy({ ...target, known, kept, sealed: new Set(), wantedTenant: null }, entered);
    if (made.ok) return made;
    const { error, reason, providerWords: words } = made;
    return { ok: false, error, ...(reason && { reason }), ...(words && { words }) };
  };
}
