import type { z } from 'zod';
import { hasExternalId } from '../catalog/facts/external-ids.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Connection } from '../connections/connection.ts';
import { proveConnection } from '../credentials/calling/prove-connection.ts';
import type { RefusedCredential } from '../credentials/calling/refused-calls.store.ts';
import type { AccessTokens } from '../credentials/refreshing/access-tokens.ts';
import type { CredentialState } from '../credentials/refreshing/credential-state.store.ts';
import { chooseRefreshMethod, isRenewable } from '../credentials/refreshing/refresh-method.ts';
import type { RefreshResult } from '../credentials/refreshing/refresh-result.ts';
import { buildRefreshTarget } from '../credentials/refreshing/refresh-target.ts';
import type { Integration } from '../integrations/integration.ts';
import { createRateLimiter } from '../lib/rate-limit.ts';
import { createLogin } from '../oauth/login.ts';
import { buildProbe, type CredentialProof } from '../oauth/probe.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { RunCheck } from './bounded-probe.ts';
import { judgeConnection } from './connection-health.ts';
import type { ConnectionsFactsStore } from './connections-facts.store.ts';
import type { connectionTestSchema } from './diagnosis.schema.ts';
import { createFinding, type Finding, mergeFindings } from './finding.ts';
import type { ContextOf } from './integration-context.ts';
import { codeOfUnreachable } from './judge-client.ts';

/** A one-use refresh token must not be spent by an operator who presses a button again and again. */
const REFRESHES_PER_MINUTE = 2;

export type TestConnection = (connection: Connection) => Promise<z.input<typeof connectionTestSchema>>;

type ConnectionTestDependencies = {
  outbound: Outbound;
  providers: Providers;
  runCheck: RunCheck;
  accessTokens: Pick<AccessTokens, 'refresh'>;
  readCredentials(connectionId: string, projectId: string): Promise<CredentialState | undefined>;
  /** The connection as it stands now. */
  findConnection(id: string, projectId: string): Promise<Connection | undefined>;
  /** The integration, with the client that made the connection. */
  findIntegration(connection: Connection): Promise<Integration | undefined>;
  clientOf(integration: Integration): Promise<OAuthClient>;
  facts: Pick<ConnectionsFactsStore, 'refreshAnswer'>;
  /** Called with what the provider makes of a credential that cannot be renewed. */
  noteTest(credential: RefusedCredential, proof: CredentialProof): Promise<void>;
  contextOf: ContextOf;
  isFrozen(projectId: string): boolean;
  now(): number;
};

/** What a test starts from, and what its outcome proves: the provider accepted or refused, or it remains unknown. */
type Subject = {
  readonly connection: Connection;
  readonly provider: Provider;
  readonly integration: Integration;
};
type Proof =
  | { readonly verdict: 'works'; readonly isLetInWithoutId?: boolean }
  | { readonly verdict: 'failed' }
  | { readonly verdict: 'refused'; readonly reason?: string }
  | { readonly verdict: 'unprovable'; readonly reason: string }
  /** The provider gave no answer, or a fault of its own. */
  | { readonly verdict: 'unreachable'; readonly reason: string }
  | { readonly verdict: 'held'; readonly reason: 'project_frozen' | 'gateway_restored' };

/**
 * Tests a connection at its provider: by the probe of the catalog's entry or its account call, else by a refresh, which
 * is as good as the connection's next one. Where neither is possible, it is unprovable.
 */
