import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, findCode } from '../api/problem.ts';
import { isSessionEnd } from '../api/session-end.ts';
import { MEMBERS } from './session.ts';

const RETRIES = 2;
const STALE_MS = 10_000;

function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.problem.status === 503;
}

/** `onSessionEnded` is called for every refusal of the session after which the operator did not sign in again. */
export function makeQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: Error) => {
    if (isSessionEnd(error)) onSessionEnded();
    // The role is not the one any more by which the page offers what it does.
    if (findCode(error) === 'insufficient_role') void client.invalidateQueries({ queryKey: [MEMBERS] });
  };
  const client = new QueryClient({
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
  return client;
}
