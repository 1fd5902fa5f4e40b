import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Catalog } from '../catalog/loading/catalog.ts';
import { oncePerCatalog } from '../catalog/loading/replaceable-catalog.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import { formatEtag } from '../http/conditional.ts';
import { type Endpoint, endpoint } from '../http/endpoint.ts';
import { HttpError } from '../http/errors.ts';
import { decodePosition, encodePosition } from '../http/list-position.ts';
import type { Principal } from '../http/principal.ts';
import { serializeDeclaredBody } from '../http/reply.ts';
import { mapInTurns } from '../lib/take-turns.ts';
import {
  type CatalogProvider,
  catalogProvider,
  catalogProviderList,
  type ProvidersQuery,
  providerParams,
  providerQuery,
  providersQuery,
} from './catalog.schema.ts';
import { type Origins, toCustomProviderWire, toProviderWire } from './catalog-wire.ts';
import { isCustomId } from './custom-description.ts';
import type { CustomProvider } from './custom-providers.ts';
import { unknownProviderError } from './unknown-provider.ts';

/** JSON of providers that one turn of the event loop writes: some eight entries, which take 10 ms when they are the first. */
const LENGTH_PER_TURN = 24 * 1024;
/** Of projects' own providers as JSON, all together. */
const OWN_TEXTS_LENGTH_MAX = 16 * 1024 * 1024;

const ALL_PRINCIPALS = ['operator', 'api_key', 'end_user'] as const;

/** A provider as it is listed: one of the catalog, or one of a project with what it was made of. */
type Listed = { readonly provider: Provider; readonly row?: CustomProvider['row'] | undefined };

/** The providers that the given projects describe themselves. */
type CustomProvidersReader = {
  list(projectIds: readonly string[]): Promise<CustomProvider[]>;
  find(id: string, projectIds: readonly string[]): Promise<CustomProvider[]>;
};

/**
 * The catalog for reading, with the caller's own providers after it. Nothing in the catalog is secret, so every
 * principal sees the same of it; a project's own providers are its own.
 */
export function createCatalogEndpoints(deps: {
  catalog: Catalog;
  custom: CustomProvidersReader;
  projectsOf(principal: Principal): Promise<string[]>;
  origins: Origins;
}): Endpoint[] {
  const { catalog, custom, origins } = deps;
  const readEntries = oncePerCatalog(catalog, readBuiltIn);
  const builtInTexts = new WeakMap<Provider, string>();
  const ownTexts = new LRUCache<string, string>({ maxSize: OWN_TEXTS_LENGTH_MAX });

  async function readBuiltIn(): Promise<readonly Entry[]> {
    const providers = await catalog.all();
    return sortEntries(providers.map((provider) => entryOf({ provider })));
  }

  /** The provider as JSON, written once; `length` is what was written now. */
  function writeText(principal: Principal, item: Listed): { result: string; length: number } {
    const { provider, row } = item;
    const key = row && `${row.id} ${row.version} ${mayManage(principal)}`;
    const known = key === undefined ? builtInTexts.get(provider) : ownTexts.get(key);
    if (known !== undefined) return { result: known, length: 0 };
    const text =
      serializeDeclaredBody(catalogProvider, toWire(principal, item, origins), 'listProviders') ?? '';
    if (key === undefined) builtInTexts.set(provider, text);
    else ownTexts.set(key, text, { size: 1 + text.length });
    return { result: text, length: text.length };
  }

  return [
    endpoint({
      operationId: 'listProviders',
      method: 'get',
      path: '/providers',
      summary: 'List providers',
      description:
        'The providers that an integration can be made for, by name; those that the project describes itself come last.',
      tag: 'Catalog',
      principals: ALL_PRINCIPALS,
      leastRole: 'anyone',
      keyScope: 'none',
      query: providersQuery,
      success: { status: 200, schema: catalogProviderList, description: 'A page of providers' },
      async handler({ principal, query }) {
        const own = await custom.list(await selectProjects(deps, principal, query.projectId));
        const builtIn = await readEntries();
        const { items, nextCursor } = pageOf([...builtIn, ...sortEntries(own.map(entryOf))], query);
        const texts = await mapInTurns(items, LENGTH_PER_TURN, (item) => writeText(principal, item));
        return { bodyText: `{"providers":[${texts.join()}],"nextCursor":${JSON.stringify(nextCursor)}}` };
      },
    }),
    endpoint({
      operationId: 'getProvider',
      method: 'get',
      path: '/providers/{provider}',
      summary: 'Read a provider',
      tag: 'Catalog',
      principals: ALL_PRINCIPALS,
      leastRole: 'viewer',
      keyScope: 'none',
      params: providerParams,
      query: providerQuery,
      success: { status: 200, schema: catalogProvider, description: 'The provider' },
      errors: ['provider_unknown'],
      async handler({ principal, params, query }) {
        if (isCustomId(params.provider)) {
          const projectIds = await selectProjects(deps, principal, query.projectId);
          const found = requireSingle(await custom.find(params.provider, projectIds));
          return { body: toWire(principal, found, origins), etag: formatEtag(found.row.version) };
        }
        const provider = catalog.find(params.provider);
        if (provider === undefined) throw unknownProviderError(params.provider, catalog.ids());
        return { body: toProviderWire(provider, origins) };
      },
    }),
  ];
}

