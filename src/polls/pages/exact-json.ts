/** More digits than a double holds for certain, or an exponent: JavaScript would write the number differently. */
const DELICATE_NUMBER = /\d{16}|\d\.\d*0[,}\]\s]|\d[eE]|-0[,}\]\s.]/;

/**
 * Parses JSON so that `JSON.stringify` gives every number back as it was written. Numbers that a double does not hold
 * become `JSON.rawJSON`. Throws SyntaxError.
 */
export function parseJson(text: string): unknown {
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

/** The text of a number that was kept by `parseJson`; undefined for any other value. */
export function readRawNumber(value: unknown): string | undefined {
  const isRaw: unknown = Reflect.get(JSON, 'isRawJSON');
  if (typeof isRaw !== 'function' || isRaw(value) !== true) return undefined;
  const text: unknown =
    typeof value === 'object' && value !== null ? Reflect.get(value, 'rawJSON') : undefined;
  return typeof text === 'string' ? text : undefined;
}
