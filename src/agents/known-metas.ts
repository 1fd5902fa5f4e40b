import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { type Declared, readDeclared } from './client-abilities.ts';

export const MODERN = '2026-07-28';
export const META_PREFIX = 'io.modelcontextprotocol/';

const METAS_MAX = 1_000;
const META_LENGTH_MAX = 2_000;

export type KnownMetas = ReturnType<typeof createKnownMetas>;

/** A message less its `_meta`, and what that declares. */
type Divided = { readonly rest: string; readonly declared: Declared };

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

    /**
     * Takes a known `_meta` out of the text of a message where it is the last member of `params`, as clients write it, so
     * that it need not be parsed. What is left is JSON only where the whole is: either end of a message closes what a
     * `_meta` inside of a string or a list would leave open, and then is none.
     */
    divide(text: string): Divided | undefined {
      const start = text.lastIndexOf(OPENING);
      const end = start < 0 ? undefined : END.exec(text);
      if (!end) return undefined;
      const declared = known.get(text.slice(start + OPENING.length - 1, end.index + 1));
      return declared && { rest: text.slice(0, start) + text.slice(end.index + 1), declared };
    },
  };
}

const OPENING = ',"_meta":{';

/** From the end of `_meta` on: that of `params` and of the message, between which some clients name version and id. */
const END = /\}\}(?:,"jsonrpc":"2\.0","id":(?:\d{1,15}|"[\w-]{1,64}"))?\}$/;
