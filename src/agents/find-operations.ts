import { setImmediate } from 'node:timers/promises';
import { readAccessFacts } from '../catalog/facts/access-facts.ts';
import { resolveUrl } from '../catalog/facts/resolve-url.ts';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import type { Connection } from '../connections/connection.ts';
import type { ConnectionsStore } from '../connections/connections.store.ts';
import type { IntegrationsStore } from '../integrations/integrations.store.ts';
import { createOperationJudge, type DescribedOperation } from '../mandates/described-operations.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { Caller } from './caller.ts';
import type { FoundOperation, RankedOperation } from './documents/documents.store.ts';
import type { Documents } from './documents/documents.ts';
import type { FindOwners } from './find-owners.ts';
import type { FindOperationsInput } from './tools.schema.ts';
import { isWithinMandate } from './within-mandate.ts';

const FOUND_MAX = 5;
const CONNECTIONS_MAX = 100;
const WORDS_MAX = 12;

export type FindOperations = (caller: Caller, input: FindOperationsInput) => Promise<Record<string, unknown>>;

/** So many are judged before others have their turn: each may cost a comparison with all paths of a mandate. */
const JUDGED_AT_ONCE = 16;

/** `allows`: whether the token's mandate has room for some call of the operation, whose path is the one that is shown. */
type Named = {
  readonly provider: string;
  readonly base: string;
  readonly allows: ((operation: DescribedOperation) => boolean) | undefined;
};

/** The tool `find_operations`: what documents of the user's connected providers say, cut and marked as theirs. */
export function createFindOperations(deps: {
  readonly db: Db;
  readonly connections: Pick<ConnectionsStore, 'list'>;
  readonly integrations: Pick<IntegrationsStore, 'findMany'>;
  readonly providers: Pick<Providers, 'find'>;
  readonly documents: Documents;
  readonly findOwners: FindOwners;
}): FindOperations {
  const { db, documents } = deps;

  /** Which documents describe what the user has connected, by their addresses. */
  async function findDocuments({ user }: Caller, provider: string | undefined) {
    const { projectId } = user;
    const all = await deps.connections.list(db, {
      projectIds: [projectId],
      endUserIds: await deps.findOwners(user),
      serviceProvider: provider?.split('~', 1)[0],
      limit: CONNECTIONS_MAX,
    });
    const found = all.filter(({ id, serviceProvider }) =>
      isWithinMandate(user, { provider: serviceProvider, connectionId: id }),
    );
    const named = new Map<string, Named>();
    const unnamed = new Set<string>();
    const connected = uniqueBy(found, ({ integrationId }) => integrationId);
    const ids = connected.map(({ integrationId }) => integrationId);
    const integrations = await deps.integrations.findMany(db, ids, projectId);
    const settings = new Map(integrations.map((integration) => [integration.id, integration.settings]));
    for (const connection of connected) {
      const entry = await deps.providers.find(projectId, connection.serviceProvider, connection.grant);
      const urls = [...(settings.get(connection.integrationId)?.openapi ?? []), ...(entry?.openapi ?? [])];
      if (urls.length === 0) unnamed.add(connection.serviceProvider);
      const base = entry === undefined ? '' : readBasePath(entry, connection);
      const { serviceProvider } = connection;
      const described = {
        provider: serviceProvider,
        base,
        allows: judgeAt(user, serviceProvider, entry, found),
      };
      for (const url of urls) if (!named.has(url)) named.set(url, described);
    }
    return { named, unnamed: [...unnamed], isConnected: found.length > 0 };
  }

  /** The best of those that match and that the token's mandate has room for. */
  async function searchAllowed(
    named: ReadonlyMap<string, Named>,
    wanted: { readonly match: string; readonly rank: string },
  ): Promise<FoundOperation[]> {
    const urls = [...named.keys()];
    if ([...named.values()].every(({ allows }) => allows === undefined))
      return documents.search(urls, { ...wanted, limit: FOUND_MAX });
    const allowed: RankedOperation[] = [];
    for (const [index, operation] of (await documents.rank(urls, wanted)).entries()) {
      if (isAllowed(operation, named.get(operation.url))) allowed.push(operation);
      if (allowed.length === FOUND_MAX) break;
      if (index % JUDGED_AT_ONCE === JUDGED_AT_ONCE - 1) await setImmediate();
    }
    return documents.describe(allowed);
  }

  /** What has all words and, where that is too little, what has two of those that say something. */
  async function search(named: ReadonlyMap<string, Named>, words: readonly string[]) {
    const terms = words.map(writeTerm);
    const rank = terms.join(' | ');
    const exact = await searchAllowed(named, { rank, match: terms.join(' & ') });
    const isEnough = exact.length >= FOUND_MAX || words.length < 2;
    const near = isEnough ? [] : await searchAllowed(named, { rank, match: relax(words) });
    const found = uniqueBy([...exact, ...near], ({ url, method, path }) => `${url} ${method} ${path}`);
    return found.toSorted((left, right) => right.rank - left.rank);
  }

  return async (caller, { query, provider }) => {
    const { named, unnamed, isConnected } = await findDocuments(caller, provider);
    const urls = [...named.keys()];
    const known = await documents.want(urls);
    const isLoading = known.some(({ hasOperations }) => !hasOperations);
    const words = readWords(query);
    const operations = words.length === 0 || urls.length === 0 ? [] : await search(named, words);
    return {
      source: 'documents of providers',
      operations: operations
        .slice(0, FOUND_MAX)
        .map((operation) => describe(operation, named.get(operation.url))),
      ...(isLoading && { note: 'Documents of some providers are being fetched: try again in some seconds.' }),
      ...(unnamed.length > 0 && { withoutDocument: unnamed }),
      ...(!isConnected && { note: 'The user has not connected such a provider; see list_connections.' }),
    };
  };
}

