import type { z } from 'zod';
import type { Connection } from '../connections/connection.ts';
import { chooseRefreshMethod, refreshMarginMs } from '../credentials/refreshing/refresh-method.ts';
import type { Integration } from '../integrations/integration.ts';
import { missingScopes } from '../oauth/granted-scopes.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { ConnectionsFactsStore, RefreshResponse } from './connections-facts.store.ts';
import type { connectionHealthSchema } from './diagnosis.schema.ts';
import { createFinding, type Finding, mergeFindings } from './finding.ts';
import type { ContextOf, IntegrationContext } from './integration-context.ts';
import { judgeTrouble } from './judge-connections.ts';

/** In the middle of the spread that connections have. */
const USUAL_SPREAD = 0.5;

export type ConnectionHealth = ReturnType<typeof createConnectionHealth>;

/** What the store knows of a connection's credential, and the findings that follow. */
export function createConnectionHealth(deps: {
  providers: Providers;
  facts: Pick<ConnectionsFactsStore, 'refreshAnswer'>;
  /** The integration, with the client that made the connection. */
  findIntegration(connection: Connection): Promise<Integration | undefined>;
  contextOf: ContextOf;
}) {
  return async (connection: Connection): Promise<z.input<typeof connectionHealthSchema>> => {
    const { projectId, serviceProvider, grant } = connection;
    const [answer, integration, provider] = await Promise.all([
      deps.facts.refreshAnswer(connection),
      deps.findIntegration(connection),
      deps.providers.find(projectId, serviceProvider, grant),
    ]);
    const expiresAt = connection.accessTokenExpiresAt;
    const canRefresh = provider !== undefined && chooseRefreshMethod(provider, true) !== undefined;
    const marginMs = provider ? refreshMarginMs(provider, answer?.lifetimeSeconds ?? null, USUAL_SPREAD) : 0;
    const dueAt = expiresAt === null ? null : new Date(expiresAt.getTime() - marginMs);
    const nextAt = connection.status === 'active' && canRefresh ? (answer?.retryAt ?? dueAt) : null;
    return {
      kind: provider?.auth ?? null,
      expiresAt: expiresAt?.toISOString() ?? null,
      refreshedAt: answer?.refreshedAt?.toISOString() ?? null,
      nextRefreshAt: nextAt?.toISOString() ?? null,
      lastAnswer: lastAnswerOf(answer),
      scopes: {
        asked: integration ? [...integration.scopes, ...integration.optionalScopes] : [],
        granted: connection.grantedScopes.length === 0 ? null : connection.grantedScopes,
      },
      findings: integration
        ? mergeFindings(judgeConnection(connection, answer, integration, await deps.contextOf(integration)))
        : [],
    };
  };
}

/** Findings of one connection, from what is stored of it: the same codes as on its integration. Pure. */
export function judgeConnection(
  connection: Connection,
  answer: RefreshResponse | undefined,
  integration: Pick<Integration, 'scopes'>,
  context: IntegrationContext,
): Finding[] {
  const { id, status, statusReason, grantedScopes } = connection;
  const trouble = statusReason !== null && {
    status,
    reason: statusReason,
    isClientRefused: answer?.isClientRefused ?? false,
    organization: connection.organizationClientId === null ? null : connection.organization,
    connectionId: id,
    at: answer?.heardAt ?? null,
  };
  const { provider, scopeComparison } = context;
  const missing =
    grantedScopes.length === 0 ? [] : missingScopes(integration.scopes, grantedScopes, scopeComparison);
  return [
    ...(trouble ? [judgeTrouble(trouble, context)] : []),
    ...(missing.length > 0
      ? [createFinding('scope_not_granted', { provider, scopes: missing.join(', ') })]
      : []),
  ];
}

function lastAnswerOf(answer: RefreshResponse | undefined) {
  if (!answer?.heardAt) return null;
  const { heardAt, status, error, words } = answer;
  return { at: heardAt.toISOString(), status, error, description: words };
}