export function createTestConnection(deps: ConnectionTestDependencies): TestConnection {
  const refreshes = createRateLimiter({ limit: REFRESHES_PER_MINUTE, windowSeconds: 60 });

  async function prove(subject: Subject): Promise<Proof> {
    const { connection, provider } = subject;
    if (deps.isFrozen(connection.projectId)) return { verdict: 'held', reason: 'project_frozen' };
    if (connection.status !== 'active') return { verdict: 'refused' };
    const state = await deps.readCredentials(connection.id, connection.projectId);
    if (state === undefined) return { verdict: 'unprovable', reason: 'connection_gone' };
    const method = chooseRefreshMethod(provider, state.credentials.refreshToken !== null);
    const isExpired = state.expiresInMs !== null && state.expiresInMs <= 0;
    if (buildProbe(provider) === undefined) {
      if (method === undefined || method === 'access-token') {
        return { verdict: 'unprovable', reason: 'no_account_call' };
      }
      return proofOfRefresh(await refresh(subject, state));
    }
    if (!isExpired || method === undefined) return askProvider(subject, state);
    const result = await refresh(subject, state);
    return result !== 'too_often' && result.ok ? askProvider(subject, result.state) : proofOfRefresh(result);
  }

  async function refresh(
    { provider }: Subject,
    state: CredentialState,
  ): Promise<RefreshResult | 'too_often'> {
    if (!refreshes.check(state.connectionId).allowed) return 'too_often';
    return deps.accessTokens.refresh(buildRefreshTarget(provider, state));
  }

  async function askProvider({ provider, integration }: Subject, state: CredentialState): Promise<Proof> {
    const proof = await proveConnection(deps, { provider, integration }, state);
    const isRenewed = isRenewable(chooseRefreshMethod(provider, state.credentials.refreshToken !== null));
    if (proof !== undefined && !isRenewed) await deps.noteTest(state, proof);
    if (proof?.verdict === 'accepted')
      return { verdict: 'works', isLetInWithoutId: await isLetInWithoutId({ provider, integration }, state) };
    if (proof?.verdict === 'refused') return { verdict: 'refused', reason: proof.code };
    const reason = proof?.code ?? 'no_account_call';
    const isDown = proof?.verdict === 'unreachable' && !ASKS_LATER.has(reason);
    return { verdict: isDown ? 'unreachable' : 'unprovable', reason };
  }

  /** An account that takes a log-in without the external id lets in every user who knows its name. */
  async function isLetInWithoutId(
    { provider, integration }: Pick<Subject, 'provider' | 'integration'>,
    { variables }: CredentialState,
  ): Promise<boolean> {
    if (!hasExternalId(provider)) return false;
    const client = await deps.clientOf(integration);
    const known = templateValues({ integration: integration.variables, connection: variables });
    const request = { provider, client, variables: known, scopes: [], withoutExternalId: true };
    return (await createLogin(deps).logIn(request)).ok;
  }

  return async (connection) => {
    const checkedAt = new Date(deps.now()).toISOString();
    const { id, projectId, serviceProvider, grant } = connection;
    const [provider, integration] = await Promise.all([
      deps.providers.find(projectId, serviceProvider, grant),
      deps.findIntegration(connection),
    ]);
    if (provider === undefined || integration === undefined) {
      const missing = createFinding('provider_missing', { provider: serviceProvider });
      return { checkedAt, ok: false, findings: [missing] };
    }
    const proof = await deps.runCheck(projectId, () => prove({ connection, provider, integration }));
    const context = await deps.contextOf(integration);
    const after = (await deps.findConnection(id, projectId)) ?? connection;
    const answer = await deps.facts.refreshAnswer(after);
    const known = judgeConnection(after, answer, integration, context);
    const findings = mergeFindings([...known, ...judgeProof(proof, known, provider.name)]);
    const isFaulty = findings.some(({ severity }) => severity === 'error');
    return { checkedAt, ok: proof.verdict === 'works' && !isFaulty, findings };
  };
}

function proofOfRefresh(result: RefreshResult | 'too_often'): Proof {
  if (result === 'too_often') return { verdict: 'unprovable', reason: 'refreshed_just_now' };
  if (result.ok) return { verdict: 'works' };
  if (result.code === 'project_frozen' || result.code === 'gateway_restored')
    return { verdict: 'held', reason: result.code };
  return { verdict: result.code === 'reauthorization_required' ? 'refused' : 'failed' };
}

/** Answers of a provider that works, and wants to be asked again. */
const ASKS_LATER: ReadonlySet<string> = new Set(['http_408', 'http_425', 'http_429']);

/** What the store holds of the connection says more closely what a refused or failed proof is about. */
function judgeProof(proof: Proof, known: readonly Finding[], provider: string): Finding[] {
  const isExplained = known.some(({ code }) => code !== 'scope_not_granted');
  switch (proof.verdict) {
    case 'works':
      return [
        createFinding('connection_works', { provider }),
        ...(proof.isLetInWithoutId ? [createFinding('external_id_not_demanded', { provider })] : []),
      ];
    case 'refused':
      if (proof.reason === 'client_certificate_refused' || proof.reason === 'client_certificate_unusable')
        return [createFinding(proof.reason, { provider, origin: 'the API' })];
      return isExplained ? [] : [createFinding('credential_not_accepted', { provider, count: '1' })];
    case 'failed':
      return isExplained ? [] : [createFinding('refresh_failing', { provider, count: '1' })];
    case 'held':
      return [createFinding(proof.reason, {})];
    case 'unreachable': {
      const code = codeOfUnreachable(proof.reason.replace(/^connection_/, ''));
      const evidence = [{ label: 'Failure', value: proof.reason }];
      return [createFinding(code, { provider, origin: 'the API' }, { evidence })];
    }
    case 'unprovable':
      return [createFinding('connection_unprovable', { provider, reason: proof.reason })];
  }
}
