import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import {
  type CatalogProvider,
  catalogProvider,
  catalogProviderList,
  type ProvidersQuery,
  providerParams,
  providersQuery,
} from './catalog.schema.ts';
import type { Catalog } from './catalog.ts';
import type { Provider, ProviderVariable } from './provider.schema.ts';

const EVERYBODY = ['operator', 'api_key', 'end_user'] as const;

/** The catalog for reading. Nothing in it is secret, so every principal sees the same. */
export function createCatalogEndpoints(deps: { catalog: Catalog; publicUrl: string }): Endpoint[] {
  const { catalog } = deps;
  const wire = (provider: Provider) => wireProvider(provider, deps.publicUrl);

  return [
    endpoint({
      operationId: 'listProviders',
      method: 'get',
      path: '/providers',
      summary: 'List providers',
      description: 'The providers that an integration can be made for, by name.',
      tag: 'Catalog',
      principals: EVERYBODY,
      query: providersQuery,
      success: { status: 200, schema: catalogProviderList, description: 'A page of providers' },
      async handler({ query }) {
        const { providers, nextCursor } = pageOf(catalog.list(), query);
        return { body: { providers: providers.map(wire), nextCursor } };
      },
    }),
    endpoint({
      operationId: 'getProvider',
      method: 'get',
      path: '/providers/{provider}',
      summary: 'Read a provider',
      tag: 'Catalog',
      principals: EVERYBODY,
      params: providerParams,
      success: { status: 200, schema: catalogProvider, description: 'The provider' },
      errors: ['provider_unknown'],
      async handler({ params }) {
        const provider = catalog.find(params.provider);
        if (provider === undefined) throw new HttpError('provider_unknown');
        return { body: wire(provider) };
      },
    }),
  ];
}

function pageOf(providers: readonly Provider[], query: ProvidersQuery) {
  const sorted = providers.filter((provider) => matches(provider, query)).toSorted(byName);
  const start = query.cursor === undefined ? 0 : indexAfter(sorted, catalogPosition(query.cursor, providers));
  const page = sorted.slice(start, start + query.limit);
  const last = page.at(-1);
  const hasMore = start + query.limit < sorted.length;
  return {
    providers: page,
    nextCursor: hasMore && last ? Buffer.from(last.id).toString('base64url') : null,
  };
}

function matches(provider: Provider, { category, auth, search, q }: ProvidersQuery): boolean {
  if (category !== undefined && provider.category !== category) return false;
  if (auth !== undefined && provider.auth !== auth) return false;
  const text = `${provider.name} ${provider.id} ${provider.category}`.toLowerCase();
  const words = `${search ?? ''} ${q ?? ''}`.toLowerCase().split(/\s+/);
  return words.every((word) => text.includes(word));
}

function byName(left: Provider, right: Provider): number {
  return left.name.localeCompare(right.name, 'en') || left.id.localeCompare(right.id, 'en');
}

/** The provider that the page before ended with. */
function catalogPosition(cursor: string, providers: readonly Provider[]): Provider {
  const id = Buffer.from(cursor, 'base64url').toString('utf8');
  const provider = providers.find((candidate) => candidate.id === id);
  if (provider !== undefined) return provider;
  const message = 'Not a cursor of this list; take it from `nextCursor`';
  throw new HttpError('invalid_request', { errors: [{ path: 'query.cursor', message }] });
}

function indexAfter(sorted: readonly Provider[], position: Provider): number {
  const index = sorted.findIndex((provider) => byName(provider, position) > 0);
  return index === -1 ? sorted.length : index;
}

/** What callers see of a provider: how to set it up and what it asks for, never how the gateway talks to it. */
export function wireProvider(provider: Provider, publicUrl: string): CatalogProvider {
  const redirectUrl = `${publicUrl}/oauth/callback`;
  return {
    id: provider.id,
    name: provider.name,
    category: provider.category,
    logoUrl: provider.logoUrl ?? null,
    auth: provider.auth,
    apiBaseUrl: provider.apiBaseUrl,
    authorizationUrl: provider.authorizationUrl ?? null,
    tokenUrl: provider.tokenUrl ?? null,
    pkce: provider.pkce,
    scopes: {
      defaults: provider.defaultScopes,
      descriptions: provider.scopeDescriptions,
      supportsOptional: provider.optionalScopeParameter !== undefined,
    },
    variables: provider.variables.map(wireVariable),
    credentialHint: provider.credentialHint ?? null,
    supportsRevocation: provider.revocationUrl !== undefined,
    webhooks: { supported: provider.webhooks.supported, docsUrl: provider.webhooks.docsUrl ?? null },
    redirectUrl: provider.auth === 'oauth2' ? redirectUrl : null,
    setupSteps: provider.setupSteps.map((step) =>
      step
        .replaceAll('{redirectUrl}', redirectUrl)
        // The rest is known once there is an integration, which shows its `webhookUrl` in full.
        .replaceAll('{webhookUrl}', `${publicUrl}/webhooks/<integration id>`),
    ),
    docsUrl: provider.docsUrl ?? null,
  };
}

function wireVariable(variable: ProviderVariable): CatalogProvider['variables'][number] {
  return {
    name: variable.name,
    from: variable.from,
    title: variable.title ?? null,
    description: variable.description ?? null,
    example: variable.example ?? null,
    pattern: variable.pattern,
    options: variable.options ?? null,
    default: variable.default ?? null,
    secret: variable.secret,
  };
}
