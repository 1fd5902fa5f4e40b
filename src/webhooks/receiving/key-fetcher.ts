import { LRUCache } from 'lru-cache';
import type { OpenApplication } from '../../credentials/calling/application-client.ts';
import type { ProviderClient } from '../../credentials/calling/provider-client.ts';
import { entriesUpTo } from '../../lib/entries-up-to.ts';
import { createRateLimiter } from '../../lib/rate-limit.ts';
import type { Outbound, OutboundResponse } from '../../platform/outbound.ts';
import type { KeyRequest } from '../message/webhook.ts';
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

/** Whose application or connection asks for keys that need its token. */
type Asking = Pick<WebhookOwner, 'integrationId' | 'projectId' | 'description'> & {
  readonly address?: Pick<NonNullable<WebhookOwner['address']>, 'connectionId'> | undefined;
};

export type FetchKey = (url: string, options: KeyRequest | undefined, owner: Asking) => Promise<string>;

type OpenConnection = (owner: {
  readonly connectionId: string;
  readonly projectId: string;
}) => Promise<Pick<ProviderClient, 'call'>>;

type KeyFetcherDeps = {
  readonly outbound: Outbound;
  readonly openApplication: OpenApplication;
  readonly openConnection: OpenConnection;
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

  function fetchWithinLimit(url: string, options: KeyRequest, owner: Asking): Promise<string> {
    const { allowed, retryAfterSeconds } = fetches.check(owner.integrationId, now());
    if (allowed) return fetchText(deps, url, options, owner);
    return Promise.reject(
      new TooManyFetchesError('too many keys of the provider were asked for', { retryAfterSeconds }),
    );
  }

  return (url, options = {}, owner) => {
    const { authorization = 'anyone', body = '' } = options;
    const { keys, others } = openEntries(integrations, owner.integrationId);
    const asking = authorization === 'connection' ? (owner.address?.connectionId ?? '') : authorization;
    const key = `${asking} ${url} ${body}`;
    const known = [keys.get(key), others.get(key)].find((entry) => entry && entry.untilMs > now());
    if (known) return known.text;
    const entry = { untilMs: now() + FRESH_MS, text: fetchWithinLimit(url, options, owner) };
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

async function fetchText(
  deps: KeyFetcherDeps,
  url: string,
  options: KeyRequest,
  owner: Asking,
): Promise<string> {
  try {
    const { status, body } = await ask(deps, url, options, owner);
    if (status !== 200) throw new Error(`the key's address answered ${status}`);
    return body.toString('utf8');
  } catch (error) {
    throw new KeyUnavailableError('a key of the provider could not be fetched', { cause: error });
  }
}

function ask(
  deps: KeyFetcherDeps,
  url: string,
  { authorization, body }: KeyRequest,
  owner: Asking,
): Promise<OutboundResponse> {
  if (authorization === 'application') return askAsApplication(deps, url, owner);
  if (authorization === 'connection') return askAsConnection(deps, url, body, owner);
  return deps.outbound.request({ url, headers: HEADERS, ...LIMITS });
}

/** `path` is below the address of the connection's API. */
async function askAsConnection(
  { openConnection }: KeyFetcherDeps,
  path: string,
  body: string | undefined,
  { projectId, address }: Asking,
): Promise<OutboundResponse> {
  const connectionId = address?.connectionId ?? undefined;
  if (connectionId === undefined) throw new Error('the address that was called is of no connection');
  const client = await openConnection({ connectionId, projectId });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  if (body === undefined)
    return client.call({ method: 'GET', path, query: '', headers: HEADERS, body }, { ...LIMITS, signal });
  const headers = { ...HEADERS, 'Content-Type': 'application/json' };
  const request = { method: 'POST', path, query: '', headers, body };
  return client.call(request, { ...LIMITS, signal });
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
