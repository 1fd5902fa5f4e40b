import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from '../api/problem.ts';
import { isSessionEnd } from '../api/session-end.ts';

const RETRIES = 2;
const STALE_MS = 10_000;

function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.problem.status === 503;
}

/** `onSessionEnded` is called for every refusal of the session after which the operator did not sign in again. */
export function makeQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionEnd(error)) onSessionEnded();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // No answer may be a restart, and a store that was away may be back; other refusals stay.
        retry: (count, error) => isPassing(error) && count < RETRIES,
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}
