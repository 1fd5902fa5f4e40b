import { Button } from '@mantine/core';
import { useEffect, useReducer, useRef, useState } from 'react';
import { useProjectId } from '../../app/project.ts';
import { findRegionalTag } from '../../texts/regional-tag.ts';
import { useLanguage, useTexts } from '../../texts/texts.tsx';
import { Icon } from '../../ui/icons.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { StateBadge } from '../../ui/state-badge.tsx';
import { type Call, CallDuration, CallLine, CallStatus } from './call-parts.tsx';
import styles from './calls.module.css';
import { type Activity, followTail } from './event-stream.ts';
import { EMPTY_TAIL, reduceTail, type TailEntry, type TailState } from './tail-state.ts';

/** Calls and changes as they happen, once the operator asks for them. */
export function LiveTail() {
  const { tail: texts } = useTexts().calls;
  const projectId = useProjectId();
  const [state, dispatch] = useReducer(reduceTail, EMPTY_TAIL);
  const [isOn, setOn] = useState(false);
  const end = useRef<() => void>(undefined);
  // Leaving the page ends it.
  useEffect(() => () => end.current?.(), []);
  const start = () => {
    end.current?.();
    setOn(true);
    dispatch({ kind: 'connect' });
    end.current = followTail(projectId, dispatch);
  };
  const stop = () => {
    end.current?.();
    setOn(false);
    dispatch({ kind: 'stop' });
  };
  return (
    <Section
      title={texts.title}
      lead={texts.lead}
      flush
      actions={
        <TailActions
          state={state}
          isOn={isOn}
          onStart={start}
          onStop={stop}
          onPause={() => dispatch({ kind: 'pause' })}
        />
      }
    >
      {isOn && <TailBody state={state} onGoOn={start} />}
    </Section>
  );
}

type ActionsProps = {
  readonly state: TailState;
  readonly isOn: boolean;
  readonly onStart: () => void;
  readonly onStop: () => void;
  readonly onPause: () => void;
};

function TailActions({ state, isOn, onStart, onStop, onPause }: ActionsProps) {
  const { tail: texts } = useTexts().calls;
  if (!isOn)
    return (
      <Button variant="default" leftSection={<Icon name="play" size={14} />} onClick={onStart}>
        {texts.start}
      </Button>
    );
  const isRunning = state.phase === 'live' || state.phase === 'connecting';
  return (
    <span className={styles.tailHead}>
      <TailBadge state={state} />
      {isRunning && (
        <Button
          variant="default"
          leftSection={<Icon name={state.isPaused ? 'play' : 'pause'} size={14} />}
          onClick={onPause}
        >
          {state.isPaused ? texts.resume : texts.pause}
        </Button>
      )}
      <Button variant="default" onClick={onStop}>
        {texts.stop}
      </Button>
    </span>
  );
}

function TailBadge({ state }: { state: TailState }) {
  const { tail: texts } = useTexts().calls;
  if (state.phase === 'connecting') return <StateBadge tone="neutral">{texts.connecting}</StateBadge>;
  if (state.phase !== 'live') return null;
  if (state.isPaused)
    return (
      <StateBadge tone="info" icon="pause">
        {state.held.length === 0 ? texts.paused : texts.pausedWithNew(state.held.length)}
      </StateBadge>
    );
  return (
    <StateBadge tone="good" icon="dot">
      {texts.live}
    </StateBadge>
  );
}

function TailBody({ state, onGoOn }: { state: TailState; onGoOn: () => void }) {
  const { tail: texts } = useTexts().calls;
  const words = {
    time: texts.ended,
    shutting_down: texts.endedShutdown,
    access_ended: texts.endedAccess,
    lost: texts.lost,
  };
  return (
    <>
      {state.ending && (
        <div className={styles.note} role="status">
          {words[state.ending]}{' '}
          <Button size="compact-sm" variant="light" onClick={onGoOn}>
            {texts.goOn}
          </Button>
        </div>
      )}
      {state.dropped > 0 && <p className={styles.note}>{texts.dropped(state.dropped)}</p>}
      {state.entries.length === 0 && !state.ending && <p className={styles.note}>{texts.waiting}</p>}
      {state.entries.length > 0 && (
        <ul className={styles.tail} aria-label={texts.list} tabIndex={0}>
          {state.entries.map((entry) => (
            <li key={entry.id}>
              <TailRow entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function TailRow({ entry }: { entry: TailEntry }) {
  return entry.kind === 'call' ? <TailCall call={entry.call} /> : <TailActivity activity={entry.activity} />;
}

function TailCall({ call }: { call: Call }) {
  const projectId = useProjectId();
  return (
    <TextLink to="/p/$projectId/calls/$requestId" params={{ projectId, requestId: call.requestId }}>
      <Clock at={call.at} />
      <CallStatus call={call} />
      <CallLine call={{ method: call.method, path: `${call.provider}${call.path}` }} />
      <span className={styles.after}>
        <CallDuration call={call} />
      </span>
    </TextLink>
  );
}

function TailActivity({ activity }: { activity: Activity }) {
  const { connections, calls } = useTexts();
  return (
    <div>
      <Clock at={activity.createdAt} />
      <StateBadge tone="info">{calls.tail.activity}</StateBadge>
      <span>{connections.timeline.actions[activity.action] ?? activity.action}</span>
    </div>
  );
}

function Clock({ at }: { at: string }) {
  const { language } = useLanguage();
  return <time dateTime={at}>{new Date(at).toLocaleTimeString(findRegionalTag(language))}</time>;
}
