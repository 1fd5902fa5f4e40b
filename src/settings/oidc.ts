import { ConfigurationError } from './configuration-error.ts';
import type { Environment, ROLES } from './environment.ts';

/** The identity provider that operators may sign in with. */
export type OidcConfig = Readonly<{
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** In lower case. Empty: an operator must exist, or be invited, before single sign-on works. */
  allowedDomains: readonly string[];
  /** What a newcomer becomes in every project there is; undefined: a member of none. */
  defaultRole: (typeof ROLES)[number] | undefined;
}>;

/** Undefined where no setting of single sign-on is there. Throws ConfigurationError where one is missing or faulty. */
export function oidcFrom(env: Environment): OidcConfig | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_ALLOWED_DOMAINS, OIDC_DEFAULT_ROLE } = env;
  const needed = { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  const isNamed = missing.length < 3 || OIDC_ALLOWED_DOMAINS !== undefined || OIDC_DEFAULT_ROLE !== undefined;
  if (!isNamed) return undefined;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined || OIDC_CLIENT_SECRET === undefined) {
    throw new ConfigurationError(
      `${missing.join(', ')}: needed for single sign-on, beside the other OIDC_ settings`,
    );
  }
  return {
    issuer: issuerFrom(OIDC_ISSUER, env.ALLOW_PRIVATE_NETWORKS),
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    allowedDomains: domainsFrom(OIDC_ALLOWED_DOMAINS),
    defaultRole: OIDC_DEFAULT_ROLE,
  };
}

/** OpenID Connect Discovery 1.0 section 3: an https URL without query and fragment, compared to the letter. */
function issuerFrom(text: string, allowsHttp: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || (allowsHttp && url?.protocol === 'http:');
  if (isWeb && url?.search === '' && url.hash === '' && url.username === '') return text;
  throw new ConfigurationError(
    'OIDC_ISSUER: an https URL without query, as the identity provider names itself in its discovery document',
  );
}

function domainsFrom(text: string | undefined): string[] {
  const domains = (text ?? '')
    .split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');
  if (domains.every((domain) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))) return domains;
  throw new ConfigurationError('OIDC_ALLOWED_DOMAINS: domains of e-mail addresses, separated by commas');
}
