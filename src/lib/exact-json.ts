import { findStringEnd } from './json-source.ts';

/** A double holds fewer digits for certain. */
const LONG_NUMBER = /\d{16}/;
/** A whole number of that many digits where a value stands; no part of a fraction, of an exponent or of a name. */
const LONG_INTEGER = /(?<![\d.eE+-])-?[1-9]\d{15,}(?=\s*(?:[,\]}]|$))/g;
/** More digits than a double holds for certain, or an exponent: JavaScript would write the number differently. */
const DELICATE_NUMBER = /\d{16}|\d\.\d*0[,}\]\s]|\d[eE]|-0[,}\]\s.]/;

/**
 * The value of a JSON text that holds ids; undefined where it is none. A whole number that a double cannot hold becomes
 * the text that it was written as: rounded, the id of one account would be that of another. Linear, and hardly slower
 * than JSON.parse.
 */
export function parseExactJson(text: string): unknown {
  try {
    return JSON.parse(LONG_NUMBER.test(text) ? quoteLongIntegers(text) : text);
  } catch {
    return undefined;
  }
}

/** A reviver would take ten times as long, and hold the event loop with a body of some hundred KiB. */
function quoteLongIntegers(text: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    pieces.push(text.slice(at, end).replace(LONG_INTEGER, quoteRounded));
    at = quote < 0 ? end : findStringEnd(text, quote);
    pieces.push(text.slice(end, at));
  }
  return pieces.join('');
}

function quoteRounded(written: string): string {
  return String(Number(written)) === written ? written : `"${written}"`;
}

/**
 * Parses JSON so that `JSON.stringify` gives every number back as it was written. Numbers that a double does not hold
 * become `JSON.rawJSON`. Throws SyntaxError. Slow: for short texts.
 */
export function parseRawJson(text: string): unknown {
  if (!DELICATE_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, keepNumber);
}

/** ECMAScript 2026 hands the source text to a reviver; TypeScript does not know yet. */
function keepNumber(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return rawJson(source) ?? value;
}

function rawJson(source: string): unknown {
  const make: unknown = Reflect.get(JSON, 'rawJSON');
  return typeof make === 'function' ? make(source) : undefined;
}

/** The text of a number that was kept by `parseRawJson`; undefined for any other value. */
export function readRawNumber(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isRaw: unknown = Reflect.get(JSON, 'isRawJSON');
  if (typeof isRaw !== 'function' || isRaw(value) !== true) return undefined;
  const text: unknown = Reflect.get(value, 'rawJSON');
  return typeof text === 'string' ? text : undefined;
}
