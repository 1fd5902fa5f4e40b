import type { IncomingHttpHeaders } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import { readRetryAfterMs } from '../../lib/retry-after.ts';
import { FORBIDDEN_ADDRESS } from '../../platform/address-guard.ts';
import { isTlsFailure } from '../../platform/handshake-failures.ts';
import type { AttemptError } from './attempt.ts';
import type { Message, Sender, Sent } from './sender.ts';
import { signatureFields } from './standard-webhooks.ts';

const ATTEMPT_LIMIT_MS = 15_000;
/** How long the body of an answer is waited for, whose status has decided already. */
const ANSWER_BODY_LIMIT_MS = 2_000;
const ANSWER_BYTES_READ = 4 * 1024;
const ANSWER_BYTES_KEPT = 1024;
const USER_AGENT = 'integration-gateway';

type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly start: string };

/**
 * Sends by HTTP as Standard Webhooks wants it: signed, 2xx alone is success, redirects are failures. An attempt takes 15 s
 * at most, name resolution included. The status decides; of the body 4 KiB are read, for display, and the rest is cut.
 */
export function createHttpSender(deps: {
  dispatcher: Dispatcher;
  now(): number;
  /** Default: 15 s. */
  attemptLimitMs?: number;
}): Sender<string> {
  const { dispatcher, now, attemptLimitMs = ATTEMPT_LIMIT_MS } = deps;

  return {
    async send(url, message, signal) {
      if (signal.aborted) return undefined;
      const startedAtMs = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAtMs);
      const ending = new AbortController();
      const timer = setTimeout(() => ending.abort(), attemptLimitMs);
      const onAbort = () => ending.abort();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        const answer = await post(dispatcher, url, message, now(), ending.signal);
        return { ...judge(answer, now()), durationMs: durationMs() };
      } catch (error) {
        if (signal.aborted) return undefined;
        return { ...describe(error, ending.signal.aborted), durationMs: durationMs() };
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}

async function post(
  dispatcher: Dispatcher,
  url: string,
  message: Message,
  nowMs: number,
  signal: AbortSignal,
): Promise<Answer> {
  const { origin, pathname, search } = new URL(url);
  // Encoded once: 5 MiB of text take 25 ms each time.
  const body = Buffer.from(message.body);
  const answer = await dispatcher.request({
    origin,
    path: `${pathname}${search}`,
    method: 'POST',
    headers: {
      'content-type': message.contentType,
      'user-agent': USER_AGENT,
      // A compressed answer would be of no use to who reads its start.
      'accept-encoding': 'identity',
      ...signatureFields({ ...message, body, sentAtMs: nowMs }),
    },
    body,
    signal,
  });
  return { status: answer.statusCode, headers: answer.headers, start: await readStart(answer.body) };
}

/** The start of the body as text; what came of it, where it breaks off, is late or is large. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), ANSWER_BODY_LIMIT_MS);
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= ANSWER_BYTES_READ) break;
    }
  } catch {
    // The status has been received, which is all that counts.
  } finally {
    clearTimeout(timer);
    body.destroy();
  }
  const start = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_KEPT);
  return new StringDecoder('utf8').write(start).replaceAll('\0', '\uFFFD');
}

function judge({ status, headers, start }: Answer, nowMs: number): Omit<Sent, 'durationMs'> {
  const answer = start === '' ? undefined : start;
  const error = errorOf(status, headers);
  if (error === undefined) return { status, answer, error };
  const field = headers['retry-after'];
  return {
    status,
    answer,
    error,
    retryAfterMs: readRetryAfterMs(typeof field === 'string' ? field : undefined, nowMs),
  };
}

function errorOf(status: number, headers: IncomingHttpHeaders): AttemptError | undefined {
  if (status === 410) return 'gone';
  // Whatever the status, so that a receiver behind a framework that answers 200 may give up an event, too.
  if (headers['webhook-delivery'] === 'abort-message') return 'aborted_by_receiver';
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400 ? 'redirect' : 'refused_by_receiver';
}

export const UNKNOWN_NAME = /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL|ETIMEOUT|EREFUSED)/;
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

function describe(error: unknown, isTimeout: boolean): { error: AttemptError; code?: string | undefined } {
  const code = codeOf(error);
  if (code === FORBIDDEN_ADDRESS) return { error: 'address_refused' };
  if (code === CONNECT_TIMEOUT || isTimeout) return { error: 'timeout' };
  if (error instanceof Error && isTlsFailure(error)) return { error: 'tls_failed', code };
  if (code !== undefined && UNKNOWN_NAME.test(code)) return { error: 'name_not_found', code };
  return { error: 'connection_failed', code };
}

/** The code alone: messages name addresses. */
function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : undefined;
}
