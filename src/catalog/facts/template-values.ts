import { listPlaceholders } from '../../lib/template.ts';
import type { Provider, VariablePosition } from '../schema/provider.schema.ts';

type Values = Readonly<Record<string, string | undefined>>;

/**
 * Where the values of templates come from, the weakest first. A value that a connection was consented with outweighs what
 * the operator sets later: its tokens must not go to a host that the consent was not for.
 */
const SOURCES = [
  /** Values for what no other source gives. */
  'defaults',
  /** What was there before the authorization under way: of the connection that is authorized again, or of an earlier merge. */
  'before',
  /** What the operator set at the integration. */
  'integration',
  /** The same, sealed. */
  'integrationSecrets',
  /** What is set at the OAuth client of an organization, where it stands in the integration's place. */
  'organization',
  /** The same, sealed. */
  'organizationSecrets',
  /** What the connection was consented with: typed, given by the application, reported by the provider, or the integration's then. */
  'connection',
  /** Of an authorization under way: what its user typed, and what the callback reported. */
  'entered',
  /** What a response reported: of the token request, the account call, or the tenant. */
  'reported',
  /** The gateway's own: client id and secret, redirect URL, nonce. No variable has such a name. */
  'gateway',
  /** What is sealed with the connection: its tokens or keys, and the secrets that its user typed. */
  'credentials',
] as const;

type TemplateSources = { readonly [Source in (typeof SOURCES)[number]]?: Values | undefined };

/**
 * The values that fill the provider's templates: addresses, headers, parameters and bodies. Nothing else decides which
 * value wins. A value that is undefined counts as none.
 */
export function templateValues(sources: TemplateSources): Record<string, string> {
  const values: Record<string, string> = {};
  for (const source of SOURCES) {
    const given = sources[source];
    if (given === undefined) continue;
    for (const name of Object.keys(given)) {
      const value = given[name];
      if (value !== undefined) values[name] = value;
    }
  }
  return values;
}

/** The same for the weakest source beside values that are merged already: one copy, for each signed call. */
export function withDefaults(
  defaults: Readonly<Record<string, string>>,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return { ...defaults, ...values };
}

const HOST_POSITIONS: ReadonlySet<VariablePosition> = new Set([
  'origin',
  'host',
  'host-ending',
  'host-label',
  'port',
]);

type Addressed = Pick<Provider, 'variables' | 'authorizationUrl' | 'tokenUrl' | 'refreshUrl' | 'login'>;

/**
 * Those of the integration's values that a consent is given for, for its connection to keep: hosts, and whatever names
 * the place where tokens come from. What else the operator sets, such as the version of an API, goes on counting for all
 * connections at once.
 */
export function consentedValues(
  provider: Addressed,
  ofIntegration: Readonly<Record<string, string>>,
): Record<string, string> {
  const { variables, authorizationUrl = '', tokenUrl = '', refreshUrl = '', login } = provider;
  const urls = [authorizationUrl, tokenUrl, refreshUrl, ...(login?.steps ?? []).map(({ url }) => url)];
  const named = new Set(urls.flatMap(listPlaceholders));
  const kept = variables.filter(
    ({ name, secret, position }) => !secret && (HOST_POSITIONS.has(position) || named.has(name)),
  );
  return Object.fromEntries(
    kept.flatMap(({ name }) => {
      const value = Object.hasOwn(ofIntegration, name) ? ofIntegration[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
