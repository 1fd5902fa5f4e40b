import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ChangedMeanwhile } from '../api/change.ts';
import { ApiError, UnreachableError } from '../api/problem.ts';
import { ConnectFailure } from '../app/connect-popup.ts';
import { useTexts } from '../texts/texts.tsx';
import { ConnectFailureWords } from './connect-failure-words.tsx';
import { IdChip } from './id-chip.tsx';
import { Notice } from './notice.tsx';
import { ProblemText } from './problem-text.tsx';
import { ProblemTitle } from './problem-title.tsx';
import { useProblemWording } from './use-problem-wording.ts';

export type ProblemNoticeProps = {
  /** Nothing is shown without one. */
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  /** A link to the finding that explains it, where there is one. */
  readonly finding?: ReactNode;
};

/** Why something was refused: the problem's title, detail and remedy, and the request's id to copy. */
export function ProblemWords({ error, onRetry, finding }: ProblemNoticeProps) {
  const { problem: texts, common } = useTexts();
  const { isLoading } = useProblemWording(error instanceof ApiError);
  const retry = onRetry && (
    <Button variant="default" size="compact-sm" onClick={onRetry}>
      {common.retry}
    </Button>
  );
  if (error instanceof UnreachableError)
    return (
      <Notice tone="warning" title={texts.unreachableTitle} foot={retry} isAlert>
        {texts.unreachableRemedy}
      </Notice>
    );
  if (error instanceof ConnectFailure)
    return (
      <ConnectFailureWords
        error={error}
        foot={
          (retry || finding) && (
            <>
              {retry}
              {finding}
            </>
          )
        }
      />
    );
  if (error instanceof ChangedMeanwhile)
    return (
      <Notice
        tone="warning"
        title={texts.changedTitle}
        foot={
          <Button variant="default" size="compact-sm" onClick={error.loadAgain}>
            {texts.loadAgain}
          </Button>
        }
        isAlert
      >
        {texts.changedText}
      </Notice>
    );
  if (!(error instanceof ApiError))
    return (
      <Notice tone="bad" title={texts.unexpectedTitle} foot={retry} isAlert>
        {texts.unexpectedRemedy} <code>{error instanceof Error ? error.message : String(error)}</code>
      </Notice>
    );
  if (isLoading) return null;
  const { requestId, code } = error.problem;
  const foot = (
    <>
      {retry}
      {finding}
      <a href={`/docs/errors#${code}`}>{texts.explain}</a>
      {requestId && (
        <span>
          {texts.requestId} <IdChip id={requestId} />
        </span>
      )}
    </>
  );
  return (
    <Notice tone="bad" title={<ProblemTitle problem={error.problem} />} foot={foot} isAlert>
      <ProblemText problem={error.problem} />
    </Notice>
  );
}
