import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError, faultLines, UnreachableError } from '../api/problem.ts';
import { ConnectFailure } from '../app/connect-popup.ts';
import { useTexts } from '../texts/texts.tsx';
import { ConnectFailureWords } from './connect-failure-words.tsx';
import { IdChip } from './id-chip.tsx';
import { Notice } from './notice.tsx';
import { WithCode } from './with-code.tsx';

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
  if (!(error instanceof ApiError))
    return (
      <Notice tone="bad" title={texts.unexpectedTitle} foot={retry} isAlert>
        {texts.unexpectedRemedy} <code>{error instanceof Error ? error.message : String(error)}</code>
      </Notice>
    );
  const { title, detail, remedy, requestId, code } = error.problem;
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
    <Notice tone="bad" title={title} foot={foot} isAlert>
      <WithCode text={[detail, remedy].filter(Boolean).join(' ')} />
      {faultLines(error.problem).map((line) => (
        <span key={line} style={{ display: 'block' }}>
          {line}
        </span>
      ))}
    </Notice>
  );
}
