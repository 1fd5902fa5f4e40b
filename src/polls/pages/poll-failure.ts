import { HttpError } from '../../http/errors.ts';
import { isRecord } from '../../lib/is-record.ts';
import { readRetryAfterMs } from '../../lib/retry-after.ts';
import { readProviderWords } from '../../oauth/provider-words.ts';
import { OutboundError } from '../../platform/outbound.ts';
import { UnreadableResponseError } from './parse-response.ts';
import { type ProviderResponse, RefusedResponseError } from './read-response.ts';

/** What ends a slice before its time. */
export class PollFailure extends Error {
  override readonly name = 'PollFailure';
  readonly code: string;
  /** In words for operators, the provider's own among them; at most some hundred characters. */
  readonly detail: string | null;
  /** When to try again; null: by the usual pauses, which grow. */
  readonly retryAfterMs: number | null;
  /** The provider refuses the request itself: sent again, it would be refused again. */
  readonly isRequestRefused: boolean;

  constructor(
    code: string,
    detail: string | null,
    retryAfterMs: number | null = null,
    { isRequestRefused = false } = {},
  ) {
    super(code);
    this.code = code;
    this.detail = detail;
    this.retryAfterMs = retryAfterMs;
    this.isRequestRefused = isRequestRefused;
  }
}

/** Why a poll of a connection does not go on. `isFailure`: it counts, and the pauses get longer. */
export type PollError = {
  readonly code: string;
  readonly detail: string | null;
  readonly isFailure: boolean;
};

const PAUSE_SECONDS_FIRST = 15;
const PAUSE_SECONDS_MAX = 3_600;
const DETAIL_LENGTH_MAX = 400;
/** Statuses of a page that the provider has forgotten. Others, such as 403, may mean an allowance that is used up. */
const REFUSALS_OF_REQUEST: ReadonlySet<number> = new Set([400, 404, 410, 422]);

/** How to go on after what was thrown. Throws on what is none of the provider's or the connection's fault. */
export function toPollFailure(thrown: unknown): PollFailure {
  if (thrown instanceof PollFailure) return thrown;
  if (thrown instanceof UnreadableResponseError) return new PollFailure('answer_unreadable', thrown.message);
  if (thrown instanceof RefusedResponseError)
    return new PollFailure('provider_refused', codeIn(thrown.content), null, { isRequestRefused: true });
  if (thrown instanceof RangeError)
    return new PollFailure('answer_unreadable', 'A record is nested too deeply.');
  if (thrown instanceof OutboundError) {
    if (thrown.kind === 'certificate_refused' || thrown.kind === 'certificate_unusable')
      return new PollFailure(`client_${thrown.kind}`, thrown.message.slice(0, DETAIL_LENGTH_MAX));
    const code = thrown.kind === 'too_large' ? 'page_too_large' : 'provider_unavailable';
    return new PollFailure(code, thrown.message.slice(0, DETAIL_LENGTH_MAX));
  }
  if (thrown instanceof HttpError && thrown.status !== 500 && thrown.code !== 'store_unavailable') {
    const seconds = Number(thrown.headers['Retry-After'] ?? Number.NaN);
    return new PollFailure(thrown.code, thrown.detail, Number.isNaN(seconds) ? null : seconds * 1000);
  }
  throw thrown;
}

/** Slack and its like name a code and nothing else; it is shown where it is made of words, which no credential is. */
function codeIn(content: unknown): string {
  const code = isRecord(content) ? content.error : undefined;
  const isCode = typeof code === 'string' && code.length <= 60 && /^[a-z]+([_.-][a-z]+)*$/i.test(code);
  return isCode ? `The provider answered: ${code}` : 'The provider refused with a good status.';
}

/** The refusal of a provider, in its own words. */
export function describeRefusal(answer: ProviderResponse, secrets: readonly string[]): PollFailure {
  const { status } = answer;
  const words = readWords(answer, secrets);
  const detail = `The provider answered ${status}${words === undefined ? '.' : `: ${words}`}`;
  if (status === 401) return new PollFailure('credential_not_accepted', detail);
  if (status >= 500) return new PollFailure('provider_unavailable', detail, readAskedPause(answer));
  return new PollFailure('provider_refused', detail, null, {
    isRequestRefused: REFUSALS_OF_REQUEST.has(status),
  });
}

/** Providers say with 503 how long their maintenance takes (RFC 9110 section 10.2.3). */
function readAskedPause({ headers }: ProviderResponse): number | null {
  const [field] = [headers['retry-after'] ?? []].flat();
  return readRetryAfterMs(field, Date.now()) ?? null;
}

function readWords({ body }: ProviderResponse, secrets: readonly string[]): string | undefined {
  try {
    const content: unknown = JSON.parse(body.subarray(0, 64 * 1024).toString('utf8'));
    // Salesforce answers with a list of errors.
    const first: unknown = Array.isArray(content) ? content[0] : content;
    return isRecord(first) ? readProviderWords(first, secrets) : undefined;
  } catch {
    return undefined;
  }
}

/** `rate_limited` and waiting for the user are no failures; other pauses double up to an hour. `random` in [0, 1). */
export function pauseAfter(
  failure: PollFailure,
  failures: number,
  random: number,
): { afterSeconds: number; error: PollError } {
  const isFailure = failure.code !== 'rate_limited';
  const error = { code: failure.code, detail: failure.detail, isFailure };
  const asked = Math.min(PAUSE_SECONDS_MAX, (failure.retryAfterMs ?? 0) / 1000 + random);
  const isDown = failure.code === 'provider_unavailable';
  if (failure.retryAfterMs !== null && !isDown) return { afterSeconds: asked, error };
  if (failure.code === 'reauthorization_required') return { afterSeconds: PAUSE_SECONDS_MAX, error };
  const usual = Math.min(PAUSE_SECONDS_MAX, PAUSE_SECONDS_FIRST * 2 ** Math.min(failures, 10));
  const grown = usual * (0.75 + random / 2);
  // A server that is down for longer than it says is not asked every second.
  return { afterSeconds: failure.retryAfterMs === null ? grown : Math.max(asked, grown), error };
}
