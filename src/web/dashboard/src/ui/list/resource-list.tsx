import { ActionIcon, Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { untypedList } from '../../api/queries.ts';
import { useTexts } from '../../texts/texts.tsx';
import { Icon } from '../icons.tsx';
import { Bars } from '../loaded.tsx';
import { ProblemNotice } from '../problem-notice.tsx';
import { Time } from '../time.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type FilterDefinition, type Filters, useFilters } from './filters.ts';
import styles from './list.module.css';
import { type Column, Table } from './table.tsx';

type ResourceListProps<T> = {
  readonly label: string;
  /** The query for these filters: `(query) => apiList('/projects/{projectId}/connections', { path, query })`. */
  readonly query: (filters: Filters) => ReturnType<typeof untypedList<T>>;
  readonly filters?: readonly FilterDefinition[];
  readonly columns: readonly Column<T>[];
  readonly rowKey: (row: T) => string;
  readonly rowHref?: (row: T) => string;
  /** Shown when there is nothing at all, without any filter. */
  readonly empty: ReactNode;
  /** Beside "last updated"; gets the filters, so that an export holds the rows that are shown. */
  readonly exportSlot?: (filters: Filters) => ReactNode;
};

const NO_FILTERS: readonly FilterDefinition[] = [];

/**
 * A list of the API: filters in the address, pages by cursor, one under the other so that rows keep their place, the row
 * cursor, and when it was asked for last.
 */
export function ResourceList<T>(props: ResourceListProps<T>) {
  const { label, filters: definitions = NO_FILTERS, columns, rowKey, rowHref, empty, exportSlot } = props;
  const { common } = useTexts();
  const { filters, setFilter, clear } = useFilters(definitions);
  const query = useInfiniteQuery({ ...props.query(filters), placeholderData: keepPreviousData });
  const rows = query.data?.pages.flatMap((page) => page.items);
  const isFiltered = Object.keys(filters).length > 0;
  if (rows?.length === 0 && !isFiltered && !query.isError) return empty;
  return (
    <>
      <FilterBar definitions={definitions} filters={filters} setFilter={setFilter}>
        {query.dataUpdatedAt > 0 && (
          <span className={styles.updated}>
            {common.updated} <Time at={new Date(query.dataUpdatedAt).toISOString()} />
            <ActionIcon
              size="sm"
              aria-label={common.refresh}
              loading={query.isFetching}
              onClick={() => query.refetch()}
            >
              <Icon name="refresh" size={14} />
            </ActionIcon>
          </span>
        )}
        {exportSlot?.(filters)}
      </FilterBar>
      <ProblemNotice error={query.error} onRetry={() => query.refetch()} />
      {rows === undefined && !query.isError && <Bars rows={8} height={28} />}
      {rows?.length === 0 && isFiltered && (
        <div className={styles.foot}>
          {common.noMatches}
          <Button variant="default" size="compact-sm" onClick={clear}>
            {common.clearFilters}
          </Button>
        </div>
      )}
      {rows !== undefined && rows.length > 0 && (
        <>
          <Table label={label} columns={columns} rows={rows} rowKey={rowKey} {...(rowHref && { rowHref })} />
          <div className={styles.foot}>
            <span aria-live="polite">{common.rowsShown(rows.length)}</span>
            {query.hasNextPage && (
              <Button
                variant="default"
                size="compact-sm"
                loading={query.isFetchingNextPage}
                onClick={() => query.fetchNextPage()}
              >
                {common.showMore}
              </Button>
            )}
          </div>
        </>
      )}
    </>
  );
}
