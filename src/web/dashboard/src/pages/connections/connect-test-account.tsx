import { Button, type ButtonProps, Modal } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/queries.ts';
import {
  ConnectFailure,
  type Connection,
  type ConnectTarget,
  createSession,
  finishSession,
  openPopup,
} from '../../app/connect-popup.ts';
import { useOptionalProjectId } from '../../app/project.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ProblemNotice } from '../../ui/problem-notice.tsx';
import { showDone } from '../../ui/toasts.tsx';
import { ApplicationVariables } from './application-variables.tsx';
import styles from './connections.module.css';
import { variablesAskedBy } from './variables-asked.ts';

type State =
  | { readonly step: 'idle' }
  /** `url` is set where the browser let no window through. */
  | { readonly step: 'waiting'; readonly url?: string }
  | { readonly step: 'failed'; readonly error: unknown; readonly target: ConnectTarget };

/**
 * Connects an account as the operator's own test user, in a window of the hosted connect page. `start` must be called
 * straight from a click.
 */
export function useConnectTestAccount(onConnected?: (connection: Connection) => void) {
  const { connections } = useTexts();
  const { language } = useLanguage();
  const client = useQueryClient();
  const [state, setState] = useState<State>({ step: 'idle' });
  const waiting = useRef<AbortController>(undefined);
  useEffect(() => () => waiting.current?.abort(), []);

  async function start(target: ConnectTarget): Promise<void> {
    waiting.current?.abort();
    const abort = new AbortController();
    waiting.current = abort;
    const popup = openPopup();
    setState({ step: 'waiting' });
    try {
      const session = await createSession(target, { language, allowMultiple: true });
      if (popup) popup.location.replace(session.url);
      else setState({ step: 'waiting', url: session.url });
      const connection = await finishSession(session, popup, abort.signal);
      setState({ step: 'idle' });
      await refresh(
        client,
        '/projects/{projectId}/connections',
        '/connections',
        '/connections/{id}',
        '/integrations',
      );
      showDone(connections.testAccount.done(connection.accountName ?? connection.serviceProvider));
      onConnected?.(connection);
    } catch (error) {
      if (error instanceof ConnectFailure) closeUnlessExplaining(popup, error.code);
      else popup?.close();
      setState(abort.signal.aborted ? { step: 'idle' } : { step: 'failed', error, target });
    }
  }

  return {
    state,
    start,
    reset: () => {
      waiting.current?.abort();
      setState({ step: 'idle' });
    },
  };
}

/** The window explains every error but those that come from it being closed or left alone. */
function closeUnlessExplaining(popup: Window | undefined, code: string): void {
  if (code === 'popup_closed' || code === 'session_expired') popup?.close();
}

type ConnectTestAccountProps = ButtonProps & {
  readonly target: ConnectTarget;
  /** For the words while the window is open. */
  readonly providerName: string;
  /** Left out: "Connect a test account". */
  readonly label?: string;
  readonly onConnected?: (connection: Connection) => void;
};

/**
 * A button that connects an account of the operator's own in a window. The API refuses it to viewers: show it where
 * `useCanEdit(projectId)`.
 */
export function ConnectTestAccount({
  target,
  providerName,
  label,
  onConnected,
  ...button
}: ConnectTestAccountProps) {
  const { connections } = useTexts();
  const { state, start, reset } = useConnectTestAccount(onConnected);
  return (
    <>
      <Button
        leftSection={<Icon name="plus" size={15} />}
        loading={state.step === 'waiting'}
        {...button}
        onClick={() => void start(target)}
      >
        {label ?? connections.testAccount.button}
      </Button>
      <ConnectDialog state={state} providerName={providerName} onStart={start} onClose={reset} />
    </>
  );
}

/** What the operator sees while the window is open, and why nothing came of it. */
export function ConnectDialog(props: {
  state: State;
  providerName: string;
  onStart: (target: ConnectTarget) => Promise<void>;
  onClose: () => void;
}) {
  const { state, providerName, onStart, onClose } = props;
  const { connections, common } = useTexts();
  const texts = connections.testAccount;
  const isFailed = state.step === 'failed';
  const asked = isFailed ? variablesAskedBy(state.error) : [];
  return (
    <Modal
      opened={state.step !== 'idle'}
      onClose={onClose}
      title={
        asked.length > 0 ? connections.applicationVariables.title : isFailed ? texts.failed : texts.waiting
      }
      closeOnClickOutside={false}
    >
      {state.step === 'waiting' && (
        <div className={styles.stack}>
          <p>{texts.waitingText(providerName)}</p>
          {state.url !== undefined && (
            <Notice tone="warning" title={texts.blocked}>
              {/* The page tells its opener of the outcome. */}
              <a href={state.url} target="_blank" rel="noopener opener">
                {texts.open}
              </a>
            </Notice>
          )}
          <div className={styles.end}>
            <Button variant="default" onClick={onClose}>
              {texts.cancel}
            </Button>
          </div>
        </div>
      )}
      {isFailed && asked.length > 0 && (
        <ApplicationVariables
          asked={asked}
          onClose={onClose}
          onSubmit={(variables) => void onStart({ ...state.target, variables })}
        />
      )}
      {isFailed && asked.length === 0 && (
        <div className={styles.stack}>
          <Failure error={state.error} target={state.target} />
          <div className={styles.end}>
            <Button variant="default" onClick={onClose}>
              {common.close}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  );
}

function Failure({ error, target }: { error: unknown; target: ConnectTarget }) {
  const { testAccount } = useTexts().connections;
  const projectId = useOptionalProjectId();
  const finding = projectId !== undefined && 'integrationId' in target && (
    <TextLink
      to="/p/$projectId/integrations/$integrationId"
      params={{ projectId, integrationId: target.integrationId }}
    >
      {testAccount.openFindings}
    </TextLink>
  );
  return <ProblemNotice error={error} finding={error instanceof ConnectFailure && finding} />;
}
