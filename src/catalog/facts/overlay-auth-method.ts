import { isRecord } from '../../lib/is-record.ts';
import { authorizationFields } from '../schema/provider-authorization.schema.ts';
import { tokenFields } from '../schema/provider-tokens.schema.ts';
import { withMcpDefaults } from './mcp-defaults.ts';

/** Fields of a provider file by name: as its author wrote them, or as the schema gives them back. */
export type Fields = Readonly<Record<string, unknown>>;

/** What of a grant only names it. */
export const NAMING_FIELDS: readonly string[] = ['id', 'title', 'purpose'];

/** What an entry is, however one authenticates: no grant may say otherwise. */
export const ENTRY_FIELDS: readonly string[] = ['name', 'category', 'icon', 'logoUrl', 'grants'];

/** What is written for one way to authenticate. An auth method of another kind states it again, or goes without. */
const WORDS = ['setupSteps', 'credentialHint', 'portalUrl', 'notes', 'quirks'];

const PAGE_FIELDS = [
  'authorizationUrl',
  'pkce',
  'authorizationParams',
  'optionalScopeParameter',
  'mcp',
  ...Object.keys(authorizationFields),
];
const SCOPE_FIELDS = ['scopeSeparator', 'scopeComparison', 'defaultScopes', 'scopeDescriptions'];
const CLIENT_TOKEN_FIELDS = [
  'tokenUrl',
  'revocationUrl',
  'tokenEndpointAuth',
  'tokenParams',
  'accessTokenHeader',
  'accessTokenProof',
  'tokenRequest',
  'clientAssertion',
  'tokenExchange',
  'refreshBeforeExpirySeconds',
  'tokenResponse',
  'accessTokenLifetimeSeconds',
  'refusals',
  'revocation',
  'noRevocation',
];
const REFRESH_FIELDS = ['refreshUrl', 'refreshParams', ...Object.keys(tokenFields)].filter(
  (field) => !CLIENT_TOKEN_FIELDS.includes(field),
);

/** What a log-in takes of the fields of a token endpoint. */
const LOGIN_TOKEN_FIELDS = [
  'tokenUrl',
  'tokenEndpointAuth',
  'tokenParams',
  'tokenRequest',
  'tokenResponse',
  'accessTokenHeader',
  'accessTokenLifetimeSeconds',
  'refusals',
  'refreshBeforeExpirySeconds',
];
const LOGIN_FIELDS = ['jwt', 'login', 'logout'];

/** Fields that mean something for one kind of authentication only, by kind. Every other field counts for all kinds. */
const FIELDS_OF_AUTH: Readonly<Record<string, readonly string[]>> = {
  oauth2: [...PAGE_FIELDS, ...SCOPE_FIELDS, ...CLIENT_TOKEN_FIELDS, ...REFRESH_FIELDS, 'basic'],
  'oauth2-client-credentials': [...SCOPE_FIELDS, ...CLIENT_TOKEN_FIELDS, 'basic'],
  'api-key': ['apiKey'],
  basic: ['basic'],
  'jwt-bearer': [...SCOPE_FIELDS, ...LOGIN_TOKEN_FIELDS, ...LOGIN_FIELDS],
  'token-login': [...SCOPE_FIELDS, ...LOGIN_TOKEN_FIELDS, ...LOGIN_FIELDS, 'awsSigV4'],
  'aws-sigv4': ['awsSigV4'],
  oauth1: [...PAGE_FIELDS, 'tokenUrl', 'oauth1'],
  'jwt-per-call': ['accessTokenHeader', 'jwtPerCall'],
  wsse: ['wsse'],
  'github-app': [...PAGE_FIELDS, ...LOGIN_TOKEN_FIELDS, ...LOGIN_FIELDS, 'installation'],
};

/** What grants of different kinds share where both obtain tokens: the endpoint and how it talks. */
const SHARED_TOKEN_FIELDS = [
  'tokenUrl',
  'tokenEndpointAuth',
  'tokenRequest',
  'tokenResponse',
  'accessTokenHeader',
  'accessTokenProof',
  'accessTokenLifetimeSeconds',
  'scopeSeparator',
];

/** A grant declares how its credential is proved by one of these; the entry's way is about another credential. */
const EITHER_OF_PROBE = ['probe', 'noProbe'];
/** The same for revoking: a grant with an address of its own needs no reason why there is none. */
const EITHER_OF_REVOCATION = ['revocationUrl', 'noRevocation'];

/** The kinds of authentication that use a field; undefined where all do. */
export function kindsUsing(field: string): readonly string[] | undefined {
  const kinds = Object.entries(FIELDS_OF_AUTH)
    .filter(([, fields]) => fields.includes(field))
    .map(([kind]) => kind);
  return kinds.length === 0 ? undefined : kinds;
}

