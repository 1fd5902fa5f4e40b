import { Suspense } from 'react';
import { lazyPart } from './lazy-part.ts';
import type { ProblemNoticeProps } from './problem-words.tsx';

// Every form has one, and few show it; with tooltip and copy button it weighs as much as a page.
const ProblemWords = lazyPart(() => import('./problem-words.tsx'), 'ProblemWords');

/** Loads the words before they are needed: without a network they could not be had. */
export function preloadProblemWords(): void {
  void ProblemWords.preload?.();
}

/** Why something was refused: the problem's title, detail and remedy, and the request's id to copy. */
export function ProblemNotice(props: ProblemNoticeProps) {
  if (props.error === null || props.error === undefined) return null;
  return (
    <Suspense>
      <ProblemWords {...props} />
    </Suspense>
  );
}
