import { LRUCache } from 'lru-cache';
import type { Outbound } from '../platform/outbound.ts';
import type { VerifyTools } from './webhook.ts';

const KEYS_MAX = 200;
const FRESH_MS = 3_600_000;
/** A key that could not be fetched is asked for again after this, however many webhooks need it. */
const FAILED_MS = 10_000;
const TIMEOUT_MS = 3_000;
const KEY_BYTES_MAX = 256 * 1024;

/** A key of the provider that could not be fetched: the webhook cannot be judged now. */
export class KeyUnavailableError extends Error {
  override readonly name = 'KeyUnavailableError';
}

/**
 * Fetches keys and certificates of providers, each once an hour. Callers who need the same one share the call. Rejects
 * with KeyUnavailableError.
 */
export function createFetchKey(deps: { outbound: Outbound; now(): number }): VerifyTools['fetchKey'] {
  const { outbound, now } = deps;
  const cache = new LRUCache<string, { untilMs: number; text: Promise<string> }>({ max: KEYS_MAX });

  async function fetch(url: string): Promise<string> {
    try {
      const { status, body } = await outbound.request({
        url,
        headers: { Accept: '*/*' },
        timeoutMs: TIMEOUT_MS,
        responseBytesMax: KEY_BYTES_MAX,
      });
      if (status !== 200) throw new Error(`the key's address answered ${status}`);
      return body.toString('utf8');
    } catch (error) {
      throw new KeyUnavailableError('a key of the provider could not be fetched', { cause: error });
    }
  }

  return (url, options) => {
    if (options?.authorization !== undefined) {
      return Promise.reject(new KeyUnavailableError('the key needs a token of the application'));
    }
    const cached = cache.get(url);
    if (cached && cached.untilMs > now()) return cached.text;
    const entry = { untilMs: now() + FRESH_MS, text: fetch(url) };
    entry.text.catch(() => {
      entry.untilMs = now() + FAILED_MS;
    });
    cache.set(url, entry);
    return entry.text;
  };
}
