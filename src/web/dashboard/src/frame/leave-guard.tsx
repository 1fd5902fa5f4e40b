import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { findUnsaved, giveUpUnsaved, hasUnsaved, onUnsaved } from '../api/unsaved.ts';
import { useTexts } from '../texts/texts.tsx';
import { preloadConfirm, useConfirm } from '../ui/confirm.tsx';
import { preloadSignInAgain } from './sign-in-again.tsx';

/** Asks before a changed form is left, by the navigation, the browser's buttons or a reload. */
export function LeaveGuard() {
  const { leave } = useTexts();
  const confirm = useConfirm();
  // Neither may be had any more when it is needed, after an upgrade or without a network.
  useEffect(
    () =>
      onUnsaved(() => {
        preloadConfirm();
        preloadSignInAgain();
      }),
    [],
  );
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const unsaved = current.pathname === next.pathname ? undefined : findUnsaved();
      if (unsaved === undefined) return false;
      const words = unsaved.words ?? leave;
      const isLeft = await confirm({
        title: words.title,
        consequences: [words.text],
        confirmLabel: words.confirm,
      });
      if (isLeft) giveUpUnsaved();
      return !isLeft;
    },
    enableBeforeUnload: hasUnsaved,
  });
  return null;
}
