import { createHmac } from 'node:crypto';
import { listCallTemplateNames, listTexts } from '../../lib/call-template.ts';
import { listPlaceholders } from '../../lib/template.ts';
import type { Provider } from '../schema/provider.schema.ts';

type Texts = Readonly<Record<string, string>>;
type ApiTemplates = Pick<Provider, 'apiHeaders' | 'apiQuery' | 'account' | 'probe' | 'tenants' | 'oauth1'>;

/** Values that need the client secret. */
const SECRET_VALUES = ['clientSecret', 'clientBasic'];
const CLIENT_VALUES: ReadonlySet<string> = new Set(['clientId', ...SECRET_VALUES]);

/** True where calls of the API carry the client secret, or a signature that shows it. */
export function sendsClientSecret({
  oauth1,
  apiHeaders,
  apiQuery,
  account,
  probe,
  tenants,
}: ApiTemplates): boolean {
  if (oauth1?.signatureMethod === 'PLAINTEXT') return true;
  const requests = [account?.request, probe, tenants?.request];
  const ofRequests = requests.map((request) => request?.headers ?? {});
  const templates = [apiHeaders, apiQuery, ...ofRequests].flatMap(Object.values<string>);
  return templates.some((template) =>
    listPlaceholders(template).some((name) => SECRET_VALUES.includes(name)),
  );
}

/** True where calls of the API cannot be made without the client secret. */
export function needsClientSecret(provider: ApiTemplates & Pick<Provider, 'accessTokenProof'>): boolean {
  return (
    provider.accessTokenProof !== undefined || provider.oauth1 !== undefined || sendsClientSecret(provider)
  );
}

type ClientUses = Parameters<typeof needsClientSecret>[0] &
  Pick<Provider, 'authorizationUrl' | 'jwt' | 'login' | 'logout' | 'jwtPerCall'>;

/** True where the integration's client id or secret is part of a sign-in, of a log-in or of calls. */
export function usesClient(provider: ClientUses): boolean {
  const { authorizationUrl, apiHeaders, apiQuery, account, probe, tenants } = provider;
  if (authorizationUrl !== undefined || needsClientSecret(provider)) return true;
  const ofLogin = listTexts([provider.jwt, provider.login, provider.logout, provider.jwtPerCall]);
  const ofCalls = listTexts([apiHeaders, apiQuery, account?.request, probe, tenants?.request]);
  return [...ofLogin, ...ofCalls].flatMap(listCallTemplateNames).some((name) => CLIENT_VALUES.has(name));
}

/** The integration's client values for templates of API calls; the secret only where the provider needs it. */
export function clientValues(
  provider: Parameters<typeof needsClientSecret>[0],
  clientId: string,
  clientSecret: string | undefined,
): Record<string, string> {
  if (clientSecret === undefined || !needsClientSecret(provider)) return { clientId };
  // As Basic has it (RFC 7617 section 2).
  const clientBasic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return { clientId, clientSecret, clientBasic };
}

/**
 * The parameter by which a call with the access token among `values` proves the client behind it; nothing where the
 * provider wants none or the secret is not known. A value `accessTokenProof` stands for it where nothing is sent.
 */
export function proofParameter(
  { accessTokenProof }: Pick<Provider, 'accessTokenProof'>,
  values: Texts,
): Record<string, string> {
  const { accessToken, clientSecret } = values;
  if (accessTokenProof === undefined || accessToken === undefined || clientSecret === undefined) return {};
  const proof =
    values.accessTokenProof ?? createHmac('sha256', clientSecret).update(accessToken).digest('hex');
  return { [accessTokenProof.parameter]: proof };
}
