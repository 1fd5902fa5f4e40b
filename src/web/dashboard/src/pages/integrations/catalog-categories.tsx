import { useMemo } from 'react';
import type { ProviderSummary } from '../../api/catalog.ts';
import { useTexts } from '../../texts/texts.tsx';
import styles from './integrations.module.css';

export type CatalogCategory = ProviderSummary['category'] | 'own';

type CategoriesProps = {
  readonly providers: readonly ProviderSummary[];
  readonly chosen: CatalogCategory | undefined;
  readonly onChoose: (category: CatalogCategory | undefined) => void;
};

/** The categories that any of the providers has, and all. */
export function Categories({ providers, chosen, onChoose }: CategoriesProps) {
  const { integrations: texts } = useTexts();
  const present = useMemo(() => new Set(providers.map(({ category }) => category)), [providers]);
  const hasOwn = providers.some(({ projectId }) => projectId !== null);
  const own: [CatalogCategory, string][] = hasOwn ? [['own', texts.catalog.own]] : [];
  const named = [...present].map((category): [CatalogCategory, string] => [
    category,
    texts.categories[category],
  ]);
  const all: [CatalogCategory | undefined, string][] = [
    [undefined, texts.catalog.all],
    ...own,
    ...named.toSorted(([, left], [, right]) => left.localeCompare(right)),
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
