import { templateValues } from '../catalog/facts/template-values.ts';
import type { AuthorizationServers } from '../credentials/mcp-servers/authorization-servers.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { redirectUriFor } from '../oauth/authorization-request.ts';
import { findInstallation } from '../oauth/installation.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound } from '../platform/outbound.ts';
import type { Target } from './connect-flow.ts';
import type { DeliveredCodes } from './delivered-codes.store.ts';
import type { EnteredValues } from './entered-values.ts';
import type { GrantResult, Grants } from './grants.ts';
import { refusalOfTokenRequest } from './refusals.ts';

/** A code that a callback brought, and what its token request is made of. */
type IssuedCode = {
  readonly target: Target;
  readonly client: OAuthClient;
  /** With the variables that the callback reported. */
  readonly entered: EnteredValues;
  readonly callbackParameters: Readonly<Record<string, string>>;
  readonly code: string;
  readonly codeVerifier: string | null;
};

export type ExchangeCodeDependencies = {
  tokenEndpoint: Pick<TokenEndpoint, 'exchangeCode'>;
  deliveredCodes: DeliveredCodes;
  grants: Pick<Grants, 'fromTokens'>;
  servers: Pick<AuthorizationServers, 'noteRefusal'>;
  grantByLogin(target: Target, entered: EnteredValues): Promise<GrantResult>;
  outbound: Outbound;
  publicUrl: string;
};

/** Exchanges codes for tokens, each once, and makes grants of them. */
export function createExchangeCode(deps: ExchangeCodeDependencies) {
  const { tokenEndpoint, publicUrl } = deps;

  async function exchange(issued: IssuedCode): Promise<GrantResult> {
    const { target, client, entered, callbackParameters, code, codeVerifier } = issued;
    const { provider, integration, known } = target;
    const redirectUrl = buildRedirectUrl(publicUrl, integration);
    const addressed = templateValues({ before: known, entered: entered.variables });
    const filled = templateValues({ before: addressed, entered: entered.secrets });
    const values = templateValues({
      integrationSecrets: client.secretVariables,
      entered: filled,
      gateway: { clientId: client.clientId },
    });
    if (!(await deps.deliveredCodes.claim(code, provider, values)))
      return { ok: false, error: 'invalid_callback' };
    const outcome = await tokenEndpoint.exchangeCode({
      provider,
      client,
      variables: filled,
      code,
      redirectUri: redirectUriFor(provider, redirectUrl, addressed) ?? redirectUrl,
      codeVerifier,
    });
    if (!outcome.ok) {
      if (provider.mcp !== undefined) {
        await deps.servers.noteRefusal(integration.id, integration.projectId, outcome);
      }
      return refusalOfTokenRequest(outcome);
    }
    if (provider.installation !== undefined) {
      return grantByInstallation(target, values, outcome.tokens.accessToken, entered);
    }
    return deps.grants.fromTokens(target, client, outcome.tokens, { entered, callbackParameters });
  }

  /**
   * The grant of an application that its user installed. The token of that user only proves that the installation is
   * theirs; what is kept is the installation's own.
   */
  async function grantByInstallation(
    target: Target,
    values: Readonly<Record<string, string>>,
    userToken: string,
    entered: EnteredValues,
  ): Promise<GrantResult> {
    const found = await findInstallation(deps, target.provider, values, userToken);
    if (found === 'theirs') return deps.grantByLogin(target, entered);
    if (found === 'foreign') return { ok: false, error: 'invalid_callback' };
    return { ok: false, error: 'provider_error', reason: 'provider_unreachable' };
  }

  return exchange;
}
