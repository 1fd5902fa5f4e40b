import { Suspense, useEffect, useState } from 'react';
import { setRestore } from '../api/session-end.ts';
import { hasUnsaved } from '../api/unsaved.ts';
import { withTexts } from '../texts/texts.tsx';
import { lazyPart } from '../ui/lazy-part.ts';

const SignInDialog = lazyPart(() => import('./sign-in-dialog.tsx'), 'SignInDialog');
const loadDialogTexts = withTexts('sign-in');

/** Loads the dialog before it is needed. */
export function preloadSignInAgain(): void {
  void SignInDialog.preload?.();
  void loadDialogTexts();
}

type Answer = (isSignedIn: boolean) => void;

/**
 * Where the session has ended, asks to sign in above the page instead of leaving it: for a request that changes something,
 * and while something typed would be lost. The requests that were refused wait for it.
 */
export function SignInAgain() {
  const [answer, setAnswer] = useState<Answer>();
  useEffect(() => {
    let asked: Promise<boolean> | undefined;
    // Lists that ask by themselves do not open again what the operator has closed.
    let isDeclined = false;
    const ask = async () => {
      const isSignedIn = await new Promise<boolean>((resolve) => setAnswer(() => resolve));
      asked = undefined;
      isDeclined = !isSignedIn;
      setAnswer(undefined);
      return isSignedIn;
    };
    return setRestore(async (isChange) => {
      if (asked === undefined && !isChange && (isDeclined || !hasUnsaved())) return false;
      asked ??= ask();
      return asked;
    });
  }, []);
  if (answer === undefined) return null;
  return (
    <Suspense>
      <SignInDialog onClose={answer} />
    </Suspense>
  );
}