function usesTokens(auth: unknown): boolean {
  return auth !== 'api-key' && auth !== 'basic';
}

/** What a grant takes over of its entry: everything of its own kind; of another kind what both have in common. */
export function inheritedFields(entry: Fields, grant: Fields): Record<string, unknown> {
  const isSameKind = entry.auth === grant.auth;
  const isKept = (field: string) => {
    if (field === 'grants' || NAMING_FIELDS.includes(field)) return field === 'id';
    // Another server with an authorization server of its own: what is said of the API does not count there.
    if (grant.mcp !== undefined) return ENTRY_FIELDS.includes(field) || field === 'docsUrl';
    if (isSameKind) return true;
    if (WORDS.includes(field)) return false;
    const kinds = kindsUsing(field);
    return kinds === undefined || (kinds.includes(String(grant.auth)) && SHARED_TOKEN_FIELDS.includes(field));
  };
  const kept = Object.fromEntries(Object.entries(entry).filter(([field]) => isKept(field)));
  if (isSameKind) return kept;
  // An application's own token belongs to no user, so the calls that identify users have no answer.
  if (grant.auth === 'oauth2-client-credentials') return without(kept, ['account', 'probe']);
  return usesTokens(grant.auth) ? kept : withoutTokens(kept);
}

/** Takes away what only a token, or the client that it was issued to, can fill. */
function withoutTokens(fields: Record<string, unknown>): Record<string, unknown> {
  const { apiHeaders, apiQuery, account, ...rest } = fields;
  return {
    ...rest,
    ...(isRecord(apiHeaders) && { apiHeaders: withoutClientValues(apiHeaders) }),
    ...(isRecord(apiQuery) && { apiQuery: withoutClientValues(apiQuery) }),
    ...(isKnownWithoutToken(account) && { account }),
  };
}

const CLIENT_VALUE = /\{(accessToken|clientId|clientSecret|clientBasic)\}/;

function withoutClientValues(templates: Fields): Fields {
  return Object.fromEntries(
    Object.entries(templates).filter(([, template]) => !CLIENT_VALUE.test(String(template))),
  );
}

function isKnownWithoutToken(account: unknown): boolean {
  if (!isRecord(account) || CLIENT_VALUE.test(JSON.stringify(account.request ?? ''))) return false;
  return ['id', 'name'].every((name) => {
    const field = account[name];
    return (
      field === undefined || (isRecord(field) && (field.from === 'request' || field.from === 'variable'))
    );
  });
}

/**
 * The fields of an entry as they are for one of its grants: what the grant says takes the place of what the entry says,
 * null takes it away, and variables are added one by one. Variables that nothing names any more go.
 */
export function overlayGrant(entry: Fields, grant: Fields): Record<string, unknown> {
  const inherited = inheritedFields(entry, grant);
  const own = Object.entries(grant).filter(
    ([field]) => !NAMING_FIELDS.includes(field) && field !== 'variables',
  );
  const replaced = [EITHER_OF_PROBE, EITHER_OF_REVOCATION].filter((fields) =>
    fields.some((field) => Object.hasOwn(grant, field)),
  );
  const merged = {
    ...without(inherited, replaced.flat()),
    ...Object.fromEntries(own),
  };
  const effective = Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
  const variables = mergeVariables(effective, grant.variables);
  const keepsTenants =
    entry.auth === grant.auth || Object.hasOwn(grant, 'tenants') || hasTenantVariable(variables);
  const kept = keepsTenants ? effective : without(effective, ['tenants']);
  return { ...withMcpDefaults(kept), variables };
}

function mergeVariables(effective: Fields, own: unknown): Record<string, unknown> {
  const inherited = isRecord(effective.variables) ? effective.variables : {};
  const given = isRecord(own) ? own : {};
  const { variables: _variables, ...rest } = effective;
  const named = JSON.stringify(rest);
  const isUsed = ([name]: readonly [string, unknown]) =>
    named.includes(`{${name}}`) || named.includes(`{${name}.`) || isAccountVariable(effective.account, name);
  const merged = { ...Object.fromEntries(Object.entries(inherited).filter(isUsed)), ...given };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** The list of an entry's tenants means nothing to a grant of another kind whose calls name none. */
function hasTenantVariable(variables: Fields): boolean {
  return Object.values(variables).some((variable) => isRecord(variable) && variable.from === 'tenant');
}

function isAccountVariable(account: unknown, name: string): boolean {
  if (!isRecord(account)) return false;
  return [account.id, account.name].some(
    (field) => isRecord(field) && field.from === 'variable' && [field.path].flat().includes(name),
  );
}

function without(fields: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)));
}