/** The projects whose own providers a request is about. Throws nothing: a foreign project just has none to show. */
export async function selectProjects(
  deps: { projectsOf(principal: Principal): Promise<string[]> },
  principal: Principal,
  asked: string | undefined,
): Promise<string[]> {
  const visible = await deps.projectsOf(principal);
  return asked === undefined ? visible : visible.filter((id) => id === asked);
}

/** The one that was found. Throws `provider_unknown`, or `invalid_request` where an operator's projects share the id. */
export function requireSingle<Found>(found: readonly Found[]): Found {
  const [first, second] = found;
  if (first === undefined) throw new HttpError('provider_unknown');
  if (second === undefined) return first;
  const message = 'required: several of your projects have a provider of this id';
  throw new HttpError('invalid_request', { errors: [{ path: 'query.projectId', message }] });
}

function toWire(principal: Principal, { provider, row }: Listed, origins: Origins): CatalogProvider {
  if (row === undefined) return toProviderWire(provider, origins);
  return toCustomProviderWire({ provider, row }, origins, mayManage(principal));
}

function mayManage({ kind }: Principal): boolean {
  return kind !== 'end_user';
}

/** The order of the list, and what a cursor remembers of its last item. */
type Position = readonly [rank: number, name: string, id: string, projectId: string];

/** A provider with what it is sorted and searched by, worked out once. */
type Entry = { readonly item: Listed; readonly position: Position; readonly text: string };

function entryOf(item: Listed): Entry {
  const { provider, row } = item;
  return {
    item,
    position: [row === undefined ? 0 : 1, provider.name, provider.id, row?.projectId ?? ''],
    text: `${provider.name} ${provider.id} ${provider.category}`.toLowerCase(),
  };
}

function sortEntries(entries: readonly Entry[]): Entry[] {
  return entries.toSorted((left, right) => compare(left.position, right.position));
}

/** The entries come in their order. */
function pageOf(entries: readonly Entry[], query: ProvidersQuery) {
  const after = decodePosition(position, query.cursor);
  const isWanted = matcherFor(query);
  const found = entries.filter(
    (entry) => isWanted(entry) && (after === undefined || compare(entry.position, after) > 0),
  );
  const page = found.slice(0, query.limit);
  const last = page.at(-1);
  const hasMore = found.length > query.limit;
  return {
    items: page.map(({ item }) => item),
    nextCursor: hasMore && last ? encodePosition(last.position) : null,
  };
}

/** The filter of a query, taken apart once and not for each provider. */
function matcherFor({ ids, category, auth, status, search, q }: ProvidersQuery): (entry: Entry) => boolean {
  const wantedIds = ids === undefined ? undefined : new Set(ids.split(','));
  const words = new Set(`${search ?? ''} ${q ?? ''}`.toLowerCase().split(/\s+/));
  return ({ item: { provider }, text }) => {
    if (wantedIds !== undefined && !wantedIds.has(provider.id)) return false;
    if (category !== undefined && provider.category !== category) return false;
    if (auth !== undefined && provider.auth !== auth) return false;
    if (status !== undefined && provider.status !== status) return false;
    return [...words].every((word) => text.includes(word));
  };
}

const byText = new Intl.Collator('en');

function compare(left: Position, right: Position): number {
  return (
    left[0] - right[0] ||
    byText.compare(left[1], right[1]) ||
    byText.compare(left[2], right[2]) ||
    byText.compare(left[3], right[3])
  );
}

const position = z.tuple([z.number(), z.string(), z.string(), z.string()]);
