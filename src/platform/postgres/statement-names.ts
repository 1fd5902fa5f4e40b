import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../../lib/entries-up-to.ts';

/** Uses after which a statement is worth keeping: most of a start's and of an operator's never come so far. */
const USES_MIN = 10;
/** Of one process for as long as it lives. Each connection keeps those that it was used for. */
const NAMES_MAX = 400;
const COUNTED_MAX = 2_000;
/** Uses of a statement that is not to be kept, however often it is used. */
const NEVER = Number.NEGATIVE_INFINITY;
/** Longer ones carry lists of rows, of which hardly two are as long. */
const LENGTH_MAX = 8_000;
const KINDS = /^\s*(?:select|insert|update|delete|with)\b/i;
/**
 * A migration that adds a column changes what such a statement brings, which Postgres refuses to a kept one ("cached plan must
 * not change result type"): a release that still runs while the next one migrates would fail.
 */
const EVERY_COLUMN = /(?:\bselect|\breturning|,)\s+(?:distinct\s+)?(?:"?\w+"?\.)?\*(?! FROM unnest\()/i;

export type StatementNames = ReturnType<typeof createStatementNames>;

/**
 * Names for the statements that a process uses again and again. Under its name a connection keeps a statement parsed and, from its
 * sixth use on, mostly planned as well, which takes Postgres longer than running it does (decision 0122).
 */
export function createStatementNames({ usesMin = USES_MIN, namesMax = NAMES_MAX } = {}) {
  const names = new Map<string, string>();
  const uses = new LRUCache<string, number>(entriesUpTo(COUNTED_MAX));
  let isKeeping = true;

  return {
    /** The name of the statement; undefined where it is not to be kept. Counts the use. */
    find(text: string): string | undefined {
      if (!isKeeping || text.length > LENGTH_MAX) return undefined;
      const known = names.get(text);
      if (known !== undefined || names.size >= namesMax) return known;
      const used = (uses.get(text) ?? 0) + 1;
      if (used < usesMin || !isKept(text)) {
        // One that is not to be kept is looked at once, and not for each use.
        uses.set(text, used < usesMin ? used : NEVER);
        return undefined;
      }
      uses.delete(text);
      const name = nameOf(text);
      names.set(text, name);
      return name;
    },

    /** The connections lead to sessions that do not keep what they were given: from now on there are no names. */
    stop(): void {
      isKeeping = false;
    },
  };
}

/** One text has one name in all processes: behind a pooler that hides, they share sessions, and a number would run another's statement. */
function nameOf(text: string): string {
  return `gateway_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

/** Several statements in one text cannot be kept. */
function isKept(text: string): boolean {
  return KINDS.test(text) && !text.includes(';') && !EVERY_COLUMN.test(text);
}
