import type { components } from '../../../../../../clients/node/src/api.ts';
import type { Provider } from '../../api/catalog.ts';

export type Integration = components['schemas']['Integration'];

/** What the forms of an integration hold. */
export type FormValues = {
  /** For end users; empty: the provider's. */
  name: string;
  /** In base64; null: the provider's again; undefined: as it was. */
  logo: string | null | undefined;
  hasLargeLogo: boolean;
  clientId: string;
  clientSecret: string;
  /** A day, as the browser's date field has it. */
  secretExpires: string;
  webhookSecret: string;
  scopes: string[];
  optionalScopes: string[];
  variables: Record<string, string>;
  /** `name=value` lines. */
  parameters: string;
  /** One of the provider's `webhooks.alternatives`; empty for the usual way of signing. */
  webhookScheme: string;
  /** Addresses of documents that describe the API, one in a line. */
  documents: string;
};

/** The fields of members that the API calls otherwise. */
export const FIELDS_BY_MEMBER = {
  secretExpiresAt: 'secretExpires',
  'settings.authorizationParams': 'parameters',
  'settings.webhookScheme': 'webhookScheme',
  'settings.openapi': 'documents',
} as const;

/** Whether the operator registers a client at the provider, or each user brings credentials of their own. */
export function hasClient({ auth }: Pick<Provider, 'auth'>): boolean {
  return ['oauth2', 'oauth2-client-credentials', 'github-app', 'oauth1'].includes(auth);
}

/** Whether the gateway brings its own client, as it does at most MCP servers. */
export function bringsClient({ mcp }: Pick<Provider, 'mcp'>): boolean {
  return mcp?.registration === 'automatic';
}

/** Whether tokens are asked for with scopes: an application that is installed has permissions of its own. */
export function usesScopes(provider: Pick<Provider, 'auth' | 'scopes'>): boolean {
  if (provider.auth === 'jwt-bearer') return provider.scopes.defaults.length > 0;
  return hasClient(provider) && provider.auth !== 'github-app';
}

/** The variables that the operator fills in. */
export function integrationVariables({ variables }: Provider): Provider['variables'] {
  return variables.filter(({ from }) => from === 'integration');
}

/** The variables that users are asked for, or the application. The operator may say them for all users. */
export function userVariables({ variables }: Provider): Provider['variables'] {
  return variables.filter(({ from }) => from === 'user' || from === 'application');
}

/** Whether a client has to be registered at the provider: where the gateway gets one by itself, nothing has to be. */
export function needsRegistering(
  { authorizationServer, clientId }: Pick<Integration, 'authorizationServer' | 'clientId'>,
  provider: Pick<Provider, 'mcp'>,
): boolean {
  const { clientBy } = authorizationServer ?? { clientBy: null };
  if (clientBy !== null) return clientBy === 'operator';
  return clientId !== null || !bringsClient(provider);
}

/** An empty form, with what the provider's documentation suggests. */
export function emptyValues(provider: Provider): FormValues {
  return {
    name: '',
    logo: undefined,
    hasLargeLogo: false,
    clientId: '',
    clientSecret: '',
    secretExpires: '',
    webhookSecret: '',
    scopes: [...provider.scopes.defaults],
    optionalScopes: [],
    variables: knownVariables(provider, {}),
    parameters: '',
    webhookScheme: '',
    documents: '',
  };
}

/** The form of an integration that there is. Secrets are not known. */
export function readValues(integration: Integration, provider: Provider): FormValues {
  const parameters = Object.entries(integration.settings.authorizationParams ?? {});
  return {
    ...emptyValues(provider),
    name: integration.name ?? '',
    clientId: integration.clientId ?? '',
    scopes: [...integration.scopes],
    optionalScopes: [...integration.optionalScopes],
    variables: knownVariables(provider, integration.variables),
    parameters: parameters.map(([name, value]) => `${name}=${value}`).join('\n'),
    webhookScheme: integration.settings.webhookScheme ?? '',
    documents: (integration.settings.openapi ?? []).join('\n'),
  };
}

function knownVariables(provider: Provider, known: Readonly<Record<string, string>>): Record<string, string> {
  const usual = integrationVariables(provider).map(({ name, default: value }) => [name, value ?? '']);
  // A usual value of users' variables is the connect page's to offer.
  const asked = userVariables(provider).map(({ name }) => [name, '']);
  const values: Record<string, string> = Object.fromEntries([...usual, ...asked]);
  for (const name of Object.keys(values)) values[name] = known[name] ?? values[name] ?? '';
  return values;
}

/** The lines as parameters; undefined where one has no `=`. */
export function readParameters(text: string): Record<string, string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf('=');
    return at < 1 ? ['', ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return pairs.some(([name]) => name === '') ? undefined : Object.fromEntries(pairs);
}

/** What the API takes of the form: nothing that is empty, since empty is not the same as left out. */
export function buildBody(values: FormValues, provider: Provider) {
  const parameters = readParameters(values.parameters) ?? {};
  const documents = values.documents.split(/\s+/).filter(Boolean);
  return {
    ...(hasClient(provider) && {
      ...filled('clientId', values.clientId.trim()),
      ...filled('clientSecret', values.clientSecret.trim()),
      ...filled('secretExpiresAt', toInstant(values.secretExpires)),
    }),
    ...(usesScopes(provider) && { scopes: values.scopes, optionalScopes: values.optionalScopes }),
    ...filled('webhookSecret', values.webhookSecret.trim()),
    variables: filledVariables(values.variables),
    settings: {
      ...(Object.keys(parameters).length > 0 && { authorizationParams: parameters }),
      ...filled('webhookScheme', values.webhookScheme),
      ...(documents.length > 0 && { openapi: documents }),
    },
  };
}

/** The same for an integration that there is, with how end users see it. What the form does not show is kept. */
export function buildChange(
  values: FormValues,
  provider: Provider,
  { settings }: Pick<Integration, 'settings'>,
) {
  const body = buildBody(values, provider);
  const { readingTools } = settings;
  return {
    ...body,
    settings: { ...body.settings, ...(readingTools && { readingTools }) },
    name: values.name.trim() || null,
    ...(values.logo !== undefined && { logo: values.logo }),
  };
}

export function filledVariables(variables: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(variables).map(([name, value]): [string, string] => [name, value.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

/** The end of a day in UTC; undefined for no day. */
export function toInstant(day: string): string | undefined {
  return day === '' ? undefined : `${day}T23:59:59.000Z`;
}

function filled<N extends string>(name: N, value: string | undefined): { [K in N]?: string } {
  const given: { [K in N]?: string } = {};
  if (value) given[name] = value;
  return given;
}
