import { createContext, type ReactNode, Suspense, useCallback, useContext, useState } from 'react';
import { lazyPart } from './lazy-part.ts';
import type { Question } from './question.ts';

const ConfirmDialog = lazyPart(() => import('./confirm-dialog.tsx'), 'ConfirmDialog');

/** Loads the dialog before it is needed. */
export function preloadConfirm(): void {
  void ConfirmDialog.preload?.();
}

type Ask = (question: Question) => Promise<boolean>;
type Open = { readonly question: Question; readonly answer: (isConfirmed: boolean) => void };

const Context = createContext<Ask | undefined>(undefined);

/** Asks before something is destroyed: `if (await confirm({ … })) …`. */
export function useConfirm(): Ask {
  const ask = useContext(Context);
  if (ask === undefined) throw new Error('No ConfirmProvider around this component');
  return ask;
}

export function ConfirmProvider({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState<Open>();
  const ask = useCallback<Ask>(
    (question) =>
      new Promise((resolve) =>
        setOpen((before) => {
          // Of two questions the later one stands; whoever asked the first goes on without it.
          before?.answer(false);
          return { question, answer: resolve };
        }),
      ),
    [],
  );
  const close = (isConfirmed: boolean) => {
    open?.answer(isConfirmed);
    setOpen(undefined);
  };
  return (
    <Context.Provider value={ask}>
      {children}
      {open && (
        <Suspense>
          <ConfirmDialog question={open.question} onClose={close} />
        </Suspense>
      )}
    </Context.Provider>
  );
}
