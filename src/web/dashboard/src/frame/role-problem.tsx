import { findStatus } from '../api/problem.ts';
import { useMembership } from '../app/session.ts';
import { useTexts } from '../texts/texts.tsx';
import { ProblemNotice } from '../ui/problem-notice.tsx';

/** Another operator may change the role while the dashboard is open. */
const LOOK_MS = 30_000;

/** Says why nothing can be changed here where the operator's role could not be read. Nothing where it is known. */
export function RoleProblem({ projectId }: { projectId: string }) {
  const { common } = useTexts();
  const { error, isError, refetch } = useMembership(projectId, { refetchInterval: LOOK_MS });
  // The page itself says that there is no such project.
  if (!isError || findStatus(error) === 404) return null;
  return (
    <ProblemNotice error={error} onRetry={() => void refetch()} finding={<span>{common.roleNotRead}</span>} />
  );
}
