import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError, findStatus } from '../api/problem.ts';
import { useTexts } from '../texts/texts.tsx';
import { EmptyState } from './empty-state.tsx';
import { LinkButton } from './link.tsx';
import { PageHead } from './page.tsx';
import { ProblemTitle } from './problem-title.tsx';
import { QueryProblem } from './query-problem.tsx';

const SKELETON_AFTER_MS = 200;

/** True once `isActive` has been true for 200 ms: what comes faster never flickers. */
function useDelayed(isActive: boolean, delayMs = SKELETON_AFTER_MS): boolean {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    if (!isActive) return setDue(false);
    const timer = setTimeout(() => setDue(true), delayMs);
    return () => clearTimeout(timer);
  }, [isActive, delayMs]);
  return isActive && isDue;
}

/** Grey bars in the place of `rows` lines. They take their room at once, and show after 200 ms. */
export function Bars({ rows = 3, height = 16 }: { rows?: number; height?: number }) {
  const { common } = useTexts();
  const isShown = useDelayed(true);
  return (
    <div aria-busy="true" aria-label={common.loading} role="status" style={{ height: rows * (height + 12) }}>
      {isShown && <BarsBelow rows={rows} height={height} />}
    </div>
  );
}

function BarsBelow({ rows, height }: { rows: number; height: number }) {
  if (rows <= 0) return null;
  return (
    <>
      <Skeleton height={height} width={`${92 - (rows % 3) * 14}%`} mb={12} />
      <BarsBelow rows={rows - 1} height={height} />
    </>
  );
}

type LoadedProps<T> = {
  readonly query: UseQueryResult<T>;
  /** Shown while nothing has come yet; of the height that the content will have. */
  readonly skeleton?: ReactNode;
  /** The query is the whole page, which then needs a heading also where nothing comes. */
  readonly isPage?: boolean;
  readonly children: (value: T) => ReactNode;
};

/**
 * The content once it is there. Stale content stays while it reloads, with the fault above it where that failed; but not
 * the page of a thing that is deleted.
 */
export function Loaded<T>({ query, skeleton = <Bars />, isPage = false, children }: LoadedProps<T>) {
  const problem = <QueryProblem queries={[query]} />;
  const isGone = isPage && findStatus(query.error) === 404;
  if (query.data !== undefined && !isGone)
    return (
      <>
        {problem}
        <Suspense fallback={skeleton}>
          <Content value={query.data} render={children} />
        </Suspense>
      </>
    );
  if (!query.isError) return skeleton;
  return isPage ? <PageProblem error={query.error}>{problem}</PageProblem> : problem;
}

/** What waits for a script or for words of another area waits in its own place: the page around it stays. */
function Content<T>({ value, render }: { value: T; render: (value: T) => ReactNode }) {
  return render(value);
}

/** In the place of a page whose thing is not there, or did not come. */
function PageProblem({ error, children }: { error: unknown; children: ReactNode }) {
  const { problem } = useTexts();
  if (findStatus(error) === 404)
    return (
      <EmptyState
        heading="h1"
        icon="search"
        title={problem.notFoundTitle}
        text={problem.notFoundText}
        action={<LinkButton to="/">{problem.toHome}</LinkButton>}
      />
    );
  return (
    <>
      <PageHead
        title={
          error instanceof ApiError ? <ProblemTitle problem={error.problem} /> : problem.unreachableTitle
        }
      />
      {children}
    </>
  );
}
