import { useEffect, useState } from 'react';

/** The search field: once it has the focus, keys are its own. */
export const PALETTE_FIELD = 'palette-field';
/** A field that is not there by then does not come: the keys belong to the page again. */
const TAKEN_MS = 5_000;

/** What is typed into the search field, also between the shortcut that opens it and the time at which it has the focus. */
export function useTypedAhead(isOpen: boolean): [words: string, setWords: (words: string) => void] {
  const [words, setWords] = useState('');
  useEffect(() => {
    if (!isOpen) return;
    const openedAtMs = performance.now();
    const onKey = (event: KeyboardEvent) => {
      const hasField = document.activeElement?.id === PALETTE_FIELD;
      if (hasField || performance.now() - openedAtMs > TAKEN_MS) return stop();
      if (!isText(event)) return;
      // Neither the field that had the focus before nor a shortcut of the page gets it.
      event.preventDefault();
      event.stopPropagation();
      setWords((typed) => (event.key === 'Backspace' ? typed.slice(0, -1) : typed + event.key));
    };
    const stop = () => document.removeEventListener('keydown', onKey, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      stop();
      setWords('');
    };
  }, [isOpen]);
  return [words, setWords];
}

function isText({ key, ctrlKey, metaKey, altKey, isComposing }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && !isComposing && (key.length === 1 || key === 'Backspace');
}
