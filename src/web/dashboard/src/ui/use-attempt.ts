import { useEffect, useRef } from 'react';
import { isOutcomeUnknown, makeKeys, sendUntilAnswered } from '../api/attempt.ts';
import { holdReload } from '../api/unsaved.ts';

/** As far apart as the two clicks of a double click may be, which are meant as one. */
const DOUBLE_CLICK_MS = 500;
/** By then what the answer holds is on the page, which keeps itself where a secret would be lost with it. */
const DRAWN_AFTER_MS = 1_000;

type Taken = { readonly input: string; readonly atMs: number; readonly isRunning: boolean };

/**
 * Makes one attempt of all presses of a button until its result is there, with one `Idempotency-Key` for each opened form.
 * `isForm`: only one of them runs at a time, whatever was typed meanwhile; else only one with the same input.
 */
export function useAttempt(isForm: boolean) {
  const keys = useRef(makeKeys()).current;
  const gone = useRef(new AbortController());
  const taken = useRef(new Map<string, Taken>()).current;
  useEffect(() => {
    const mounted = new AbortController();
    gone.current = mounted;
    return () => mounted.abort();
  }, []);
  const nameOf = (input: unknown) => (isForm ? '' : (JSON.stringify(input) ?? ''));
  return {
    /** False for a press that belongs to the one before. */
    begin: (input: unknown): boolean => {
      const text = JSON.stringify(input) ?? '';
      const before = taken.get(nameOf(input));
      const isSame = before?.input === text && performance.now() - before.atMs < DOUBLE_CLICK_MS;
      if (before?.isRunning || isSame) return false;
      taken.set(nameOf(input), { input: text, atMs: performance.now(), isRunning: true });
      return true;
    },
    run: async <R>(send: () => Promise<R>): Promise<R> => {
      const release = holdReload();
      try {
        return await sendUntilAnswered({ keyFor: keys.keyFor, signal: gone.current.signal }, send);
      } finally {
        // Not once all that follows is done, which may wait for the next page's script and so for the reload itself.
        setTimeout(release, DRAWN_AFTER_MS);
      }
    },
    /** To be called with the refusal, or without one when its result is shown. */
    end: (input: unknown, error?: unknown): void => {
      if (!isOutcomeUnknown(error)) keys.forget();
      const before = taken.get(nameOf(input));
      if (error != null || before === undefined) taken.delete(nameOf(input));
      else taken.set(nameOf(input), { ...before, isRunning: false });
    },
  };
}
