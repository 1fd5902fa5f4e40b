import { templateValues } from '../catalog/facts/template-values.ts';
import { buildRedirectUrl } from '../integrations/integration-wire.ts';
import { explainRefusal } from '../oauth/known-refusals.ts';
import type { TokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { TokenFailure } from '../oauth/token-outcome.ts';
import type { Target } from './connect-flow.ts';
import type { EnteredValues } from './entered-values.ts';
import type { GrantResult, Grants } from './grants.ts';
import { type Refusal, refusalOfLogin, refusalOfOperators, refusalOfTokenRequest } from './refusals.ts';

/** Grants that the gateway obtains by a token request alone, without the provider's page. */
export function createDirectGrants({
  tokenEndpoint,
  publicUrl,
  ...deps
}: {
  tokenEndpoint: Pick<TokenEndpoint, 'clientCredentials' | 'logIn'>;
  grants: Pick<Grants, 'fromTokens'>;
  clientOf(integration: Target['integration']): Promise<OAuthClient>;
  publicUrl: string;
}) {
  /**
   * The grant of a provider that knows only the integration's own client (RFC 6749 4.4): the browser is not redirected.
   */
  async function grantByClient(target: Target, entered: EnteredValues): Promise<GrantResult> {
    const { provider, integration, known } = target;
    const client = await deps.clientOf(integration);
    const variables = enteredValues(known, entered);
    const outcome = await tokenEndpoint.clientCredentials({
      provider,
      client,
      variables,
      redirectUrl: buildRedirectUrl(publicUrl, integration),
      scopes: integration.scopes,
    });
    if (!outcome.ok) return refusalKnownTo(target, outcome, variables) ?? refusalOfTokenRequest(outcome);
    return deps.grants.fromTokens(target, client, outcome.tokens, {
      entered,
      callbackParameters: {},
    });
  }

  /**
   * The grant of a provider at which the gateway itself logs in, with what the user typed and the operator set: it is one
   * only if the provider takes it.
   */
  async function grantByLogin(target: Target, entered: EnteredValues): Promise<GrantResult> {
    const { provider, integration, known } = target;
    const client = await deps.clientOf(integration);
    const variables = enteredValues(known, entered);
    const outcome = await tokenEndpoint.logIn({ provider, client, variables, scopes: integration.scopes });
    if (!outcome.ok) return refusalKnownTo(target, outcome, variables) ?? refusalOfLogin(outcome, provider);
    return deps.grants.fromTokens(target, client, outcome.tokens, {
      entered,
      callbackParameters: {},
    });
  }

  return { grantByClient, grantByLogin };
}

/** A refusal that the provider's file knows: the operator has something to do at the provider. */
function refusalKnownTo(
  { provider, integration }: Target,
  failure: TokenFailure,
  variables: Readonly<Record<string, string>>,
): Refusal | undefined {
  const gateway = { clientId: integration.clientId ?? undefined };
  const advice = explainRefusal(provider, failure, templateValues({ connection: variables, gateway }));
  return advice === undefined ? undefined : refusalOfOperators(failure, advice);
}

function enteredValues(
  before: Readonly<Record<string, string>>,
  { variables, secrets }: EnteredValues,
): Record<string, string> {
  return templateValues({ before, entered: variables, credentials: secrets });
}
