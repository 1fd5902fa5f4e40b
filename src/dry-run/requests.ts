import type { StandIns } from '../catalog/facts/placeholders.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { createAccountRequest } from '../oauth/account.ts';
import {
  authorizationRequestUrl,
  buildAuthorizationParameters,
  redirectUriFor,
} from '../oauth/authorization-request.ts';
import { prepareRevocation } from '../oauth/prepare-revocation.ts';
import { proveCredential } from '../oauth/probe.ts';
import { createTokenEndpoint } from '../oauth/token-endpoint.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { Outbound, OutboundRequest } from '../platform/outbound.ts';
import { isCustomId } from '../providers/custom-description.ts';
import type { ProviderRequest, ProviderRequests } from '../providers/custom-providers.schema.ts';
import { captureRequests } from './capture.ts';
import { dryRunLogin, dryRunOAuth1 } from './logins.ts';
import { placeMember } from './place-member.ts';
import { samplePrivateKey } from './sample-files.ts';
import type { Samples } from './samples.ts';

/**
 * What this provider would be sent to authorize, refresh, revoke and read the account. The very functions that send do
 * the building; what they hand to the network is kept instead.
 */
export async function dryRunOAuth(
  provider: Provider,
  samples: Samples,
  publicUrl: string,
): Promise<Omit<ProviderRequests, 'call' | 'registration'>> {
  const { standIns, variables, credentials } = samples;
  const shared = `${publicUrl}/oauth/callback`;
  const redirectUri =
    isCustomId(provider.id) || provider.mcp !== undefined
      ? `${shared}/${standIns.of('integration id')}`
      : shared;
  const client = await sampleClient(provider, standIns);
  const shown = (request: OutboundRequest | undefined) => showRequest(standIns, request);
  const [token, tokenExchange] = await captureRequest(provider, standIns, (outbound) =>
    requestTokens(provider, outbound, { client, variables, standIns, redirectUri }),
  );
  const tokens = { accessToken: standIns.of('accessToken'), refreshToken: standIns.of('refreshToken') };
  const asked = { provider, client, samples };
  const login = await dryRunLogin(asked);
  const oauth1 = await dryRunOAuth1(asked, redirectUri);
  const { accessTokenProof } = credentials;
  const values = templateValues({ connection: variables, credentials: { accessTokenProof } });
  const redirectUrl = redirectUriFor(provider, redirectUri, variables) ?? redirectUri;
  const target = { provider, client, variables: values, redirectUrl, ...tokens };
  const [refresh] = await captureRequest(provider, standIns, async (outbound) => {
    if (provider.auth !== 'oauth2') return;
    const endpoint = createTokenEndpoint({ outbound });
    await (provider.refreshWith === 'access_token' ? endpoint.renew(target) : endpoint.refresh(target));
  });
  const [revocation] = await captureRequest(provider, standIns, async (outbound) => {
    const request = provider.auth === 'oauth2' ? prepareRevocation(target) : undefined;
    if (request !== undefined) await createTokenEndpoint({ outbound }).revoke(request);
  });
  const [account] = await captureRequest(provider, standIns, async (outbound) => {
    if (provider.account?.request) await createAccountRequest({ outbound }, provider, credentials)(variables);
  });
  const [probe] = await captureRequest(provider, standIns, async (outbound) => {
    if (provider.probe?.url)
      await proveCredential({ outbound }, provider, templateValues({ connection: variables, credentials }));
  });
  return {
    temporaryToken: shown(oauth1.temporaryToken),
    authorization: authorizationOf(provider, samples, redirectUri) ?? shown(oauth1.authorization),
    logIn: login.steps.flatMap((step) => shown(step) ?? []),
    token: shown(token ?? oauth1.token),
    tokenExchange: shown(tokenExchange),
    refresh: shown(refresh ?? login.refresh),
    revocation: shown(revocation ?? login.logout),
    probe: shown(probe),
    account: shown(account),
  };
}