function describe(
  { url: _url, rank: _rank, path, parameters, ...operation }: FoundOperation,
  named: Named | undefined,
) {
  const shown = withoutBase(path, named).replaceAll('{+', '{');
  return { provider: named?.provider ?? '', ...operation, path: shown, parameters };
}

function isAllowed(
  { method, path }: Pick<FoundOperation, 'method' | 'path'>,
  named: Named | undefined,
): boolean {
  return named?.allows?.({ method, path: withoutBase(path, named) }) ?? true;
}

function withoutBase(path: string, { base = '' }: Partial<Named> = {}): string {
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length) : path;
}

/** Undefined: the token has no mandate. */
function judgeAt(
  { mandate }: Caller['user'],
  provider: string,
  entry: Provider | undefined,
  connections: readonly Connection[],
): Named['allows'] {
  if (mandate === undefined) return undefined;
  const own = connections.filter(({ serviceProvider }) => serviceProvider === provider);
  const facts = entry && readAccessFacts(entry)?.(undefined);
  return createOperationJudge(mandate, { provider, facts, connectionIds: own.map(({ id }) => id) });
}

/** The path that the API's address has by itself: what agents write begins behind it. */
function readBasePath(entry: Provider, { variables }: Pick<Connection, 'variables'>): string {
  const base = resolveUrl(entry.apiBaseUrl, entry, variables);
  return base.ok ? new URL(base.url).pathname.replace(/\/$/, '') : '';
}

/** Words alone, so that nothing of the query is an operator of the search. */
function readWords(query: string): string[] {
  return (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, WORDS_MAX);
}

/** What half of all operations are called, and words of sentences: alone they find nothing in particular. */
const COMMON: ReadonlySet<string> = new Set([
  ...[
    'get',
    'list',
    'read',
    'find',
    'search',
    'create',
    'add',
    'update',
    'change',
    'replace',
    'delete',
    'remove',
  ],
  ...['all', 'a', 'an', 'the', 'of', 'for', 'in', 'to', 'with', 'by', 'and', 'or', 'from', 'on', 'my', 'new'],
]);

/** Words that vendors use for one another. */
const SAME: Readonly<Record<string, string>> = { email: 'mail', mail: 'email', emails: 'mail' };

function writeTerm(word: string): string {
  const other = Object.hasOwn(SAME, word) ? SAME[word] : undefined;
  return other === undefined ? word : `(${word} | ${other})`;
}

/** Any two of the words that say something, or the only one. */
function relax(words: readonly string[]): string {
  const telling = words.filter((word) => !COMMON.has(word));
  const chosen = (telling.length > 0 ? telling : words).map(writeTerm);
  if (chosen.length === 1) return chosen[0] ?? '';
  const pairs = chosen.flatMap((word, index) =>
    chosen.slice(index + 1).map((other) => `(${word} & ${other})`),
  );
  return pairs.join(' | ');
}

/** The first of each kind, in the order that they have. */
function uniqueBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const isNew = !seen.has(key(item));
    seen.add(key(item));
    return isNew;
  });
}
