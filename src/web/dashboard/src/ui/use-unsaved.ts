import { useEffect, useRef } from 'react';
import { holdUnsaved, reportUnsaved } from '../api/unsaved.ts';

/** Has the page ask before it is left while the values are neither those at first nor those that were saved last. */
export function useUnsaved(values: object, initialValues: object, isKept: boolean) {
  const text = JSON.stringify(values);
  const saved = useRef<string>(undefined);
  const isChanged = text !== JSON.stringify(initialValues);
  // Read when the page is about to be left, which may be before it is drawn again.
  const isUnsaved = useRef(false);
  isUnsaved.current = isKept && isChanged && text !== saved.current;
  const isWorthAsking = isUnsaved.current;
  useEffect(() => holdUnsaved({ isUnsaved: () => isUnsaved.current }), []);
  useEffect(() => {
    if (isWorthAsking) reportUnsaved();
  }, [isWorthAsking]);
  return {
    isDirty: () => isChanged,
    markSaved: () => {
      saved.current = text;
      isUnsaved.current = false;
    },
  };
}
