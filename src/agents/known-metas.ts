import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { type Declared, readDeclared } from './client-abilities.ts';

export const MODERN = '2026-07-28';
export const META_PREFIX = 'io.modelcontextprotocol/';

const METAS_MAX = 1_000;
const META_LENGTH_MAX = 2_000;

export type KnownMetas = ReturnType<typeof createKnownMetas>;

/**
 * What clients of 2026-07-28 say of themselves with every call, in `_meta`: a client says the same each time. What the
 * SDK has found in order once needs no second judgement.
 */
export function createKnownMetas() {
  const known = new LRUCache<string, Declared>(entriesUpTo(METAS_MAX));
  return {
    note(meta: Readonly<Record<string, unknown>>): void {
      const text = JSON.stringify(meta);
      if (text.length > META_LENGTH_MAX || meta[`${META_PREFIX}protocolVersion`] !== MODERN) return;
      const declared = readDeclared(
        meta[`${META_PREFIX}clientCapabilities`],
        meta[`${META_PREFIX}clientInfo`],
      );
      known.set(text, declared);
    },

    find: (meta: unknown): Declared | undefined =>
      meta === undefined ? undefined : known.get(JSON.stringify(meta)),

    /** The same for the text that the client wrote; undefined where it writes the same in another way, too. */
    findText: (text: string): Declared | undefined => known.get(text),
  };
}
