import { Button, type ButtonProps, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { forwardRef, type ReactNode, useEffect, useState } from 'react';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Icon } from '../icons.tsx';
import { shortId } from '../id-chip.tsx';
import { LazyMenu } from '../lazy-menu.tsx';
import { lazyPart } from '../lazy-part.ts';
import { formatExact } from '../time.tsx';
import type { FilterDefinition, Filters } from './filters.ts';
import styles from './list.module.css';

const TypedFilter = lazyPart(() => import('./typed-filter.tsx'), 'TypedFilter');
const ChoiceMenu = lazyPart(() => import('./choice-menu.tsx'), 'ChoiceMenu');
const TYPING_PAUSE_MS = 250;

type FilterBarProps = {
  readonly definitions: readonly FilterDefinition[];
  readonly filters: Filters;
  readonly setFilter: (name: string, value: string) => void;
  /** What stands at the end: last updated, export. */
  readonly children?: ReactNode;
};

/** The filters of a list: a search field, a menu of further ones, and a removable chip for each that is set. */
export function FilterBar({ definitions, filters, setFilter, children }: FilterBarProps) {
  const search = definitions.find(({ kind }) => kind === 'search');
  const others = definitions.filter(({ kind }) => kind !== 'search');
  return (
    <search className={styles.bar}>
      {search && (
        <SearchField
          label={search.label}
          value={filters[search.name] ?? ''}
          onChange={(value) => setFilter(search.name, value)}
        />
      )}
      {others
        .filter(({ kind }) => kind === 'choice')
        .filter(({ name }) => filters[name] === undefined)
        .map((definition) => (
          <LazyMenu
            key={definition.name}
            button={<FilterButton label={definition.label} />}
            menu={(button) => (
              <ChoiceMenu definition={definition} setFilter={setFilter}>
                {button}
              </ChoiceMenu>
            )}
          />
        ))}
      {others
        .filter(({ kind, canType }) => kind === 'time' || (kind === 'text' && canType === true))
        .filter(({ name }) => filters[name] === undefined)
        .map((definition) => (
          <LazyMenu
            key={definition.name}
            button={<FilterButton label={definition.label} />}
            menu={() => <TypedFilter definition={definition} setFilter={setFilter} />}
          />
        ))}
      {others.map((definition) => {
        const value = filters[definition.name];
        return value === undefined ? null : (
          <FilterChip
            key={definition.name}
            definition={definition}
            value={value}
            onRemove={() => setFilter(definition.name, '')}
          />
        );
      })}
      <span className={styles.spacer} />
      {children}
    </search>
  );
}

const FilterButton = forwardRef<HTMLButtonElement, ButtonProps & { label: string; onClick?: () => void }>(
  ({ label, ...rest }, ref) => (
    <Button
      {...rest}
      ref={ref}
      variant="default"
      size="sm"
      fw={500}
      rightSection={<Icon name="chevronDown" size={13} />}
    >
      {label}
    </Button>
  ),
);

function SearchField(props: { label: string; value: string; onChange: (value: string) => void }) {
  const { label, value, onChange } = props;
  const [typed, setTyped] = useState(value);
  const report = useDebouncedCallback(onChange, TYPING_PAUSE_MS);
  // The address changed by itself: back, or a chip removed.
  useEffect(() => setTyped(value), [value]);
  return (
    <TextInput
      className={styles.search}
      type="search"
      size="sm"
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={15} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        report(event.currentTarget.value.trim());
      }}
    />
  );
}

function FilterChip(props: { definition: FilterDefinition; value: string; onRemove: () => void }) {
  const { definition, value, onRemove } = props;
  const { common } = useTexts();
  const { language } = useLanguage();
  const shown =
    definition.kind === 'time' && !Number.isNaN(Date.parse(value))
      ? formatExact(new Date(value), language)
      : (definition.options?.find((option) => option.value === value)?.label ?? shortId(value));
  return (
    <button
      type="button"
      className={styles.chip}
      onClick={onRemove}
      aria-label={common.removeFilter(`${definition.label}: ${shown}`)}
    >
      <span>
        {definition.label}: <strong>{shown}</strong>
      </span>
      <Icon name="close" size={13} />
    </button>
  );
}
