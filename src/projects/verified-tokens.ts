import { LRUCache } from 'lru-cache';
import { CLOCK_SKEW_SECONDS } from './user-jwt.ts';

/** What verification found out about a token, which its text alone decides. */
export type VerifiedToken = {
  readonly projectId: string;
  readonly subject: string;
  readonly expiresAtMs: number;
  /** Identity of the key that verified it. The entry counts only while the project still has that key. */
  readonly keyIdentity: string;
};

const ENTRIES_MAX = 10_000;
const SIZE_MAX = 32 * 1024 * 1024;
/** About what an entry takes besides its text. */
const ENTRY_OVERHEAD = 512;

/**
 * Tokens that were verified before, so that a busy user costs one signature check, not one per call. Keyed by the whole
 * text, bounded in number and size. Only valid tokens get in: garbage cannot push them out.
 */
export function createVerifiedTokens() {
  const tokens = new LRUCache<string, VerifiedToken>({
    max: ENTRIES_MAX,
    maxSize: SIZE_MAX,
    sizeCalculation: (_token, text) => text.length + ENTRY_OVERHEAD,
  });
  return {
    get: (text: string): VerifiedToken | undefined => tokens.get(text),
    set(text: string, token: VerifiedToken): void {
      tokens.set(text, token);
    },
    delete(text: string): void {
      tokens.delete(text);
    },
  };
}

/** Whether the token has expired, clock skew allowed for. */
export function hasExpired(token: VerifiedToken, nowMs: number): boolean {
  return nowMs >= token.expiresAtMs + CLOCK_SKEW_SECONDS * 1000;
}
