import type { UseQueryResult } from '@tanstack/react-query';
import { ProblemNotice } from './problem-notice.tsx';

/** Why the first of the queries that failed did, with a button that asks those that failed again. Nothing where none did. */
export function QueryProblem({ queries }: { queries: readonly UseQueryResult[] }) {
  const failed = queries.filter(({ isError }) => isError);
  const retry = () => {
    for (const { refetch } of failed) void refetch();
  };
  return <ProblemNotice error={failed[0]?.error} onRetry={retry} />;
}
