import type { OwnConnection } from '../credentials/provider-calls.ts';
import type { Ask } from './plan-run.ts';
import { PollFailure } from './poll-failure.ts';
import type { ProviderAnswer } from './read-answer.ts';

const TIMEOUT_MS = 30_000;
/** Looked through in one piece of some 20 ms; a longer page is asked for with fewer records. */
export const PAGE_BYTES_MAX = 2 * 1024 * 1024;

/** Asks the provider for a page. Rejects with PollFailure, OutboundError and refusals of a refresh. */
export async function sendAsk(
  connection: OwnConnection,
  ask: Ask | undefined,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  if (ask === undefined) {
    throw new PollFailure('request_incomplete', 'The path of the request names a value that is not known.');
  }
  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: PAGE_BYTES_MAX, signal };
  if (ask.kind === 'request') return connection.call(ask.request, limits);
  const answer = connection.follow(ask.link, ask.request, limits);
  if (answer === undefined) {
    throw new PollFailure('answer_unreadable', 'The next page is at another address than the API.');
  }
  return answer;
}
