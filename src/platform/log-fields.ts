const DEPTH_MAX = 4;
const ITEMS_MAX = 20;

/** Names whose text or object never leaves, in any case and at any depth; numbers, dates and flags may. */
const SECRET_NAME =
  /authorization|cookie|token(?!id)|secret|passw|credential|api_?key(?!_?id)|private_?key|headers|^query$|^body$|verifier|^jwt$|completion_?code|^state$|session_?(key|value)/i;

/** The fields as they may be logged; an Error passed in place of fields becomes `err`. */
export function safeFields(fields: object): Record<string, unknown> {
  if (fields instanceof Error) return { err: describeError(fields) };
  return safeMembers(fields, 0);
}

function safeMembers(value: object, depth: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, ITEMS_MAX)
      .map(([name, member]) => [name, safeMember(name, member, depth)]),
  );
}

function safeMember(name: string, value: unknown, depth: number): unknown {
  const hidden = SECRET_NAME.test(name) && (typeof value === 'string' || typeof value === 'object');
  if (hidden && value !== null && !(value instanceof Date)) return '[redacted]';
  return safeValue(value, depth + 1);
}

function safeValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrub(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (value instanceof Error) return describeError(value);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= DEPTH_MAX) return '[nested]';
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => safeValue(item, depth + 1));
  return safeMembers(value, depth);
}

type DescribedError = {
  readonly type: string;
  readonly code?: string | number;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: DescribedError;
};

/** An error cut down to what helps and cannot hold a secret: other members (SQL bindings, responses) stay out. */
export function describeError(error: Error, depth = 0): DescribedError {
  const code = 'code' in error ? error.code : undefined;
  const frames = framesOf(error);
  return {
    type: error.name,
    ...((typeof code === 'string' || typeof code === 'number') && {
      code: typeof code === 'string' ? scrub(code) : code,
    }),
    message: scrub(error.message),
    ...(frames && { stack: frames }),
    ...(error.cause instanceof Error &&
      depth < DEPTH_MAX && { cause: describeError(error.cause, depth + 1) }),
  };
}

/** The stack's own lines only: it begins with the message, which may have lines that look like frames. */
function framesOf(error: Error): string {
  const stack = error.stack ?? '';
  const start = error.message === '' ? 0 : stack.indexOf(error.message) + error.message.length;
  return stack
    .slice(start)
    .split('\n')
    .filter((line) => /^ {4}at .*(:\d+:\d+\)?|\(?<anonymous>\)?|\(?native\)?)$/.test(line))
    .join('\n');
}

/** Ids, and the names of migrations. */
const HARMLESS = /^([0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|\d{4}_[a-z_]+)$/;

/** A text without URL queries, user information of URLs, bearer values, and long words that mix letters and digits. */
export function scrub(text: string): string {
  return text
    .slice(0, TEXT_LENGTH_MAX)
    .replace(/(?<![a-z0-9+.-])([a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .replace(/(?<=\/[^\s?#]{0,2000})[?#][^\s)"']+/g, '?[removed]')
    .replace(/\b(bearer|basic|token)\s+(?=\S*[\d._~+/=-])\S{8,}/gi, '$1 [removed]')
    .replace(/[A-Za-z0-9_+=~-]{20,}(?:\.[A-Za-z0-9_-]{8,})*/g, (word) =>
      /\d/.test(word) && /[a-z]/i.test(word) && !HARMLESS.test(word) ? '[removed]' : word,
    );
}

const TEXT_LENGTH_MAX = 2000;
