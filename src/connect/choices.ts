import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Provider } from '../catalog/schema/provider.schema.ts';
import {
  countConnectionsOfOffered,
  listOffered,
  type OfferedIntegration,
  readVariables,
} from '../integrations/offered-integrations.store.ts';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { mapInTurns } from '../lib/take-turns.ts';
import type { Db } from '../platform/postgres/database.ts';
import type { Providers } from '../providers/custom-providers.ts';
import type { ConnectSession } from './connect-session.ts';
import { disambiguateLabels } from './disambiguate-labels.ts';
import { buildSearchWords, type Choice, type ChoiceList } from './pages/choose-page.ts';
import { findFace } from './pages/face.ts';
import { matchesQuery } from './pages/search-list.ts';
import type { Texts } from './texts/language.ts';

/** More do not stand on a page, which a phone has to load: the search asks the server for the others. */
export const CHOICES_PER_PAGE = 200;
/** Work between two turns of others, in services. */
const SERVICES_PER_TURN = 1_000;
/** Counting connections takes no more than this share of the time. */
const COUNTING_SHARE = 0.01;
const COUNTED_PROJECTS_MAX = 500;

type Wanted = {
  readonly query: string;
  /** How many stand on the pages before. */
  readonly from: number;
  readonly categories: Texts['categories'];
};

type Known = { readonly integration: OfferedIntegration; readonly provider: Provider };
type Ranked = Known & { readonly rank: number; readonly words: string; readonly isFound: boolean };

/** What users may choose among: all of a project's integrations, the most connected first. */
export function createChoices(deps: { db: Db; providers: Providers; now(): number }) {
  const { db, providers } = deps;
  const counted = new LRUCache<string, { counts: ReadonlyMap<string, number>; freshUntilMs: number }>(
    entriesUpTo(COUNTED_PROJECTS_MAX),
  );

  /** From memory for a hundred times as long as counting took: a small project is always counted. */
  async function countConnections(projectId: string): Promise<ReadonlyMap<string, number>> {
    const known = counted.get(projectId);
    const beganMs = deps.now();
    if (known !== undefined && beganMs < known.freshUntilMs) return known.counts;
    const counts = await countConnectionsOfOffered(db, projectId);
    const tookMs = deps.now() - beganMs;
    counted.set(projectId, { counts, freshUntilMs: deps.now() + tookMs / COUNTING_SHARE });
    return counts;
  }

  /** Without those whose provider is gone. Each provider is looked up once. */
  async function listKnown(projectId: string): Promise<Known[]> {
    const offered = await listOffered(db, projectId);
    const keyOf = ({ serviceProvider, grant }: OfferedIntegration) => `${serviceProvider} ${grant ?? ''}`;
    const found = new Map<string, Provider | undefined>();
    for (const integration of offered) {
      const key = keyOf(integration);
      if (found.has(key)) continue;
      const { serviceProvider, grant } = integration;
      found.set(key, await providers.find(projectId, serviceProvider, grant));
    }
    return offered.flatMap((integration) => {
      const provider = found.get(keyOf(integration));
      return provider === undefined ? [] : [{ integration, provider }];
    });
  }

  /** What stands on the page, with what distinguishes entries of the same name. */
  async function present(projectId: string, listed: readonly Ranked[]): Promise<Choice[]> {
    const byProvider = Map.groupBy(listed, ({ provider }) => provider.id);
    const alike = listed.filter(({ provider }) => (byProvider.get(provider.id)?.length ?? 0) > 1);
    const ids = alike.map(({ integration }) => integration.id);
    const variables = await readVariables(db, projectId, ids);
    const distinctions = disambiguateLabels(
      listed.map(({ provider, integration: { id, name } }) => ({
        provider,
        integration: { id, name, variables: variables.get(id) ?? {} },
      })),
    );
    return listed.map(({ integration, provider, rank }) => ({
      ...findFace(provider, integration),
      integrationId: integration.id,
      provider,
      distinction: distinctions.get(integration.id) ?? '',
      connections: rank,
    }));
  }

  return {
    /** A page of them: all that there are, or of a long list what is searched for. */
    async listChoices(
      { projectId, integrationIds }: Pick<ConnectSession, 'projectId' | 'integrationIds'>,
      { query, from, categories }: Wanted,
    ): Promise<ChoiceList> {
      const [offered, counts] = await Promise.all([listKnown(projectId), countConnections(projectId)]);
      const allowed = integrationIds && new Set(integrationIds);
      const known = allowed ? offered.filter(({ integration }) => allowed.has(integration.id)) : offered;
      const isWhole = known.length <= CHOICES_PER_PAGE;
      const ranked = await mapInTurns(known, SERVICES_PER_TURN, ({ integration, provider }) => {
        const { name } = findFace(provider, integration);
        const words = buildSearchWords({ categories }, { name, provider, distinction: '' });
        const rank = counts.get(integration.id) ?? 0;
        const isFound = isWhole || matchesQuery(words, query);
        return { result: { integration, provider, rank, words, isFound }, length: 1 };
      });
      const found = ranked.filter((one) => one.isFound);
      await setImmediate();
      found.sort(compareRanked);
      const start = isWhole || from >= found.length ? 0 : from;
      const choices = await present(projectId, found.slice(start, start + CHOICES_PER_PAGE));
      return { choices, isWhole, found: found.length, from: start };
    },
  };
}

/** The most connected first, then by name. Comparing as a language does would take long for thousands. */
function compareRanked(left: Ranked, right: Ranked): number {
  if (left.rank !== right.rank) return right.rank - left.rank;
  if (left.words !== right.words) return left.words < right.words ? -1 : 1;
  return left.integration.id < right.integration.id ? -1 : 1;
}
