import { useEffect } from 'react';
import { holdUnsaved, reportUnsaved } from '../api/unsaved.ts';
import { useTexts } from '../texts/texts.tsx';

/** Keeps the page, as it keeps what is typed, while it shows what the API shows this once. */
export function useShownOnce(isShown = true): void {
  const { secret } = useTexts();
  useEffect(() => {
    if (!isShown) return;
    const words = { title: secret.leaveTitle, text: secret.leaveText, confirm: secret.leave };
    const release = holdUnsaved({ isUnsaved: () => true, words });
    reportUnsaved();
    return release;
  }, [secret, isShown]);
}
