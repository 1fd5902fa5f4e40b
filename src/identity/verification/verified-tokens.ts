import { LRUCache } from 'lru-cache';
import type { Membership } from '../../mandates/membership.ts';
import type { TokenRights } from '../../mandates/token-rights.ts';
import type { Revocations } from '../revocations/revocations.ts';
import { CLOCK_SKEW_SECONDS, type Issue } from '../user-jwt/claims.ts';

/** What verification found out about a token, which its text alone decides. */
export type VerifiedToken = Issue & {
  readonly text: string;
  readonly projectId: string;
  readonly subject: string;
  readonly membership: Membership | undefined;
  readonly expiresAtMs: number;
  /** Identity of the key that verified it. The entry counts only while the project still has that key. */
  readonly keyIdentity: string;
  readonly rights: TokenRights | undefined;
  /** The project's revocations that were found not to concern the token; undefined while none were compared with it. */
  clearedBy: Revocations | undefined;
};

const ENTRIES_MAX = 10_000;
/** An entry counts for this at least, which bounds their number without memory for all of them from the start. */
const ENTRY_SIZE_MIN = 3_355;
/** 32 MiB. */
const SIZE_MAX = ENTRIES_MAX * ENTRY_SIZE_MIN;
/** About what an entry takes besides its text. */
const ENTRY_OVERHEAD = 512;
/** About what a compiled mandate takes, of the length of its token. */
const MANDATE_FACTOR = 4;
/** Characters of a signature: 144 bits of it. */
const KEY_LENGTH = 24;

/**
 * Tokens that were verified before, so that a busy user costs one signature check, not one per call. Bounded in number
 * and size. Only valid tokens get in: garbage cannot push them out. Found by the end of their signature, since hashing
 * the whole text takes longer than comparing it.
 */
export function createVerifiedTokens() {
  const tokens = new LRUCache<string, VerifiedToken>({
    maxSize: SIZE_MAX,
    sizeCalculation: ({ text, rights }) =>
      Math.max(ENTRY_SIZE_MIN, text.length * (rights ? MANDATE_FACTOR : 1) + ENTRY_OVERHEAD),
  });
  return {
    get(text: string): VerifiedToken | undefined {
      const found = tokens.get(keyOf(text));
      return found?.text === text ? found : undefined;
    },
    set(token: VerifiedToken): void {
      tokens.set(keyOf(token.text), token);
    },
    delete(text: string): void {
      tokens.delete(keyOf(text));
    },
  };
}

function keyOf(text: string): string {
  return text.slice(-KEY_LENGTH);
}

/** Whether the token has expired, clock skew allowed for. */
export function hasExpired(token: VerifiedToken, nowMs: number): boolean {
  return nowMs >= token.expiresAtMs + CLOCK_SKEW_SECONDS * 1000;
}
