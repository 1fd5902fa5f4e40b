import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { UnreachableError } from '../../../api/problem.ts';
import { refresh } from '../../../api/queries.ts';
import { useTexts } from '../../../texts/texts.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Section } from '../../../ui/page.tsx';
import { ProblemNotice } from '../../../ui/problem-notice.tsx';
import { useProvider } from '../../../ui/provider-mark.tsx';
import { AnswerView } from './answer-view.tsx';
import { CallForm } from './call-form.tsx';
import { CodeSamples } from './code-samples.tsx';
import styles from './console.module.css';
import { type ConsoleCall, type ConsoleResponse, sendCall } from './console-call.ts';
import { addToHistory, clearHistory, type HistoryEntry, readHistory } from './history.ts';
import { HistoryList } from './history-list.tsx';
import { KNOWN_PATHS } from './recipes.ts';
import { type Integration, TargetPicker } from './target-picker.tsx';

type Outcome = { readonly answer?: ConsoleResponse; readonly error?: unknown };

type Props = {
  readonly projectId: string;
  readonly operatorId: string;
  /** Where this browser reaches the proxy, and where the application does. */
  readonly proxyUrl: string;
  readonly publicProxyUrl: string;
  readonly integrations: readonly Integration[];
  readonly first: ConsoleCall;
};

/** The form, the answer, the code and the history. */
export function Workbench({ projectId, operatorId, proxyUrl, publicProxyUrl, integrations, first }: Props) {
  const [call, setCall] = useState(first);
  const [isOther, setOther] = useState(first.userId !== '');
  const [entries, setEntries] = useState(() => readHistory(projectId, operatorId));
  const { outcome, isSending, send, cancel } = useSending({ projectId, proxyUrl });
  const paths = useKnownPaths(call.provider, entries);
  const change = (part: Partial<ConsoleCall>) => setCall((before) => ({ ...before, ...part }));
  const pick = ({ provider, method, path }: HistoryEntry) =>
    change({ provider, method, path, query: [], ...(provider !== call.provider && { connectionId: '' }) });
  const sendNow = async () => {
    const answer = await send(call);
    if (answer) setEntries(addToHistory(projectId, operatorId, toEntry(call, answer)));
  };
  return (
    <div className={styles.columns}>
      <div>
        <Section>
          <CallForm
            call={call}
            onChange={change}
            paths={paths}
            isSending={isSending}
            isAllowed={!isOther || call.userId !== ''}
            onSend={() => void sendNow()}
            onCancel={cancel}
            target={
              <TargetPicker {...{ projectId, call, integrations, isOther, setOther }} onChange={change} />
            }
          />
        </Section>
        <OutcomeView outcome={outcome} />
      </div>
      <div>
        <CodeSamples call={call} proxyUrl={publicProxyUrl} projectId={projectId} />
        <HistoryList
          entries={entries}
          onPick={pick}
          onClear={() => {
            clearHistory(projectId, operatorId);
            setEntries([]);
          }}
        />
      </div>
    </div>
  );
}

function OutcomeView({ outcome: { answer, error } }: { outcome: Outcome }) {
  const { console: texts } = useTexts().calls;
  if (answer) return <AnswerView answer={answer} />;
  // What fetch throws when no answer came, or one that this page may not read.
  if (error instanceof TypeError || error instanceof UnreachableError)
    return (
      <Notice tone="warning" title={texts.unreachable} isAlert>
        {texts.unreachableText}
      </Notice>
    );
  if (error) return <ProblemNotice error={error} />;
  return (
    <Section title={texts.answer}>
      <p className="soft">{texts.answerEmpty}</p>
    </Section>
  );
}

/** One call at a time. `send` gives back the answer, undefined where there is none. */
function useSending({ projectId, proxyUrl }: { projectId: string; proxyUrl: string }) {
  const client = useQueryClient();
  const abort = useRef<AbortController>(undefined);
  const isBusy = useRef(false);
  const [isSending, setSending] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>({});
  async function send(call: ConsoleCall): Promise<ConsoleResponse | undefined> {
    // The second press of a double click comes before the button is drawn again.
    if (isBusy.current) return undefined;
    isBusy.current = true;
    abort.current = new AbortController();
    const { signal } = abort.current;
    setSending(true);
    try {
      const answer = await sendCall(call, { proxyUrl, projectId, signal });
      setOutcome({ answer });
      void refresh(client, '/projects/{projectId}/calls', '/projects/{projectId}/stats');
      return answer;
    } catch (error) {
      setOutcome(signal.aborted ? {} : { error });
      return undefined;
    } finally {
      isBusy.current = false;
      setSending(false);
    }
  }
  return { outcome, isSending, send, cancel: () => abort.current?.abort() };
}

/** What this operator called before, the catalog's account call, and common ones. */
function useKnownPaths(provider: string, entries: readonly HistoryEntry[]): readonly string[] {
  const accountCall = useProvider(provider)?.accountCall;
  const own = entries.filter((entry) => entry.provider === provider).map(({ path }) => path);
  const known = Object.hasOwn(KNOWN_PATHS, provider) ? (KNOWN_PATHS[provider] ?? []) : [];
  return [...new Set([...own, ...(accountCall ? [accountCall.path] : []), ...known])];
}

function toEntry({ provider, method, path }: ConsoleCall, answer: ConsoleResponse): HistoryEntry {
  const { status, totalMs: durationMs, requestId } = answer;
  return { at: new Date().toISOString(), provider, method, path, status, durationMs, requestId };
}
