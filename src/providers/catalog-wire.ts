import { findAccessKind } from '../catalog/facts/access-facts.ts';
import { credentialFields, requiredClientFields } from '../catalog/facts/asked-fields.ts';
import { sendsUsersToProvider } from '../catalog/facts/auth-kinds.ts';
import { combinePatterns } from '../catalog/facts/url-template.ts';
import { findWebhookSecretUse } from '../catalog/facts/webhook-secret.ts';
import { logoPath } from '../catalog/loading/logos.ts';
import type { Provider, ProviderVariable } from '../catalog/schema/provider.schema.ts';
import { listAuthMethods } from '../catalog/schema/provider-auth-methods.ts';
import type { CatalogProvider } from './catalog.schema.ts';
import type { CustomProviderRow } from './custom-providers.store.ts';

/** Addresses of the gateway: that of webhooks is `publicUrl` where it is left out. */
export type Origins = { readonly publicUrl: string; readonly webhookUrl?: string | undefined };

/** What callers see of a provider: how to set it up and what it asks for, never how the gateway talks to it. */
export function toProviderWire(provider: Provider, origins: Origins): CatalogProvider {
  return wireWith(provider, origins, {
    projectId: null,
    definition: null,
    redirectUrl: `${origins.publicUrl}/oauth/callback`,
  });
}

/** A project's own provider. Its integrations each have a callback address, which they show in full. */
export function toCustomProviderWire(
  { provider, row }: { provider: Provider; row: Pick<CustomProviderRow, 'projectId' | 'description'> },
  origins: Origins,
  mayManage: boolean,
): CatalogProvider {
  return wireWith(provider, origins, {
    projectId: row.projectId,
    definition: mayManage ? row.description : null,
    redirectUrl: `${origins.publicUrl}/oauth/callback/<integration id>`,
  });
}

function wireWith(
  provider: Provider,
  origins: Origins,
  {
    projectId,
    definition,
    redirectUrl,
  }: Pick<CatalogProvider, 'projectId' | 'definition'> & { redirectUrl: string },
): CatalogProvider {
  return {
    id: provider.id,
    projectId,
    name: provider.name,
    category: provider.category,
    logoUrl: provider.logoUrl ?? `${origins.publicUrl}${logoPath(provider.id)}`,
    auth: provider.auth,
    status: provider.status,
    statusDate: provider.statusDate ?? null,
    statusNote: provider.statusNote ?? null,
    evidence: provider.evidence ?? null,
    checked: provider.checked ?? null,
    apiBaseUrl: provider.apiBaseUrl,
    hosts: Object.entries(provider.hosts).map(([name, host]) => ({ name, ...host })),
    authorizationUrl: provider.authorizationUrl ?? null,
    tokenUrl: provider.tokenUrl ?? null,
    pkce: provider.pkce,
    ...wireSetup(provider, origins, redirectUrl),
    accountCall: wireAccountCall(provider),
    access: findAccessKind(provider),
    tenants: provider.tenants ? { kind: provider.tenants.kind, asked: provider.tenants.asked } : null,
    supportsRevocation: provider.revocationUrl !== undefined || provider.logout !== undefined,
    webhooks: {
      supported: provider.webhooks.supported,
      docsUrl: provider.webhooks.docsUrl ?? null,
      alternatives: Object.keys(provider.webhooks.alternatives ?? {}),
      secretUse: findWebhookSecretUse(provider),
    },
    grants: listAuthMethods(provider).map((grant) => wireGrant(grant, provider, origins, redirectUrl)),
    notes: notesOf(provider),
    definition,
  };
}

/** One way to authenticate at `entry`; `grant` is the entry as it is for that way. */
function wireGrant(
  grant: Provider,
  entry: Provider,
  origins: Origins,
  redirectUrl: string,
): CatalogProvider['grants'][number] {
  const { title, purpose } = entry.grants.find(({ id }) => id === grant.grant) ?? {};
  return {
    id: grant.grant ?? entry.auth,
    title: title ?? null,
    purpose: purpose ?? null,
    auth: grant.auth,
    apiBaseUrl: grant.apiBaseUrl,
    accountCall: wireAccountCall(grant),
    access: findAccessKind(grant),
    supportsRevocation: grant.revocationUrl !== undefined,
    operatorFields: operatorFields(grant),
    applicationFields: variableFields(grant, 'application'),
    userFields: userFields(grant),
    ...wireSetup(grant, origins, redirectUrl),
    notes: notesOf(grant),
  };
}

