import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';

const ENTRIES_MAX = 20_000;
const REMEMBERED_MS = 60_000;

/**
 * The whole token in 44 characters. Not a part of the token, because an attacker could copy that part onto another one.
 */
export function hashToken(text: string): string {
  return hash('sha256', text, 'base64');
}

/**
 * Tokens whose signature was found wrong in the last minute, so that a client that repeats one costs a look-up. An
 * entry counts only for the very keys that the token was judged with (`judgedWith`, compared by identity): with other
 * keys it is judged again. Bounded in number; the digests stand for the tokens, which may have 8 KiB.
 */
export function createRefusedTokens(now: () => number) {
  const refused = new LRUCache<string, { judgedWith: readonly object[]; untilMs: number }>(
    entriesUpTo(ENTRIES_MAX),
  );
  const keyOf = (projectId: string, digest: string) => `${projectId}${digest}`;
  return {
    has(projectId: string, digest: string, keysNow: readonly object[]): boolean {
      const found = refused.get(keyOf(projectId, digest));
      if (!found || found.untilMs <= now()) return false;
      return (
        found.judgedWith.length === keysNow.length &&
        keysNow.every((keys, index) => keys === found.judgedWith[index])
      );
    },
    add(projectId: string, digest: string, judgedWith: readonly object[]): void {
      refused.set(keyOf(projectId, digest), { judgedWith, untilMs: now() + REMEMBERED_MS });
    },
  };
}
