import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Db } from '../platform/postgres/database.ts';
import { HttpError } from './errors.ts';

/** A reply as it is kept: enough to give it again byte for byte. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** `Set-Cookie` fields; not kept for repeats. */
  readonly cookies?: readonly string[] | undefined;
  /** Instead of `body`: writes it piece by piece. Only of requests that change nothing, whose replies are not kept. */
  readonly stream?: WriteStream | undefined;
};

/** Writes the body of a reply and ends it, or rejects; `signal` aborts once the caller has gone. */
export type WriteStream = (response: ServerResponse, signal: AbortSignal) => Promise<void>;

export type IdempotentRequest = {
  /** Who asked for what (principal, method, path); a key means something only within it. */
  readonly scope: string;
  /** The principal alone: what is kept is bounded for each. */
  readonly owner: string;
  readonly key: string;
  readonly requestHash: Buffer;
  /** It may be done again where its reply was forgotten. */
  readonly changesNothing?: boolean;
};

export type Found =
  | { readonly state: 'free' }
  | { readonly state: 'running'; readonly retryAfterSeconds: number }
  | { readonly state: 'other_request' }
  /** The work was done, and its reply is not kept any more. */
  | { readonly state: 'forgotten' }
  | { readonly state: 'completed'; readonly reply: Reply };

/** Keeps replies for 24 hours. */
export type IdempotencyStore = {
  readonly db: Db;
  find(db: Db, request: IdempotentRequest): Promise<Found>;
  /** `find`, after which no other transaction can take the same key until this one ends. */
  take(trx: Db, request: IdempotentRequest): Promise<Found>;
  /** Keeps the reply of a key that the transaction has taken. */
  keep(trx: Db, request: IdempotentRequest, reply: Reply): Promise<void>;
  /** To be called after the transaction that kept a reply. Forgets the oldest replies of an owner that has too many, not their keys. */
  trim(request: IdempotentRequest): void;
};

const KEY = /^[\x21-\x7e]{1,255}$/;
/** A refusal may list twenty faults of its input, each in a sentence. */
const KEPT_REFUSAL_LENGTH_MAX = 4 * 1024;

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

type Done<Result> = { readonly result: Result; readonly reply: Reply };

/** Does the work, which also makes the reply of its result, in a transaction. */
export type Commit = <Result>(db: Db, work: (trx: Db) => Promise<Done<Result>>) => Promise<Done<Result>>;

/** A transaction and nothing else: for requests without a key. */
export const commitOnly: Commit = (db, work) => db.transaction(work);

/** What `Commit` throws where another request with the key has been answered meanwhile. */
export class AnsweredMeanwhile extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super('another request with this key has been answered');
    this.reply = reply;
  }
}

/**
 * Runs `work` once per key and answers repeats with the first reply. The reply is kept by the transaction that does the
 * work (`commit`): a crash leaves both or neither, and of two requests with one key in two processes only one commits.
 * Work without a transaction changes nothing; its reply is kept afterwards. Replies with 5xx or 429 are not kept, so
 * that the caller may try again with the same key. Throws `idempotency_key_reused`,
 * `idempotency_in_progress` or `idempotency_reply_forgotten`.
 */
export function createRunOnce(store: IdempotencyStore) {
  /** Keys whose requests this process is handling, and the hash of each request. */
  const running = new Map<string, Buffer>();

  async function runAlone(
    request: IdempotentRequest,
    requestId: string,
    work: (commit: Commit) => Promise<Reply>,
  ): Promise<Reply> {
    const before = replyOf(await store.find(store.db, request));
    if (before) return toReplay(before, requestId);
    let kept: Reply | undefined;
    const commit: Commit = async (db, change) => {
      const done = await db.transaction(async (trx) => {
        const meanwhile = replyOf(await store.take(trx, request));
        if (meanwhile) throw new AnsweredMeanwhile(meanwhile);
        const changed = await change(trx);
        await store.keep(trx, request, changed.reply);
        return changed;
      });
      kept = done.reply;
      return done;
    };
    const reply = await work(commit);
    if (kept === undefined && isWorthKeeping(reply)) {
      kept = dropLongLists(reply);
      if (kept) await keepAfterwards(request, kept);
    }
    if (kept) store.trim(request);
    return reply;
  }

  async function keepAfterwards(request: IdempotentRequest, reply: Reply): Promise<void> {
    await store.db.transaction(async (trx) => {
      const found = await store.take(trx, request);
      if (found.state === 'free') await store.keep(trx, request, reply);
    });
  }

  return async (
    request: IdempotentRequest,
    requestId: string,
    work: (commit: Commit) => Promise<Reply>,
  ): Promise<Reply> => {
    const name = `${request.scope} ${request.key}`;
    const hash = running.get(name);
    if (hash)
      throw hash.equals(request.requestHash) ? inProgress(1) : new HttpError('idempotency_key_reused');
    running.set(name, request.requestHash);
    try {
      return await runAlone(request, requestId, work);
    } catch (error) {
      if (error instanceof AnsweredMeanwhile) return toReplay(error.reply, requestId);
      throw error;
    } finally {
      running.delete(name);
    }
  };
}

/** The reply to give again; undefined where the key is free. Throws the refusal otherwise. */
function replyOf(found: Found): Reply | undefined {
  if (found.state === 'other_request') throw new HttpError('idempotency_key_reused');
  if (found.state === 'running') throw inProgress(found.retryAfterSeconds);
  if (found.state === 'forgotten') throw new HttpError('idempotency_reply_forgotten');
  return found.state === 'completed' ? found.reply : undefined;
}

function inProgress(retryAfterSeconds: number): HttpError {
  return new HttpError('idempotency_in_progress', { headers: { 'Retry-After': String(retryAfterSeconds) } });
}

function isWorthKeeping({ status, headers }: Reply): boolean {
  const isAboutTheKey = headers['Gateway-Error']?.startsWith('idempotency_') ?? false;
  return status < 500 && status !== 429 && !isAboutTheKey;
}

/** The reply as it is kept: a long refusal without its list of faults; undefined where it is long all the same. */
function dropLongLists(reply: Reply): Reply | undefined {
  if (reply.status < 400 || (reply.body?.length ?? 0) <= KEPT_REFUSAL_LENGTH_MAX) return reply;
  const { errors: _errors, ...rest } = JSON.parse(reply.body ?? '{}');
  const body = JSON.stringify(rest);
  return body.length <= KEPT_REFUSAL_LENGTH_MAX ? { ...reply, body } : undefined;
}

/** The first reply, with the id of this request, not of the first one. */
function toReplay({ status, headers, body }: Reply, requestId: string): Reply {
  const { 'Gateway-Request-Id': _first, ...rest } = headers;
  const isProblem = body !== undefined && headers['Content-Type'] === 'application/problem+json';
  return {
    status,
    headers: {
      ...rest,
      'Idempotency-Replayed': 'true',
      ...(isProblem && { 'Gateway-Request-Id': requestId }),
    },
    body: isProblem ? JSON.stringify({ ...JSON.parse(body), requestId }) : body,
  };
}
