import { faultLines, type Problem } from '../api/problem.ts';
import { FaultText } from './fault-text.tsx';
import { useProblemWording } from './use-problem-wording.ts';
import { WithCode } from './with-code.tsx';

/** What to do about an entry of the API's error table, as of a call that it answered. */
export function RemedyText({ name, remedy }: { name: string; remedy: string }) {
  const { wording, isLoading } = useProblemWording();
  if (isLoading) return null;
  const translated = wording?.wordRemedy(name);
  return (
    <span lang={wording !== undefined && translated === undefined ? 'en' : undefined}>
      <WithCode text={translated ?? remedy} />
    </span>
  );
}

/**
 * What was wrong, what to do and what is wrong with each member, in the operator's language. What has no translation is
 * marked as English, so that screen readers pronounce it so.
 */
export function ProblemText({ problem }: { problem: Problem }) {
  const { wording, isLoading } = useProblemWording();
  if (isLoading) return null;
  const worded = wording?.wordProblem(problem);
  const { detail, remedy } = worded ?? problem;
  return (
    <>
      {detail && (
        <span lang={worded?.isDetailTranslated === false ? 'en' : undefined}>
          <WithCode text={detail} />
        </span>
      )}{' '}
      {remedy && (
        <span lang={worded?.isTranslated === false ? 'en' : undefined}>
          <WithCode text={remedy} />
        </span>
      )}
      {faultLines(problem).map((line) => (
        <span key={line} style={{ display: 'block' }}>
          <FaultText text={line} />
        </span>
      ))}
    </>
  );
}
