import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, useCallback, useDeferredValue, useMemo, useState } from 'react';
import { catalogQuery, type ProviderSummary } from '../../api/catalog.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Icon } from '../../ui/icons.tsx';
import { LinkButton, TextLink } from '../../ui/link.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { PageHead } from '../../ui/page.tsx';
import { ProviderLogo } from '../../ui/provider-mark.tsx';
import { CatalogPreview } from './catalog-preview.tsx';
import { buildKey, createCatalogSearch } from './catalog-search.ts';
import styles from './integrations.module.css';

/** As many as a large screen shows. */
const FIRST_DRAWN = 60;

/** All providers to choose from: search, categories, and what the one pointed at needs. */
export function Catalog({ projectId }: { projectId: string }) {
  const { integrations: texts } = useTexts();
  const catalog = useQuery(catalogQuery(projectId));
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
        {({ providers }) => (
          // What has ended cannot be set up again.
          <Providers projectId={projectId} providers={providers.filter(({ status }) => status !== 'ended')} />
        )}
      </Loaded>
    </>
  );
}

type Category = ProviderSummary['category'];

function Providers({ projectId, providers }: { projectId: string; providers: readonly ProviderSummary[] }) {
  const { integrations: texts } = useTexts();
  const { language } = useLanguage();
  const [typed, setTyped] = useState('');
  const [category, setCategory] = useState<Category | 'own'>();
  const [pointed, setPointed] = useState<ProviderSummary>();
  const words = useDeferredValue(typed.trim());
  const search = useMemo(
    () => createCatalogSearch(providers, (provider) => texts.categories[provider.category]),
    [providers, texts],
  );
  const shown = useMemo(() => {
    const found = words === '' ? providers : search(words);
    if (category === undefined) return found;
    return found.filter((one) => (category === 'own' ? one.projectId !== null : one.category === category));
  }, [providers, search, words, category]);
  // The first ones at once, the rest shortly after: no screen shows all together.
  const drawn = useDeferredValue(shown, shown.slice(0, FIRST_DRAWN));
  const point = useCallback((provider: ProviderSummary) => setPointed(provider), []);
  return (
    <>
      <TextInput
        className={styles.catalogSearch}
        type="search"
        size="md"
        aria-label={texts.catalog.search}
        placeholder={texts.catalog.placeholder(providers.length.toLocaleString(language))}
        leftSection={<Icon name="search" size={17} />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoFocus
      />
      <Categories providers={providers} chosen={category} onChoose={setCategory} />
      <p className="unseen" aria-live="polite">
        {texts.catalog.shown(shown.length)}
      </p>
      {shown.length === 0 ? (
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
      ) : (
        <div className={styles.catalog}>
          <Grid projectId={projectId} providers={drawn} onPoint={point} />
          <CatalogPreview projectId={projectId} provider={pointed} />
        </div>
      )}
    </>
  );
}

type CategoriesProps = {
  readonly providers: readonly ProviderSummary[];
  readonly chosen: Category | 'own' | undefined;
  readonly onChoose: (category: Category | 'own' | undefined) => void;
};

function Categories({ providers, chosen, onChoose }: CategoriesProps) {
  const { integrations: texts } = useTexts();
  const present = useMemo(() => new Set(providers.map(({ category }) => category)), [providers]);
  const hasOwn = providers.some(({ projectId }) => projectId !== null);
  const named = [...present].map((category): [Category | 'own', string] => [
    category,
    texts.categories[category],
  ]);
  const sorted = named.toSorted(([, left], [, right]) => left.localeCompare(right));
  const all: [Category | 'own' | undefined, string][] = [
    [undefined, texts.catalog.all],
    ...(hasOwn ? ([['own', texts.catalog.own]] as [Category | 'own', string][]) : []),
    ...sorted,
  ];
  return (
    <div className={styles.categories}>
      {all.map(([category, name]) => (
        <button
          type="button"
          key={name}
          className={styles.category}
          aria-pressed={category === chosen}
          onClick={() => onChoose(category)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

type GridProps = {
  readonly projectId: string;
  readonly providers: readonly ProviderSummary[];
  readonly onPoint: (provider: ProviderSummary) => void;
};

/** Drawn again only when other providers are shown, not when another one is pointed at. */
const Grid = memo(function Grid({ projectId, providers, onPoint }: GridProps) {
  const { integrations: texts } = useTexts();
  return (
    <ul className={styles.grid}>
      {providers.map((provider) => (
        <li key={buildKey(provider)}>
          <TextLink
            className={styles.tile}
            to="/p/$projectId/integrations/new"
            params={{ projectId }}
            search={{ provider: provider.id }}
            preload={false}
            // Not `onMouseEnter`: the list that moves under a resting mouse, for the keyboard, points at nothing.
            onMouseMove={() => onPoint(provider)}
            onFocus={() => onPoint(provider)}
          >
            <ProviderLogo id={provider.id} logoUrl={provider.logoUrl} size={32} />
            <span className={styles.tileText}>
              <strong>{provider.name}</strong>
              <span>
                {provider.status !== 'available' && (
                  <b className={styles.standing}>{texts.status[provider.status]} · </b>
                )}
                {texts.categories[provider.category]} · {texts.auth[provider.auth]}
              </span>
            </span>
          </TextLink>
        </li>
      ))}
    </ul>
  );
});
