import type { ConnectionsStore } from '../connections/connections.store.ts';
import { HttpError } from '../http/errors.ts';
import type { Principal } from '../http/principal.ts';
import { buildDisabledError } from '../integrations/disabled-error.ts';
import type { Integration } from '../integrations/integration.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Access } from '../projects/access.ts';
import type { NamedProviders } from '../providers/custom-providers.ts';
import type { SessionMaker } from './connect-session-creators.ts';
import type { CreateConnectSession } from './connect-sessions.schema.ts';

export type SessionTargetDependencies = {
  readonly db: Db;
  readonly providers: NamedProviders;
  readonly access: Pick<Access, 'projectsOf'>;
  readonly integrations: Pick<IntegrationsStore, 'find' | 'list'>;
  readonly connections: Pick<ConnectionsStore, 'find'>;
};

/** Finds what a connect session is for, among what its maker may see. */
export function createSessionTargets(deps: SessionTargetDependencies) {
  const { db, connections } = deps;

  async function findIntegration(
    principal: Principal,
    body: CreateConnectSession,
  ): Promise<Integration | undefined> {
    const projectIds = await deps.access.projectsOf(principal);
    if (body.integrationId !== undefined) {
      const found = await deps.integrations.find(db, body.integrationId, projectIds);
      if (found === undefined || (body.provider !== undefined && found.serviceProvider !== body.provider)) {
        throw new HttpError('integration_not_found');
      }
      return found;
    }
    const [only, ...others] = body.integrationIds ?? [];
    if (body.provider === undefined && body.connectionId === undefined && only && others.length === 0) {
      return findAllowed(only, projectIds);
    }
    if (body.provider === undefined || body.connectionId !== undefined) return undefined;
    await assertKnown(body.provider, projectIds);
    const listed = await deps.integrations.list(db, {
      projectIds,
      serviceProvider: body.provider,
      limit: 20,
    });
    const found = listed.filter(({ id }) => isAllowed(body, id));
    if (found.length === 0 && listed.length > 0) throw new HttpError('integration_not_allowed');
    if (found.length > 1) {
      throw new HttpError('integration_ambiguous', {
        detail:
          'The project has several integrations of this provider: send one of `integrationIds` as `integrationId`, with or without `provider`.',
        extra: { integrationIds: found.map(({ id }) => id) },
      });
    }
    if (found[0] === undefined) throw new HttpError('integration_not_found');
    return found[0];
  }

  async function findAllowed(id: string, projectIds: readonly string[]): Promise<Integration> {
    const found = await deps.integrations.find(db, id, projectIds);
    if (found === undefined) throw new HttpError('integration_not_found');
    return found;
  }

  /** Refuses a session whose integration may not be used, or that is limited to what the project does not have. */
  async function assertUsable(
    projectId: string,
    body: Pick<CreateConnectSession, 'integrationIds'>,
    integrationId: string | undefined,
  ): Promise<void> {
    await Promise.all((body.integrationIds ?? []).map((id) => findAllowed(id, [projectId])));
    if (integrationId === undefined) return;
    if (!isAllowed(body, integrationId)) throw new HttpError('integration_not_allowed');
    const { disabled } = await findAllowed(integrationId, [projectId]);
    if (disabled !== null) throw buildDisabledError({ id: integrationId, reason: disabled.reason });
  }

  async function assertKnown(provider: string, projectIds: readonly string[]): Promise<void> {
    const found = await Promise.all(
      projectIds.map((projectId) => deps.providers.find(projectId, provider, null)),
    );
    if (found.every((known) => known === undefined))
      throw deps.providers.refusalOf(projectIds[0] ?? '', provider);
  }

  /** Refuses a tenant at a provider that has none, where the provider is known by now. */
  async function assertTenants(
    projectId: string,
    target: Pick<Integration, 'serviceProvider' | 'grant'> | undefined,
    { tenant }: CreateConnectSession,
  ): Promise<void> {
    if (tenant === undefined || target === undefined) return;
    const provider = await deps.providers.find(projectId, target.serviceProvider, target.grant);
    if (provider !== undefined && provider.tenants === undefined) throw new HttpError('tenants_unsupported');
  }

  async function findConnection(
    maker: Pick<SessionMaker, 'projectId' | 'endUserId'>,
    body: CreateConnectSession,
    integration: Integration | undefined,
  ) {
    if (body.connectionId === undefined) return undefined;
    const found = await connections.find(db, body.connectionId, [maker.projectId]);
    const fits =
      found?.endUserId === maker.endUserId &&
      (integration === undefined || found.integrationId === integration.id) &&
      (body.provider === undefined || found.serviceProvider === body.provider);
    if (!fits) throw new HttpError('connection_not_found');
    return found;
  }

  return { findIntegration, findConnection, assertTenants, assertUsable };
}

function isAllowed({ integrationIds }: Pick<CreateConnectSession, 'integrationIds'>, id: string): boolean {
  return integrationIds?.includes(id) ?? true;
}
