import { LRUCache } from 'lru-cache';
import type { OpenApplication } from '../credentials/application-calls.ts';
import type { Outbound, OutboundResponse } from '../platform/outbound.ts';
import type { WebhookOwner } from './webhook-owners.ts';

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

/** Whose application asks for keys that need its token. */
type Asking = Pick<WebhookOwner, 'integrationId' | 'projectId' | 'description'>;

export type FetchKey = (
  url: string,
  options: { readonly authorization?: 'application' } | undefined,
  owner: Asking,
) => Promise<string>;

/**
 * Fetches keys and certificates of providers, each once an hour. Callers who need the same one share the call. Rejects
 * with KeyUnavailableError.
 */
export function createFetchKey(deps: {
  outbound: Outbound;
  openApplication: OpenApplication;
  now(): number;
}): FetchKey {
  const { outbound, now } = deps;
  const cache = new LRUCache<string, { untilMs: number; text: Promise<string> }>({ max: KEYS_MAX });

  const limits = { timeoutMs: TIMEOUT_MS, responseBytesMax: KEY_BYTES_MAX };
  const headers = { Accept: '*/*' };

  /** The token goes to the API's own origin only. */
  async function askAsApplication(url: string, owner: Asking): Promise<OutboundResponse> {
    const { scopes = [] } = owner.description.clientToken ?? {};
    const application = await deps.openApplication(owner, scopes);
    const request = { method: 'GET', path: '', query: '', headers, body: undefined };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = application.follow(url, request, { ...limits, signal });
    if (answer === undefined) throw new Error('the key is not at the API that the token is for');
    return answer;
  }

  async function fetch(url: string, owner: Asking | undefined): Promise<string> {
    try {
      const { status, body } =
        owner === undefined
          ? await outbound.request({ url, headers, ...limits })
          : await askAsApplication(url, owner);
      if (status !== 200) throw new Error(`the key's address answered ${status}`);
      return body.toString('utf8');
    } catch (error) {
      throw new KeyUnavailableError('a key of the provider could not be fetched', { cause: error });
    }
  }

  return (url, options, owner) => {
    const cached = cache.get(url);
    if (cached && cached.untilMs > now()) return cached.text;
    const entry = { untilMs: now() + FRESH_MS, text: fetch(url, options?.authorization && owner) };
    entry.text.catch(() => {
      entry.untilMs = now() + FAILED_MS;
    });
    cache.set(url, entry);
    return entry.text;
  };
}
