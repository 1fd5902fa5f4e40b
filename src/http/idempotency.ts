import { createHash } from 'node:crypto';
import { HttpError } from './errors.ts';

/** A reply as it is kept: enough to give it again byte for byte. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
};

/** `scope` says who asked for what (principal, method, path); a key means something only within it. */
export type IdempotentRequest = {
  readonly scope: string;
  readonly key: string;
  readonly requestHash: Buffer;
};

/** `claimId` tells this claim from a later one of the same key. */
export type Claim = IdempotentRequest & { readonly claimId: string };

export type ClaimResult =
  | { readonly state: 'claimed'; readonly claim: Claim }
  | { readonly state: 'running' }
  | { readonly state: 'other_request' }
  | { readonly state: 'completed'; readonly reply: Reply };

/** Keeps replies for 24 hours. A claim that is neither completed nor released within 60 s counts as crashed. */
export type IdempotencyStore = {
  claim(request: IdempotentRequest): Promise<ClaimResult>;
  complete(claim: Claim, reply: Reply): Promise<void>;
  release(claim: Claim): Promise<void>;
};

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, quoted or bare (draft-ietf-httpapi-idempotency-key-header), if it has one. */
export function readIdempotencyKey(field: string | string[] | undefined): string | undefined {
  if (field === undefined) return undefined;
  const key = typeof field === 'string' ? field.trim().replace(/^"(.*)"$/, '$1') : '';
  if (KEY.test(key)) return key;
  throw new HttpError('invalid_request', {
    errors: [
      { path: 'headers.idempotency-key', message: 'Must be 1 to 255 visible ASCII characters, sent once' },
    ],
  });
}

/** Hash of what the request asks for; the order of members and white space do not count. */
export function hashRequest(target: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${target}\n${JSON.stringify(body, sortMembers)}`)
    .digest();
}

function sortMembers(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * Runs `work` once per key and answers repeats with the first reply. Replies with 5xx or 429 are not kept, so that
 * the caller may try again with the same key. Throws `idempotency_key_reused` or `idempotency_in_progress`.
 */
export async function runOnce(
  store: IdempotencyStore,
  request: IdempotentRequest,
  work: () => Promise<Reply>,
): Promise<Reply> {
  const result = await store.claim(request);
  if (result.state === 'other_request') throw new HttpError('idempotency_key_reused');
  if (result.state === 'running')
    throw new HttpError('idempotency_in_progress', { headers: { 'Retry-After': '1' } });
  if (result.state === 'completed') return replayed(result.reply);
  const reply = await attempt(store, result.claim, work);
  if (reply.status < 500 && reply.status !== 429) await store.complete(result.claim, reply);
  else await store.release(result.claim);
  return reply;
}

/** The request id belongs to this request, not to the first one. */
function replayed(reply: Reply): Reply {
  const { 'Gateway-Request-Id': _first, ...headers } = reply.headers;
  return { ...reply, headers: { ...headers, 'Idempotency-Replayed': 'true' } };
}

async function attempt(store: IdempotencyStore, claim: Claim, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    await store.release(claim);
    throw error;
  }
}
