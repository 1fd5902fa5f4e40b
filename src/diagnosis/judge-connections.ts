import { CALLS_REFUSED } from '../credentials/calling/refused-calls.store.ts';
import type { Integration } from '../integrations/integration.ts';
import type { OrganizationClient } from '../integrations/organization-clients/organization-client.ts';
import { missingScopes } from '../oauth/granted-scopes.ts';
import { chooseFindingCode } from './connect-failure-findings.ts';
import type { ConnectionsFacts, Trouble } from './connections-facts.store.ts';
import { createFinding, type Finding } from './finding.ts';
import type { FindingCode, Severity } from './finding-texts.ts';
import type { IntegrationContext } from './integration-context.ts';

/** Some refresh tokens end in every installation: fewer than a fifth of the connections is no fault of the integration. */
const USUAL_SHARE = 0.2;
const USUAL_FROM = 5;

/** Findings that follow from the connections of an integration. Pure. */
export function judgeConnections(
  facts: ConnectionsFacts,
  integration: Pick<Integration, 'scopes' | 'optionalScopes'>,
  context: IntegrationContext,
): Finding[] {
  const byCode = Map.groupBy(facts.troubles, (trouble) => troubleCodeOf(trouble, context));
  const troubles = [...byCode].map(([code, alike]) => judgeTroubles(code, alike, facts.looked, context));
  return [...troubles, ...judgeScopes(facts, integration, context)];
}

/** The finding on OAuth clients of organizations that their provider refuses. Pure. */
export function judgeOrganizationClients(
  refused: readonly Pick<OrganizationClient, 'organization' | 'clientId' | 'refusedAt'>[],
  { provider }: Pick<IntegrationContext, 'provider'>,
): Finding[] {
  if (refused.length === 0) return [];
  const evidence = refused.map(({ organization, clientId, refusedAt }) => ({
    label: `Organization ${organization}`,
    value: `client ${clientId}`,
    ...(refusedAt && { at: refusedAt.toISOString() }),
  }));
  const organizations = refused.map(({ organization }) => organization).join(', ');
  return [createFinding('organization_client_refused', { provider, organizations }, { evidence })];
}

/** The finding of one connection in trouble; undefined where it is in none. Pure. */
export function judgeTrouble(trouble: Omit<Trouble, 'count'>, context: IntegrationContext): Finding {
  return judgeTroubles(troubleCodeOf(trouble, context), [{ ...trouble, count: 1 }], 1, context);
}

function judgeTroubles(
  code: FindingCode,
  alike: readonly Trouble[],
  looked: number,
  context: IntegrationContext,
): Finding {
  const count = alike.reduce((sum, trouble) => sum + trouble.count, 0);
  const evidence = alike.map(({ reason, connectionId, at }) => ({
    label: `Connection ${connectionId}`,
    value: reason,
    ...(at && { at: at.toISOString() }),
  }));
  const parameters = {
    provider: context.provider,
    redirectUrl: context.redirectUrl,
    origin: context.tokenOrigin ?? 'the token endpoint',
    variable: context.keyVariable ?? '',
    count: String(count),
    organizations: alike.flatMap(({ organization }) => organization ?? []).join(', '),
  };
  const severity = severityOf(code, alike, count, looked);
  return createFinding(code, parameters, { evidence, ...(severity && { severity }) });
}

function severityOf(
  code: FindingCode,
  alike: readonly Trouble[],
  count: number,
  looked: number,
): Severity | undefined {
  const isUsual = looked >= USUAL_FROM && count < looked * USUAL_SHARE;
  if (code === 'refresh_refused' && (isUsual || alike.every(({ status }) => status === 'active')))
    return 'warning';
  const isLost = alike.some(({ status }) => status === 'reauthorization_required');
  return code === 'refresh_slow' && isLost && !isUsual ? 'error' : undefined;
}

function troubleCodeOf(
  { status, reason, isClientRefused, organization }: Omit<Trouble, 'count'>,
  { keyVariable }: IntegrationContext,
): FindingCode {
  if (/\bclient_certificate_refused\b/.test(reason)) return 'client_certificate_refused';
  if (/\bclient_certificate_unusable\b/.test(reason)) return 'client_certificate_unusable';
  if (isClientRefused && organization !== null) return 'organization_client_refused';
  if (isClientRefused) {
    return chooseFindingCode({
      error: 'integration_misconfigured',
      reason: 'client_refused',
      providerWords: reason,
      refusedVariable: keyVariable,
    });
  }
  if (reason.startsWith(CALLS_REFUSED))
    return status === 'active' ? 'calls_refused' : 'credential_not_accepted';
  if (/^refresh failed: unreadable_response/.test(reason)) return 'token_endpoint_page';
  if (/^refresh unanswered|answer to a token refresh was lost|connection_timeout/.test(reason))
    return 'refresh_slow';
  if (status === 'reauthorization_required')
    return /revoked/i.test(reason) ? 'grant_revoked' : 'refresh_refused';
  const isTransient =
    /^refresh failed: (?:connection_|http_(?:5|3|408|425|429)|server_error|temporarily|slow_down)/;
  return isTransient.test(reason) ? 'refresh_failing' : 'refresh_refused';
}

function judgeScopes(
  { grantedScopes, looked }: ConnectionsFacts,
  integration: Pick<Integration, 'scopes' | 'optionalScopes'>,
  { provider, asksScopes = true, scopeComparison }: IntegrationContext,
): Finding[] {
  if (looked === 0 || grantedScopes.length === 0) return [];
  const missing = missingScopes(integration.scopes, grantedScopes, scopeComparison);
  const asked = [...integration.scopes, ...integration.optionalScopes];
  const unasked = missingScopes(grantedScopes, asked, scopeComparison);
  return [
    ...(missing.length > 0
      ? [createFinding('scope_not_granted', { provider, scopes: missing.join(', ') })]
      : []),
    ...(unasked.length > 0 && asksScopes
      ? [createFinding('scope_not_asked', { provider, scopes: unasked.join(', ') })]
      : []),
  ];
}