/** What `work` gives to the network, which answers as the provider would with good tokens. */
async function captureRequest(
  provider: Provider,
  standIns: StandIns,
  work: (outbound: Outbound) => Promise<unknown>,
): Promise<OutboundRequest[]> {
  return captureRequests({ body: JSON.stringify(answerOf(provider, standIns)) }, work);
}

function requestTokens(
  provider: Provider,
  outbound: Outbound,
  context: {
    client: OAuthClient;
    variables: Readonly<Record<string, string>>;
    standIns: StandIns;
    redirectUri: string;
  },
): Promise<unknown> {
  const { client, variables, standIns, redirectUri } = context;
  const endpoint = createTokenEndpoint({ outbound });
  const target = { provider, client, variables };
  if (provider.auth === 'oauth2-client-credentials') {
    return endpoint.clientCredentials({ ...target, scopes: scopesOf(provider, standIns) });
  }
  if (provider.auth !== 'oauth2') return Promise.resolve();
  return endpoint.exchangeCode({
    ...target,
    code: standIns.of('code'),
    redirectUri: redirectUriFor(provider, redirectUri, variables) ?? redirectUri,
    codeVerifier: provider.pkce ? standIns.of('codeVerifier') : null,
  });
}

function authorizationOf(
  provider: Provider,
  { standIns, variables, credentials }: Samples,
  ourRedirectUri: string,
): ProviderRequest | null {
  const clientId = credentials.clientId ?? '';
  const url = resolveUrl(
    provider.authorizationUrl ?? '',
    provider,
    templateValues({ entered: variables, gateway: { clientId } }),
  );
  const redirectUri = redirectUriFor(provider, ourRedirectUri, variables);
  if (provider.auth !== 'oauth2' || !url.ok || redirectUri === undefined) return null;
  const parameters = buildAuthorizationParameters({
    provider,
    integration: { clientId, scopes: scopesOf(provider, standIns), optionalScopes: [] },
    redirectUri,
    state: standIns.of('state'),
    codeChallenge: provider.pkce ? standIns.of('codeChallenge') : undefined,
    nonce: standIns.of('nonce'),
    variables,
  });
  const address = authorizationRequestUrl(url.url, parameters, provider.authorizationFragment);
  return showRequest(standIns, { url: address });
}

function scopesOf({ defaultScopes }: Provider, standIns: StandIns): readonly string[] {
  return defaultScopes.length > 0 ? defaultScopes : [standIns.of('scopes')];
}

/** A provider that wants signed assertions gets one by a key made for this dry run, which then shows as such. */
async function sampleClient({ clientAssertion }: Provider, standIns: StandIns): Promise<OAuthClient> {
  const clientId = standIns.of('clientId');
  if (clientAssertion === undefined) return { clientId, clientSecrets: [standIns.of('clientSecret')] };
  return { clientId, clientSecrets: [await samplePrivateKey(clientAssertion.alg)] };
}

/** A token response that the provider's own rules read as good, so that a second request follows where there is one. */
function answerOf({ tokenResponse, tokenExchange }: Provider, standIns: StandIns): Record<string, unknown> {
  const answer: Record<string, unknown> = {};
  const accessTokenPaths = [tokenResponse.accessToken, tokenExchange?.accessToken ?? []].flat();
  for (const path of accessTokenPaths) placeMember(answer, path, standIns.of('accessToken'));
  if (tokenResponse.okMember) placeMember(answer, tokenResponse.okMember.path, tokenResponse.okMember.value);
  return answer;
}

/** A request as it is shown: stand-ins by name. */
export function showRequest(
  { reveal }: StandIns,
  request: OutboundRequest | undefined,
): ProviderRequest | null {
  if (request === undefined) return null;
  const { method = 'GET', url, headers = {}, body } = request;
  return {
    method,
    url: reveal(url),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, reveal(value)])),
    body: body === undefined ? null : reveal(body.toString()),
  };
}
