import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, findCode, findStatus } from '../api/problem.ts';

const RETRIES = 2;
const STALE_MS = 10_000;

/** Refusals of a sign-in itself, which say nothing about the session. */
const SIGN_IN_CODES: ReadonlySet<string> = new Set([
  'credentials_invalid',
  'otp_required',
  'otp_invalid',
  'sign_in_required',
]);

function isPassing(error: Error): boolean {
  return !(error instanceof ApiError) || error.problem.status === 503;
}

/** `onSessionEnded` is called for every 401 that is not the answer to a sign-in. */
export function makeQueryClient(onSessionEnded: () => void): QueryClient {
  const onError = (error: Error) => {
    if (findStatus(error) === 401 && !SIGN_IN_CODES.has(findCode(error) ?? '')) onSessionEnded();
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