function notesOf({ notes, quirks, noRevocation }: Provider): string[] {
  return [...notes, ...quirks, ...(noRevocation === undefined ? [] : [noRevocation])];
}

type GrantField = CatalogProvider['grants'][number]['operatorFields'][number];

function operatorFields(grant: Provider): GrantField[] {
  const ofClient = requiredClientFields(grant).map((name) => ({
    name,
    title: null,
    secret: name === 'clientSecret',
    required: true,
  }));
  return [...ofClient, ...variableFields(grant, 'integration')];
}

function userFields(grant: Provider): GrantField[] {
  const ofCredential = credentialFields(grant).map(({ name, isRequired, isKey }) => ({
    name,
    title: null,
    secret: isKey || name === 'password',
    required: isRequired,
  }));
  return [...ofCredential, ...variableFields(grant, 'user')];
}

function variableFields({ variables }: Provider, source: ProviderVariable['from']): GrantField[] {
  return variables
    .filter(({ from }) => from === source)
    .map(({ name, title, secret, optional, default: usual }) => ({
      name: `variables.${name}`,
      title: title ?? null,
      secret,
      required: usual === undefined && optional !== true,
    }));
}

/** What it takes to set a provider up, with the addresses of this gateway filled in. */
function wireSetup(provider: Provider, { publicUrl, webhookUrl = publicUrl }: Origins, redirectUrl: string) {
  const ownRedirectUrl =
    provider.mcp === undefined ? redirectUrl : `${publicUrl}/oauth/callback/<integration id>`;
  return {
    scopes: {
      defaults: provider.defaultScopes,
      descriptions: provider.scopeDescriptions,
      supportsOptional: provider.optionalScopeParameter !== undefined,
    },
    variables: provider.variables.map(wireVariable),
    credentialHint: provider.credentialHint ?? null,
    redirectUrl: sendsUsersToProvider(provider) ? ownRedirectUrl : null,
    mcp: wireMcp(provider),
    setupSteps: provider.setupSteps.map((step) =>
      step
        .replaceAll('{redirectUrl}', ownRedirectUrl)
        // The rest is known once there is an integration, which shows its `webhookUrl` in full.
        .replaceAll('{webhookUrl}', `${webhookUrl}/webhooks/<integration id>`),
    ),
    retry: provider.retry ?? null,
    paging: provider.paging ?? null,
    rateLimit: provider.rateLimit ?? null,
    docsUrl: provider.docsUrl ?? null,
    portalUrl: provider.portalUrl ?? null,
  };
}

/** Where the proxy finds an MCP server: what follows the API base in its address. */
function wireMcp({ mcp, apiBaseUrl }: Provider): CatalogProvider['mcp'] {
  if (mcp === undefined) return null;
  const path = mcp.url.startsWith(apiBaseUrl) ? mcp.url.slice(apiBaseUrl.length) : '';
  return { url: mcp.url, path, registration: mcp.registration };
}

/** The account call where the proxy reaches it as it stands: below the API base and without variables. */
function wireAccountCall({ account, tenants, apiBaseUrl }: Provider): CatalogProvider['accountCall'] {
  const request = account?.request ?? tenants?.request;
  if (request === undefined || !request.url.startsWith(`${apiBaseUrl}/`)) return null;
  const path = request.url.slice(apiBaseUrl.length);
  return /[{}]/.test(path) ? null : { method: request.method, path };
}

function wireVariable(variable: ProviderVariable): CatalogProvider['variables'][number] {
  return {
    name: variable.name,
    from: variable.from,
    title: variable.title ?? null,
    description: variable.description ?? null,
    example: variable.example ?? null,
    pattern: combinePatterns(variable.shape, variable.ownPattern),
    options: variable.options ?? null,
    default: variable.default ?? null,
    secret: variable.secret,
    optional: variable.optional === true,
    input: variable.input ?? null,
  };
}
