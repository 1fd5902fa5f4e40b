import { lazy, Suspense } from 'react';
import { findStatus } from '../api/problem.ts';
import { useMembership } from '../app/session.ts';
import { useTexts } from '../texts/texts.tsx';

// Seldom needed, and otherwise a part of the first script of every page.
const ProblemNotice = lazy(async () => ({
  default: (await import('../ui/problem-notice.tsx')).ProblemNotice,
}));

/** Says why nothing can be changed here where the operator's role could not be read. Nothing where it is known. */
export function RoleProblem({ projectId }: { projectId: string }) {
  const { common } = useTexts();
  const { error, isError, refetch } = useMembership(projectId);
  // The page itself says that there is no such project.
  if (!isError || findStatus(error) === 404) return null;
  return (
    <Suspense>
      <ProblemNotice
        error={error}
        onRetry={() => void refetch()}
        finding={<span>{common.roleNotRead}</span>}
      />
    </Suspense>
  );
}
