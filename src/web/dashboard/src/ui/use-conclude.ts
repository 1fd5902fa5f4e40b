import { useQueryClient } from '@tanstack/react-query';
import { refresh } from '../api/queries.ts';
import { showDone } from './toasts.tsx';

/** What follows when the API has done what was asked, in this order. */
export type Outcome<R> = {
  /** What a toast says. */
  readonly done?: string | ((result: R) => string | undefined);
  readonly onClose?: () => void;
  readonly onDone?: (result: R) => unknown;
  /** Templates of the calls whose answers it changed; last, so that a deleted thing's page is left by then. */
  readonly refresh?: readonly string[];
};

/** Does what follows a call that succeeded. */
export function useConclude<R>({ done, onClose, onDone, refresh: paths = [] }: Outcome<R>) {
  const client = useQueryClient();
  return async (result: R) => {
    const words = typeof done === 'function' ? done(result) : done;
    if (words !== undefined) showDone(words);
    onClose?.();
    await onDone?.(result);
    await refresh(client, ...paths);
  };
}
