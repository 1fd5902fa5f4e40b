import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import { templateValues } from '../catalog/facts/template-values.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { listCallTemplateNames, listTexts } from '../lib/call-template.ts';
import { fillParameters } from '../oauth/authorization-request.ts';
import { createLogin, prepareLogout } from '../oauth/login.ts';
import { requestTemporaryToken, requestUserToken } from '../oauth/oauth1-flow.ts';
import type { OAuthClient } from '../oauth/token-message.ts';
import type { OutboundRequest } from '../platform/outbound.ts';
import { captureRequests } from './capture.ts';
import { placeMember } from './place-member.ts';
import type { Samples } from './samples.ts';

type Asked = { readonly provider: Provider; readonly client: OAuthClient; readonly samples: Samples };

type LoginRequests = {
  /** In the order in which they are sent. */
  readonly steps: readonly OutboundRequest[];
  readonly refresh: OutboundRequest | undefined;
  readonly logout: OutboundRequest | undefined;
};

/** The requests of a provider that the gateway logs in at; none for all others, and where a file to sign with lacks. */
export async function dryRunLogin({ provider, client, samples }: Asked): Promise<LoginRequests> {
  const { login, logout } = provider;
  const { standIns, variables } = samples;
  if (login === undefined) return { steps: [], refresh: undefined, logout: undefined };
  const target = { provider, client, variables };
  const scopes = provider.defaultScopes.length > 0 ? provider.defaultScopes : [standIns.of('scopes')];
  const ask = (refreshToken: string | null) =>
    captureRequests(answerOf(provider, samples), (outbound) =>
      createLogin({ outbound }).logIn({ ...target, scopes, refreshToken }),
    );
  const refresh = login.refresh && (await ask(standIns.of('refreshToken')))[0];
  return { steps: await ask(null), refresh, logout: logout && endOf(logout, target, standIns) };
}

function endOf(
  logout: NonNullable<Provider['logout']>,
  target: Omit<Asked, 'samples'> & { readonly variables: Readonly<Record<string, string>> },
  standIns: Samples['standIns'],
): OutboundRequest | undefined {
  const message = prepareLogout(logout, { ...target, accessToken: standIns.of('accessToken') })?.messages[0];
  if (message === undefined) return undefined;
  const { body, ...rest } = message;
  return { ...rest, ...(body !== undefined && { body }) };
}

/** An answer that has everything that any step of the log-in is read for. */
function answerOf({ login, logout, tokenResponse, variables }: Provider, { standIns, ...samples }: Samples) {
  const body: Record<string, unknown> = {};
  const headers: Record<string, string | string[]> = {};
  const place = (path: string, value: string) => {
    const [, inHeaders] = /^headers\.(.+)$/.exec(path) ?? [];
    const [, inCookies] = /^cookies\.(.+)$/.exec(path) ?? [];
    if (inHeaders !== undefined) headers[inHeaders] = value;
    else if (inCookies !== undefined) headers['set-cookie'] = [`${inCookies}=${value}`];
    else placeMember(body, path.replace(/^step\d\./, ''), value);
  };
  for (const name of listTexts([login, logout]).flatMap(listCallTemplateNames))
    if (/^step\d\./.test(name)) place(name, standIns.of(name.replace(/^step\d\./, '')));
  for (const { name, from, path = name } of variables)
    if (from === 'token-response') place(path, samples.variables[name] ?? standIns.of(name));
  for (const path of [tokenResponse.accessToken].flat()) place(path, standIns.of('accessToken'));
  if (tokenResponse.okMember) placeMember(body, tokenResponse.okMember.path, tokenResponse.okMember.value);
  return { headers, body: JSON.stringify(body) };
}

type OAuth1Requests = {
  readonly temporaryToken: OutboundRequest | undefined;
  readonly authorization: OutboundRequest | undefined;
  readonly token: OutboundRequest | undefined;
};

/** What a provider of OAuth 1.0a is asked before it knows the user (RFC 5849 section 2); nothing where users paste tokens. */
export async function dryRunOAuth1(asked: Asked, redirectUri: string): Promise<OAuth1Requests> {
  const { provider, client, samples } = asked;
  const { standIns, variables } = samples;
  if (provider.auth !== 'oauth1' || provider.oauth1?.requestTokenUrl === undefined)
    return { temporaryToken: undefined, authorization: undefined, token: undefined };
  const context = { provider, client, variables };
  const answer = { body: `oauth_token=${standIns.of('token')}&oauth_token_secret=${standIns.of('secret')}` };
  const callbackUrl = `${redirectUri}?state=${standIns.of('state')}`;
  const temporary = { key: standIns.of('temporaryToken'), secret: standIns.of('temporaryTokenSecret') };
  const [temporaryToken] = await captureRequests(answer, (outbound) =>
    requestTemporaryToken(outbound, context, callbackUrl),
  );
  const [token] = await captureRequests(answer, (outbound) =>
    requestUserToken(outbound, context, temporary, standIns.of('verifier')),
  );
  const page = resolveUrl(
    provider.authorizationUrl ?? '',
    provider,
    templateValues({ entered: variables, gateway: { clientId: client.clientId } }),
  );
  if (!page.ok) return { temporaryToken, authorization: undefined, token };
  const url = new URL(page.url);
  for (const [name, value] of Object.entries(fillParameters(provider.authorizationParams, variables)))
    url.searchParams.append(name, value);
  url.searchParams.append('oauth_token', temporary.key);
  return { temporaryToken, authorization: { url: url.href }, token };
}
