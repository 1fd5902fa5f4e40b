import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import type { ProviderSummary } from '../../api/catalog.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton } from '../../ui/link.tsx';
import { Bars, Loaded } from '../../ui/loaded.tsx';
import { type LogoSheet, useLogoSheet } from '../../ui/logo-sheet.ts';
import { PageHead } from '../../ui/page.tsx';
import { type CatalogCategory, Categories } from './catalog-categories.tsx';
import { ProviderGrid, STEP } from './catalog-grid.tsx';
import { CatalogPreview } from './catalog-preview.tsx';
import { catalogQueries } from './catalog-queries.ts';
import { buildKey, createCatalogSearch } from './catalog-search.ts';
import { groupProviders, type ProviderGroup } from './group-providers.ts';
import styles from './integrations.module.css';

/** Asked once: the answer needs the page's layout. */
const HAS_MOUSE = matchMedia('(pointer: fine)').matches;

/** All providers to choose from: those that matter first, search, categories, and what the one pointed at needs. */
export function Catalog({ projectId }: { projectId: string }) {
  const { integrations: texts } = useTexts();
  const queries = catalogQueries(projectId);
  const catalog = useQuery(queries.catalog);
  const own = useQuery(queries.own);
  const used = useQuery(queries.used);
  return (
    <>
      <PageHead
        title={texts.newTitle}
        lead={texts.catalog.lead}
        parent={{ label: texts.title, link: { to: `/p/${projectId}/integrations` } }}
        actions={
          <LinkButton variant="default" to="/providers/custom" search={{ projectId }}>
            {texts.customProviders.title}
          </LinkButton>
        }
      />
      <Loaded query={catalog}>
        {({ byId, popular, logos }) =>
          // What comes later would push away what is there.
          used.isPending || own.isPending ? (
            <Bars rows={8} height={40} />
          ) : (
            <Providers
              projectId={projectId}
              providers={[...byId.values(), ...(own.data?.providers ?? [])]}
              popular={popular}
              logos={logos}
              used={(used.data?.integrations ?? []).map(({ serviceProvider }) => serviceProvider)}
            />
          )
        }
      </Loaded>
    </>
  );
}

type ProvidersProps = {
  readonly projectId: string;
  readonly providers: readonly ProviderSummary[];
  readonly popular: readonly string[];
  readonly logos: Readonly<Record<string, string>>;
  readonly used: readonly string[];
};

function Providers({ projectId, providers, popular, logos, used }: ProvidersProps) {
  const { integrations: texts } = useTexts();
  const { language } = useLanguage();
  const [typed, setTyped] = useState('');
  const [category, setCategory] = useState<CatalogCategory>();
  const [pointed, setPointed] = useState<ProviderSummary>();
  const words = useDeferredValue(typed.trim());
  const open = useMemo(() => providers.filter(({ status }) => status !== 'ended'), [providers]);
  const sheet = useLogoSheet(logos);
  const groups = useGroups({ open, popular, used, words, category });
  const count = groups.reduce((sum, group) => sum + group.providers.length, 0);
  const point = useCallback((provider: ProviderSummary) => setPointed(provider), []);
  const first = groups.find((group) => group.providers.length > 0)?.providers[0];
  const setUp = useSetUp(projectId);
  return (
    <>
      <TextInput
        className={styles.catalogSearch}
        type="search"
        size="md"
        aria-label={texts.catalog.search}
        placeholder={texts.catalog.placeholder(open.length.toLocaleString(language))}
        leftSection={<Icon name="search" size={17} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setPointed(undefined);
        }}
        onKeyDown={(event) => {
          // What is shown may be one picture behind what is typed.
          const isFound = words !== '' && words === typed.trim();
          if (event.key === 'Enter' && !event.nativeEvent.isComposing && isFound) setUp(first);
        }}
        // On a phone it would bring up the keyboard over the page.
        autoFocus={HAS_MOUSE}
      />
      <Categories providers={open} chosen={category} onChoose={setCategory} />
      <p className="unseen" aria-live="polite">
        {texts.catalog.shown(count)}
      </p>
      {count === 0 ? (
        <NothingFound projectId={projectId} />
      ) : (
        <div className={styles.catalog}>
          <div>
            {groups.map((group) => (
              <Group
                key={`${group.name} ${words} ${category}`}
                projectId={projectId}
                group={group}
                sheet={sheet}
                onPoint={point}
              />
            ))}
          </div>
          <CatalogPreview projectId={projectId} provider={pointed ?? first} />
        </div>
      )}
    </>
  );
}

/** Leads to the page on which a provider is set up. */
function useSetUp(projectId: string): (provider: ProviderSummary | undefined) => void {
  const navigate = useNavigate();
  return (provider) => {
    if (provider === undefined) return;
    const search = { provider: provider.id };
    void navigate({ to: '/p/$projectId/integrations/new', params: { projectId }, search });
  };
}

type Shown = {
  readonly open: readonly ProviderSummary[];
  readonly popular: readonly string[];
  readonly used: readonly string[];
  readonly words: string;
  readonly category: CatalogCategory | undefined;
};

/** What is shown: by themselves those that matter and then all, else what was searched for or is of the category. */
function useGroups({ open, popular, used, words, category }: Shown): readonly ProviderGroup[] {
  const { categories } = useTexts().integrations;
  const search = useMemo(
    () => createCatalogSearch(open, (provider) => categories[provider.category]),
    [open, categories],
  );
  return useMemo(() => {
    if (words === '' && category === undefined) return groupProviders(open, { popular, used });
    const found = words === '' ? open : search(words);
    const fits = ({ projectId, category: its }: ProviderSummary) =>
      category === undefined || (category === 'own' ? projectId !== null : its === category);
    return [{ name: 'found', providers: found.filter(fits) }];
  }, [open, popular, used, search, words, category]);
}

type GroupProps = {
  readonly projectId: string;
  readonly group: ProviderGroup;
  readonly sheet: LogoSheet;
  readonly onPoint: (provider: ProviderSummary) => void;
};

/** All of them are below what matters, and drawn when they come into view. */
const FIRST = { used: Number.POSITIVE_INFINITY, popular: Number.POSITIVE_INFINITY, found: STEP, all: 0 };

function Group({ projectId, group: { name, providers }, sheet, onPoint }: GroupProps) {
  const { integrations: texts } = useTexts();
  if (providers.length === 0) return null;
  const title = name === 'found' ? undefined : texts.catalog.groups[name];
  return (
    <section className={styles.catalogGroup}>
      {title && <h2>{title}</h2>}
      <ProviderGrid
        projectId={projectId}
        providers={providers}
        first={FIRST[name]}
        sheet={sheet}
        keyOf={buildKey}
        onPoint={onPoint}
      />
    </section>
  );
}

function NothingFound({ projectId }: { projectId: string }) {
  const { integrations: texts } = useTexts();
  return (
    <EmptyState
      icon="search"
      title={texts.catalog.nothingTitle}
      text={texts.catalog.nothingText}
      action={
        <LinkButton to="/providers/custom/$provider" params={{ provider: 'new' }} search={{ projectId }}>
          {texts.catalog.describe}
        </LinkButton>
      }
    />
  );
}
