import { Button } from '@mantine/core';
import type { NotificationData } from '@mantine/notifications';
import { Suspense, useSyncExternalStore } from 'react';
import { loadScript } from '../api/load-script.ts';
import { ApiError } from '../api/problem.ts';
import type { Texts } from '../texts/area-texts.ts';
import { Icon } from './icons.tsx';
import { lazyPart } from './lazy-part.ts';
import { ProblemTitle } from './problem-title.tsx';

const UNDO_MS = 10_000;

const Host = lazyPart(() => import('./toast-host.tsx'), 'ToastHost');
const loadHost = () => loadScript(() => import('./toast-host.tsx'));
/** What the host is loaded with, of which toasts may be made. */
type Loaded = Awaited<ReturnType<typeof loadHost>>;
const listeners = new Set<() => void>();
let shown = 0;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Where toasts appear. Their code is loaded with the first one. */
export function Toasts() {
  const isWanted = useSyncExternalStore(subscribe, () => shown > 0);
  return isWanted ? (
    <Suspense>
      <Host />
    </Suspense>
  ) : null;
}

/** Gives the id to hide it by. */
function show(make: (loaded: Loaded) => NotificationData): string {
  shown += 1;
  const id = `toast-${shown}`;
  for (const listener of listeners) listener();
  void loadHost().then((loaded) => loaded.notifications.show({ ...make(loaded), id }));
  return id;
}

function hide(id: string): void {
  void loadHost().then(({ notifications }) => notifications.hide(id));
}

/** Says that something worked. */
export function showDone(message: string): void {
  show(() => ({ message, icon: <Icon name="check" size={16} />, color: 'teal', withBorder: true }));
}

/** Says that something failed, where no place in the page can: the problem's title and remedy, or other words. */
export function showProblem(error: unknown, texts: Texts, words?: string): void {
  show(({ ProblemText }) => ({
    ...describe(ProblemText),
    color: 'red',
    withBorder: true,
    autoClose: 12_000,
  }));

  function describe(ProblemText: Loaded['ProblemText']) {
    if (words !== undefined) return { title: words, message: undefined };
    if (error instanceof ApiError)
      return {
        title: <ProblemTitle problem={error.problem} />,
        message: <ProblemText problem={error.problem} />,
      };
    return { title: texts.problem.unreachableTitle, message: texts.problem.unreachableRemedy };
  }
}

type Undoable = {
  /** What has been done, in the past tense: "Filter removed". */
  readonly message: string;
  readonly texts: Texts;
  /** Does it for good, after ten seconds or when the page is left. */
  readonly commit: () => void;
  /** Puts back what the page showed. */
  readonly undo: () => void;
};

/** Waits for ten seconds before something is done for good, with a button that calls it off. */
export function offerUndo({ message, texts, commit, undo }: Undoable): void {
  let isOpen = true;
  const settle = (act: () => void) => {
    if (!isOpen) return;
    isOpen = false;
    removeEventListener('pagehide', onLeave);
    clearTimeout(timer);
    hide(id);
    act();
  };
  const onLeave = () => settle(commit);
  const timer = setTimeout(onLeave, UNDO_MS);
  addEventListener('pagehide', onLeave);
  const id = show(() => ({
    autoClose: false,
    withBorder: true,
    withCloseButton: false,
    message: (
      <span style={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: 12 }}>
        {message}
        <Button size="compact-sm" variant="light" onClick={() => settle(undo)}>
          {texts.common.undo}
        </Button>
      </span>
    ),
  }));
}
