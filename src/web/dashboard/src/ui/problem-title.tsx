import type { Problem } from '../api/problem.ts';
import { useProblemWording } from './use-problem-wording.ts';

/** A refusal's title in the operator's language. */
export function ProblemTitle({ problem }: { problem: Problem }) {
  const { wording, isLoading } = useProblemWording();
  if (isLoading) return null;
  const worded = wording?.wordProblem(problem);
  return <span lang={worded?.isTranslated === false ? 'en' : undefined}>{(worded ?? problem).title}</span>;
}
