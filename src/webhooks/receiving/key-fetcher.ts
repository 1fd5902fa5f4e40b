import { LRUCache } from 'lru-cache';
import type { OpenApplication } from '../../credentials/calling/application-client.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import type { Outbound, OutboundResponse } from '../../platform/outbound.ts';
import type { WebhookOwner } from './addresses.ts';

/** Of one integration: a provider has a few keys at a time. */
const KEYS_MAX = 20;
const INTEGRATIONS_MAX = 2_000;
/** Anyone may name a key that does not exist, and each name is a request with the application's token. */
const FETCHES_PER_MINUTE = 20;
const FRESH_MS = 3_600_000;
/** A key that could not be fetched is asked for again after this, however many webhooks need it. */
const FAILED_MS = 10_000;
const TIMEOUT_MS = 3_000;
const KEY_BYTES_MAX = 256 * 1024;
const LIMITS = { timeoutMs: TIMEOUT_MS, responseBytesMax: KEY_BYTES_MAX };
const HEADERS = { Accept: '*/*' };

/** A key of the provider that could not be fetched: the webhook cannot be judged now. */
export class KeyUnavailableError extends Error {
  override readonly name = 'KeyUnavailableError';
  readonly retryAfterSeconds: number;

  constructor(message: string, options: ErrorOptions & { readonly retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = options.retryAfterSeconds ?? FAILED_MS / 1000;
  }
}

class TooManyFetchesError extends KeyUnavailableError {}

type Entry = { readonly untilMs: number; readonly text: Promise<string> };
/** `others` are under way or have failed; apart, so that keys that do not exist push out none that does. */
type Entries = { readonly keys: LRUCache<string, Entry>; readonly others: LRUCache<string, Entry> };

/** Whose application asks for keys that need its token. */
type Asking = Pick<WebhookOwner, 'integrationId' | 'projectId' | 'description'>;

export type FetchKey = (
  url: string,
  options: { readonly authorization?: 'application' } | undefined,
  owner: Asking,
) => Promise<string>;

type KeyFetcherDeps = {
  readonly outbound: Outbound;
  readonly openApplication: OpenApplication;
  now(): number;
};

/**
 * Fetches keys and certificates of providers, each once an hour for each integration. Callers who need the same one share
 * the call. What one integration's senders name takes neither the keys nor the fetches of another. Rejects with
 * KeyUnavailableError.
 */
export function createFetchKey(deps: KeyFetcherDeps): FetchKey {
  const { now } = deps;
  const integrations = new LRUCache<string, Entries>(entriesUpTo(INTEGRATIONS_MAX));
  const fetches = createRateLimiter({ limit: FETCHES_PER_MINUTE, windowSeconds: 60 });

  function fetchWithinLimit(url: string, isOfApplication: boolean, owner: Asking): Promise<string> {
    const { allowed, retryAfterSeconds } = fetches.check(owner.integrationId, now());
    if (allowed) return fetchText(deps, url, isOfApplication ? owner : undefined);
    return Promise.reject(
      new TooManyFetchesError('too many keys of the provider were asked for', { retryAfterSeconds }),
    );
  }

  return (url, options, owner) => {
    const isOfApplication = options?.authorization !== undefined;
    const { keys, others } = openEntries(integrations, owner.integrationId);
    const key = `${isOfApplication ? 'application' : 'anyone'} ${url}`;
    const known = [keys.get(key), others.get(key)].find((entry) => entry && entry.untilMs > now());
    if (known) return known.text;
    const entry = { untilMs: now() + FRESH_MS, text: fetchWithinLimit(url, isOfApplication, owner) };
    // Until it is known to be a key it stands among those that may be pushed out by any name.
    others.set(key, entry);
    entry.text.then(
      () => {
        keys.set(key, entry);
        others.delete(key);
      },
      (error: unknown) => {
        others.delete(key);
        // What was not asked for has not failed.
        if (!(error instanceof TooManyFetchesError))
          others.set(key, { ...entry, untilMs: now() + FAILED_MS });
      },
    );
    return entry.text;
  };
}

function openEntries(integrations: LRUCache<string, Entries>, integrationId: string): Entries {
  const known = integrations.get(integrationId);
  if (known !== undefined) return known;
  const created = {
    keys: new LRUCache<string, Entry>(entriesUpTo(KEYS_MAX)),
    others: new LRUCache<string, Entry>(entriesUpTo(KEYS_MAX)),
  };
  integrations.set(integrationId, created);
  return created;
}

/** `owner`: whose application asks; undefined where the key is public. */
async function fetchText(deps: KeyFetcherDeps, url: string, owner: Asking | undefined): Promise<string> {
  try {
    const { status, body } =
      owner === undefined
        ? await deps.outbound.request({ url, headers: HEADERS, ...LIMITS })
        : await askAsApplication(deps, url, owner);
    if (status !== 200) throw new Error(`the key's address answered ${status}`);
    return body.toString('utf8');
  } catch (error) {
    throw new KeyUnavailableError('a key of the provider could not be fetched', { cause: error });
  }
}

/** The token goes to the API's own origin only. */
async function askAsApplication(
  { openApplication }: KeyFetcherDeps,
  url: string,
  owner: Asking,
): Promise<OutboundResponse> {
  const { scopes = [] } = owner.description.clientToken ?? {};
  const application = await openApplication(owner, scopes);
  const request = { method: 'GET', path: '', query: '', headers: HEADERS, body: undefined };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = application.follow(url, request, { ...LIMITS, signal });
  if (response === undefined) throw new Error('the key is not at the API that the token is for');
  return response;
}
