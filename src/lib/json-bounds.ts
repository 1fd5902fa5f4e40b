import { findStringEnd } from './json-source.ts';

/** Parsing takes some 40 ms at these bounds. Providers stay far below: a batch of 1,000 events has 50,000 values. */
const DEPTH_MAX = 100;
const VALUES_MAX = 150_000;
/** An object with very many members is a hash table that V8 builds slowly. */
const MEMBERS_MAX = 5_000;

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;

/** True where JSON.parse of the text is sure to be quick, whether it is JSON or not. Linear, and far quicker than that. */
export function isQuickToParse(text: string, valuesMax = VALUES_MAX, membersMax = MEMBERS_MAX): boolean {
  const memberCounts: number[] = [];
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      values += 1;
      // Elements of a list are counted among all values only.
      memberCounts.push(code === OPEN_OBJECT ? 0 : Number.NEGATIVE_INFINITY);
      if (memberCounts.length > DEPTH_MAX) return false;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) memberCounts.pop();
    else if (code === COMMA) {
      values += 1;
      const last = memberCounts.length - 1;
      const members = (memberCounts[last] ?? 0) + 1;
      if (last >= 0) memberCounts[last] = members;
      if (members > membersMax) return false;
    }
    if (values > valuesMax) return false;
  }
  return true;
}
