import type { Provider } from '../../api/catalog.ts';

/** The form of a provider's description: a field for what most need, JSON for the rest. */
export type DescriptionForm = {
  name: string;
  id: string;
  category: Provider['category'];
  /** `mcp`: an MCP server, of which its address says the rest. */
  auth: Provider['auth'] | 'mcp';
  mcpUrl: string;
  apiBaseUrl: string;
  authorizationUrl: string;
  tokenUrl: string;
  /** With blanks between. */
  defaultScopes: string;
  scopeSeparator: string;
  tokenEndpointAuth: string;
  pkce: string;
  apiKeyIn: string;
  apiKeyName: string;
  apiKeyTemplate: string;
  docsUrl: string;
  portalUrl: string;
  /** A JSON object. */
  more: string;
};

export const EMPTY_DESCRIPTION: DescriptionForm = {
  name: '',
  id: '',
  category: 'other',
  auth: 'oauth2',
  mcpUrl: '',
  apiBaseUrl: '',
  authorizationUrl: '',
  tokenUrl: '',
  defaultScopes: '',
  scopeSeparator: ' ',
  tokenEndpointAuth: '',
  pkce: '',
  apiKeyIn: 'header',
  apiKeyName: 'Authorization',
  apiKeyTemplate: 'Bearer {apiKey}',
  docsUrl: '',
  portalUrl: '',
  more: '',
};

/** Plain texts of the description that have a field of their own under the same name. */
const TEXTS = ['name', 'apiBaseUrl', 'authorizationUrl', 'tokenUrl', 'docsUrl', 'portalUrl'] as const;
const OAUTH_ONLY: ReadonlySet<string> = new Set(['authorizationUrl', 'tokenUrl']);

type Description = Readonly<Record<string, unknown>>;

/** The description that the API takes; undefined while the JSON is none. */
export function toDescription(form: DescriptionForm): Record<string, unknown> | undefined {
  const more = readObject(form.more);
  if (more === undefined) return undefined;
  const { auth, category } = form;
  if (auth === 'mcp') return { ...toMcpDescription(form), ...more };
  const isOAuth = auth === 'oauth2' || auth === 'oauth2-client-credentials';
  const texts = TEXTS.flatMap((name) => {
    const value = form[name].trim();
    const isFitting = isOAuth || !OAUTH_ONLY.has(name);
    const isAuthorization = name === 'authorizationUrl' && auth !== 'oauth2';
    return value === '' || !isFitting || isAuthorization ? [] : [[name, value]];
  });
  const scopes = form.defaultScopes.split(/[\s,]+/).filter((scope) => scope !== '');
  return {
    id: form.id.trim(),
    category,
    auth,
    ...Object.fromEntries(texts),
    ...(isOAuth && {
      ...(scopes.length > 0 && { defaultScopes: scopes }),
      ...(form.scopeSeparator !== ' ' && { scopeSeparator: form.scopeSeparator }),
      ...(form.tokenEndpointAuth !== '' && { tokenEndpointAuth: form.tokenEndpointAuth }),
      ...(form.pkce === 'false' && { pkce: false }),
    }),
    ...(auth === 'api-key' && {
      apiKey: { in: form.apiKeyIn, name: form.apiKeyName.trim(), template: form.apiKeyTemplate },
    }),
    ...more,
  };
}

function toMcpDescription({ id, name, category, mcpUrl, docsUrl }: DescriptionForm): Record<string, unknown> {
  return {
    id: id.trim(),
    name: name.trim(),
    category,
    ...(docsUrl.trim() !== '' && { docsUrl: docsUrl.trim() }),
    mcp: { url: mcpUrl.trim() },
  };
}

/** The address, where the description says nothing else of an MCP server. */
function findMcpUrl({ auth, mcp }: Description): string | undefined {
  if (auth !== undefined || !isObject(mcp) || Object.keys(mcp).length !== 1) return undefined;
  return typeof mcp.url === 'string' ? mcp.url : undefined;
}

/** Whether a text is a JSON object, or nothing. */
export function isObjectText(text: string): boolean {
  return readObject(text) !== undefined;
}

function readObject(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The form of a description that there is: what has no field goes into the JSON. */
export function toForm(description: Description, provider: Provider): DescriptionForm {
  const { id, category, auth, defaultScopes, scopeSeparator, tokenEndpointAuth, pkce, apiKey, ...others } =
    description;
  const key = isObject(apiKey) ? apiKey : {};
  const mcpUrl = findMcpUrl(description);
  const texts = Object.fromEntries(TEXTS.map((name) => [name, asText(description[name])]));
  const rest = Object.entries(others).filter(
    ([name]) => !TEXTS.some((known) => known === name) && (name !== 'mcp' || mcpUrl === undefined),
  );
  // A field that the form cannot show as it stands must not be lost.
  const isOdd = pkce === true || pkce === null || tokenEndpointAuth === null;
  const odd = isOdd
    ? Object.entries({ pkce, tokenEndpointAuth }).filter(([, value]) => value !== undefined)
    : [];
  const more = Object.fromEntries([...rest, ...odd]);
  return {
    ...EMPTY_DESCRIPTION,
    ...texts,
    id: asText(id),
    category: provider.category,
    auth: mcpUrl === undefined ? provider.auth : 'mcp',
    mcpUrl: mcpUrl ?? '',
    defaultScopes: Array.isArray(defaultScopes) ? defaultScopes.join(' ') : '',
    scopeSeparator: asText(scopeSeparator) || ' ',
    tokenEndpointAuth: isOdd ? '' : asText(tokenEndpointAuth),
    pkce: pkce === false && !isOdd ? 'false' : '',
    apiKeyIn: asText(key.in) || 'header',
    apiKeyName: asText(key.name) || 'Authorization',
    apiKeyTemplate: asText(key.template) || 'Bearer {apiKey}',
    more: Object.keys(more).length > 0 ? JSON.stringify(more, null, 2) : '',
  };
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a PATCH has to say so that the description becomes this one: null takes a field away. */
export function describeChange(before: Description, after: Description): Record<string, unknown> {
  const gone = Object.keys(before).filter((name) => !(name in after) && name !== 'id');
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** A short name made of the full one, as the id has to look. */
export function makeId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  return plain.slice(0, 40).replace(/^-|-$/g, '');
}

/** The fields of members that the API calls otherwise. */
export const FIELDS_BY_MEMBER = {
  'apiKey.name': 'apiKeyName',
  'apiKey.in': 'apiKeyIn',
  apiKey: 'apiKeyTemplate',
  'mcp.url': 'mcpUrl',
} as const;
