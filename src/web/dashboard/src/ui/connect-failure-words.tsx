import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { apiQuery } from '../api/queries.ts';
import type { ConnectFailure } from '../app/connect-popup.ts';
import { useOptionalProjectId } from '../app/project.ts';
import { useTexts } from '../texts/texts.tsx';
import { useFindingTexts } from './finding-list.tsx';
import { useFindingParameters } from './finding-parameters.ts';
import { IdChip } from './id-chip.tsx';
import { Notice } from './notice.tsx';
import { WithCode } from './with-code.tsx';

/** The record of a failure is written beside the answer to the window, and may come after it. */
const TRIES_MAX = 5;
const PAUSE_MS = 700;

type ConnectFailureWordsProps = { readonly error: ConnectFailure; readonly foot: ReactNode };

/** Why no account was connected: what the person at the window did, else the finding with its remedy. */
export function ConnectFailureWords({ error, foot }: ConnectFailureWordsProps) {
  const { connectErrors, problem } = useTexts();
  const { title, provider_error, ...known } = connectErrors;
  const words = Object.entries(known).find(([code]) => code === error.code)?.[1];
  const recorded = useRecordedFinding(words === undefined ? error.sessionId : undefined);
  if (recorded === undefined)
    return (
      <Notice tone="warning" title={title} foot={foot} isAlert>
        {words ?? provider_error} {words === undefined && <code>{error.code}</code>}
      </Notice>
    );
  return (
    <Notice
      tone="warning"
      title={recorded.title}
      foot={
        <>
          {foot}
          {recorded.requestId && (
            <span>
              {problem.requestId} <IdChip id={recorded.requestId} />
            </span>
          )}
        </>
      }
      isAlert
    >
      <WithCode text={recorded.remedy} />
    </Notice>
  );
}

/** What the activity of a connect session says of its failure; undefined until that is known, or where it has none. */
function useRecordedFinding(sessionId: string | undefined) {
  const projectId = useOptionalProjectId();
  const textOf = useFindingTexts();
  const filter = { projectId: projectId ?? '', subjectId: sessionId ?? '', action: 'connect_session.failed' };
  const { data } = useQuery({
    ...apiQuery('/activity', { query: { ...filter, limit: 1 } }),
    enabled: projectId !== undefined && sessionId !== undefined,
    refetchInterval: ({ state }) =>
      state.data?.activity.length === 0 && state.dataUpdateCount < TRIES_MAX ? PAUSE_MS : false,
  });
  const [entry] = data?.activity ?? [];
  const { findings, integrationId } = entry?.details ?? {};
  const parameters = useFindingParameters(typeof integrationId === 'string' ? integrationId : undefined);
  const [finding] = Array.isArray(findings) ? findings : [];
  if (finding === undefined || entry === undefined) return undefined;
  const { title, remedy } = textOf({ ...finding, detail: '', ...(parameters && { parameters }) });
  return { title, remedy, requestId: entry.requestId };
}
