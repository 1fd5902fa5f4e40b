import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { catalogQuery, type ProviderSummary } from '../api/catalog.ts';
import { type SearchResult, searchQuery } from '../api/operators.ts';
import { apiQuery } from '../api/queries.ts';
import { useOptionalProjectId } from '../app/project.ts';
import { useFindProvider } from '../app/providers.ts';
import { useTexts } from '../texts/texts.tsx';
import type { IconName } from '../ui/icons.tsx';
import { matchWords } from './match-words.ts';
import type { PaletteEntry } from './palette-places.ts';
import { hrefOfResult } from './search-links.ts';
import { useProviderSearch } from './use-provider-search.ts';

const TYPING_PAUSE_MS = 150;
const WORDS_MIN = 2;
const INTEGRATIONS_MAX = 200;
const OF_A_KIND_MAX = 5;

const ICONS: Readonly<Record<SearchResult['kind'], IconName>> = {
  user: 'user',
  connection: 'connections',
  integration: 'integrations',
  provider: 'plus',
  request: 'calls',
  project: 'home',
};

/** `looked`: everything has been searched for these very words. */
type Status = 'idle' | 'searching' | 'looked' | 'failed';

/** What the words find: names that are known here at once, and the rest when the gateway has answered. */
export function usePaletteResults(words: string): {
  readonly entries: readonly PaletteEntry[];
  readonly status: Status;
} {
  const [asked] = useDebouncedValue(words, TYPING_PAUSE_MS);
  const projectId = useOptionalProjectId();
  const isWanted = words.length >= WORDS_MIN;
  const search = useQuery({
    ...searchQuery(asked, projectId),
    enabled: isWanted && asked.length >= WORDS_MIN,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const local = useLocalResults(isWanted ? words : '');
  const known = new Set(local.map(keyOf));
  const remote = (isWanted ? (search.data?.results ?? []) : []).filter((result) => !known.has(keyOf(result)));
  const isAnswered = isWanted && words === asked && !search.isFetching;
  const found = [...local, ...remote];
  const entries = useEntries([...found, ...useForgivingResults(isAnswered ? words : '', found)]);
  if (!isWanted) return { entries: [], status: 'idle' };
  if (!isAnswered) return { entries, status: 'searching' };
  return { entries, status: search.isError ? 'failed' : 'looked' };
}

function keyOf({ kind, id }: SearchResult): string {
  return `${kind} ${id}`;
}

/** Integrations and providers by what this page knows already. */
function useLocalResults(words: string): readonly SearchResult[] {
  const catalog = useQuery(catalogQuery).data;
  const integrations = useIntegrations();
  if (words === '') return [];
  const providers = [...(catalog?.byId.values() ?? [])]
    .filter(({ status }) => status !== 'ended')
    .map(toResult);
  return [
    ...matchWords(integrations, words).slice(0, OF_A_KIND_MAX),
    ...matchWords(providers, words).slice(0, OF_A_KIND_MAX),
  ];
}

/** Providers and their integrations that the words fit with typing errors or by another name, beside what was found. */
function useForgivingResults(words: string, found: readonly SearchResult[]): readonly SearchResult[] {
  const integrations = useIntegrations();
  const search = useProviderSearch();
  if (words === '') return [];
  const known = new Set(found.map(keyOf));
  const providers = search(words).slice(0, OF_A_KIND_MAX).map(toResult);
  const theirs = integrations.filter(({ title }) => providers.some(({ id }) => id === title));
  return [...theirs.slice(0, OF_A_KIND_MAX), ...providers].filter((result) => !known.has(keyOf(result)));
}

function toResult({ id, name }: Pick<ProviderSummary, 'id' | 'name'>) {
  return { kind: 'provider' as const, id, projectId: null, title: name, subtitle: null };
}

function useIntegrations() {
  const projectId = useOptionalProjectId();
  const query = projectId === undefined ? {} : { projectId };
  const { data } = useQuery(apiQuery('/integrations', { query: { ...query, limit: INTEGRATIONS_MAX } }));
  const find = useFindProvider(data?.integrations.map(({ serviceProvider }) => serviceProvider) ?? []);
  return (data?.integrations ?? []).map((integration) => ({
    ...{ kind: 'integration' as const, id: integration.id, projectId: integration.projectId },
    title: integration.serviceProvider,
    subtitle: integration.clientId,
    words: find(integration.serviceProvider)?.name ?? '',
  }));
}

function useEntries(results: readonly SearchResult[]): readonly PaletteEntry[] {
  const projectId = useOptionalProjectId();
  const { palette } = useTexts();
  const navigate = useNavigate();
  const integrations = results.filter(({ kind }) => kind === 'integration');
  const find = useFindProvider(integrations.map(({ title }) => title));
  return results.flatMap((result): PaletteEntry[] => {
    const address = hrefOfResult(result, projectId);
    if (address === undefined) return [];
    const { kind, id, title, subtitle } = result;
    // The API calls an integration by the short name of its provider.
    const provider = kind === 'integration' ? title : kind === 'provider' ? id : undefined;
    return [
      {
        id: keyOf(result),
        group: palette.results,
        icon: ICONS[kind],
        ...(provider !== undefined && { provider }),
        title: kind === 'integration' ? (find(title)?.name ?? title) : title,
        subtitle,
        kind: palette.kinds[kind],
        address,
        run: () => void navigate({ href: address }),
      },
    ];
  });
}
