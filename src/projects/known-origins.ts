import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { withoutStoreLimit } from '../platform/postgres/store-time.ts';

const KNOWN_MAX = 10_000;
const UNKNOWN_MAX = 2_000;
const FRESH_MS = 30_000;
/** While change notices are lost. */
const FRESH_WITHOUT_NOTICES_MS = 1_000;
/** Origins in one query, and origins that wait for the next one. */
const ASKED_AT_ONCE_MAX = 200;
const WAITING_MAX = 1_000;
/** How long a page of an origin that was known before waits for a store that does not answer. */
const PATIENCE_MS = 250;
/** Scheme and host are longer in no origin that a project can allow. */
const LENGTH_MAX = 2_000;

type Answer = 'known' | 'unknown' | 'no answer';

/**
 * The web origins that any project allows, for requests whose project is not known yet: preflights and refusals. They
 * are answered from memory, unknown origins included, and the rest is asked one query at a time, however many
 * preflights come. An origin that was known goes on being so while the store does not answer.
 */
export function createKnownOrigins(deps: {
  /** Those of the given origins that some project allows. */
  findKnownOrigins(origins: readonly string[]): Promise<readonly string[]>;
  now(): number;
}) {
  const { now } = deps;
  const known = new LRUCache<string, { confirmedIn: number; freshUntilMs: number }>(entriesUpTo(KNOWN_MAX));
  /** Apart from the known ones, so that made-up origins cannot push them out of memory. */
  const unknownUntilMs = new LRUCache<string, number>(entriesUpTo(UNKNOWN_MAX));
  let generation = 0;
  let freshMs = FRESH_MS;
  let waiting = new Map<string, PromiseWithResolvers<Answer>>();
  let isAsking = false;

  function isKnown(origin: string): boolean | Promise<boolean> {
    if (origin.length > LENGTH_MAX || !/^https?:\/\//.test(origin)) return false;
    const held = known.get(origin);
    if (held === undefined) {
      if ((unknownUntilMs.get(origin) ?? 0) > now()) return false;
      return ask(origin).then((answer) => answer === 'known');
    }
    if (held.confirmedIn !== generation) return askPatiently(origin);
    if (held.freshUntilMs <= now()) void ask(origin);
    return true;
  }

  /** Some project's origins changed since this one was seen. */
  function askPatiently(origin: string): Promise<boolean> {
    const { promise: tooLong, resolve } = Promise.withResolvers<Answer>();
    const timer = setTimeout(resolve, PATIENCE_MS, 'no answer');
    return Promise.race([ask(origin), tooLong])
      .then((answer) => answer !== 'unknown')
      .finally(() => clearTimeout(timer));
  }

  function ask(origin: string): Promise<Answer> {
    const asked = waiting.get(origin);
    if (asked) return asked.promise;
    if (waiting.size >= WAITING_MAX) return Promise.resolve('no answer');
    const answer = Promise.withResolvers<Answer>();
    waiting.set(origin, answer);
    // Other requests join it: it must not be cut when this one has no time left for the store.
    if (!isAsking) void withoutStoreLimit(askAll);
    return answer.promise;
  }

  async function askAll(): Promise<void> {
    isAsking = true;
    while (waiting.size > 0) {
      const batch = new Map([...waiting].slice(0, ASKED_AT_ONCE_MAX));
      waiting = new Map([...waiting].slice(ASKED_AT_ONCE_MAX));
      const startedIn = generation;
      const found = await deps.findKnownOrigins([...batch.keys()]).then(
        (origins) => new Set(origins),
        () => undefined,
      );
      for (const [origin, { resolve }] of batch) {
        if (found && startedIn === generation) keep(origin, found.has(origin));
        resolve(found === undefined ? 'no answer' : found.has(origin) ? 'known' : 'unknown');
      }
    }
    isAsking = false;
  }

  function keep(origin: string, isThere: boolean): void {
    if (isThere) known.set(origin, { confirmedIn: generation, freshUntilMs: now() + freshMs });
    else {
      known.delete(origin);
      unknownUntilMs.set(origin, now() + freshMs);
    }
  }

  return {
    isKnown,
    /** Some project's origins changed, or may have. */
    invalidate(): void {
      generation += 1;
      unknownUntilMs.clear();
    },
    setHasNotices(value: boolean): void {
      freshMs = value ? FRESH_MS : FRESH_WITHOUT_NOTICES_MS;
    },
  };
}
