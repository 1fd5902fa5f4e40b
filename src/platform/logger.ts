import { destination as fileDestination, pino } from 'pino';

/** Fields first, then one short sentence that is the same every time. */
export type LogMethod = { (fields: object, message: string): void; (message: string): void };

/** `error`: a person must act; `warn`: we recovered; `info`: something started, stopped or changed. */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', LogMethod>>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Everything that a request's log line may hold. No header field, no query, no body. */
export type RequestLine = {
  readonly requestId: string;
  readonly method: string;
  /** Template such as `/v1/integrations/{id}`, or a path without its query. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
  readonly bytes?: number | undefined;
  readonly traceId?: string | undefined;
  readonly principal?: string | undefined;
  readonly principalId?: string | undefined;
  readonly projectId?: string | undefined;
  readonly provider?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly errorCode?: string | undefined;
};

export type Logger = Log & {
  /**
   * One line per finished request, level `error` from status 500 on. For the hot path: the fields are written as
   * they are, so the caller vouches for `route` holding no query.
   */
  request(line: RequestLine): void;
  /** Writes out what is still held; call it before the process ends. */
  flush(): void;
};

type LogDestination = { write(line: string): void };

/**
 * A JSON-lines logger on pino. Without `destination` it writes to standard output in the background, at least every
 * 100 ms, and whatever is left when the process exits.
 *
 * pino's own `redact` goes by exact path: it misses other letter case, nesting, arrays, messages and causes. So every
 * field passes `safeFields` instead, and messages are scrubbed. This is the net; the rule is to log ids and counts.
 */
export function createLogger(options: { level: LogLevel; destination?: LogDestination }): Logger {
  const standardOutput = options.destination ? undefined : openStandardOutput();
  const output = options.destination ?? standardOutput ?? process.stdout;
  const lines = pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: (described: unknown) => described },
    },
    output,
  );
  function method(level: keyof Log): LogMethod {
    return (first: object | string, message?: string) => {
      if (!lines.isLevelEnabled(level)) return;
      if (typeof first === 'string') lines[level](scrub(first));
      else lines[level](safeFields(first), scrub(message ?? ''));
    };
  }
  return {
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
    fatal: method('fatal'),
    request(line) {
      // A provider's own failure has no code of ours and needs no action by an operator.
      const isOurs = line.provider === undefined || line.errorCode !== undefined;
      const level = line.status >= 500 && isOurs ? 'error' : 'info';
      if (lines.isLevelEnabled(level)) output.write(requestLine(level, line));
    },
    flush: () => standardOutput?.flushSync(),
  };
}

const HELD_LENGTH_MAX = 8 * 1024;
const HELD_MS_MAX = 100;

/**
 * Standard output in the background. Lines are held and written together, since the stream beneath measures all that
 * it holds once more with every line that it is given.
 */
function openStandardOutput() {
  const stream = fileDestination({ fd: 1, sync: false });
  let held = '';
  let timer: NodeJS.Timeout | undefined;

  function writeHeldLines(): void {
    clearTimeout(timer);
    timer = undefined;
    const lines = held;
    held = '';
    if (lines !== '') stream.write(lines);
  }

  function flushSync(): void {
    writeHeldLines();
    stream.flushSync();
  }

  process.once('exit', flushSync);
  return {
    write(line: string): void {
      held += line;
      if (held.length >= HELD_LENGTH_MAX) writeHeldLines();
      else timer ??= setTimeout(writeHeldLines, HELD_MS_MAX).unref();
    },
    flushSync,
  };
}

/**
 * The line as pino would write it, put together by hand: a third of pino's time per line, which every proxied call
 * pays. Undefined fields are left out. Few pieces, because each of them is copied once more when the text is written.
 */
function requestLine(level: string, line: RequestLine): string {
  const { requestId, method, route, status, durationMs } = line;
  const time = isoTime(Date.now());
  let text = `{"level":"${level}","time":"${time}","requestId":${quote(requestId)},"method":${remember(method)},"route":${remember(route)},"status":${status},"durationMs":${durationMs}`;
  if (line.bytes !== undefined) text += `,"bytes":${line.bytes}`;
  if (line.traceId !== undefined) text += `,"traceId":${quote(line.traceId)}`;
  for (const name of WHO_AND_WHAT) {
    const value = line[name];
    if (value !== undefined) text += `,"${name}":${remember(value)}`;
  }
  return `${text},"msg":"request"}\n`;
}

const WHO_AND_WHAT = [
  'principal',
  'principalId',
  'projectId',
  'provider',
  'connectionId',
  'errorCode',
] as const satisfies readonly (keyof RequestLine)[];

/** A JSON string; the usual text needs no escape. */
function quote(text: string): string {
  return /[^ !#-[\]-~]/.test(text) ? JSON.stringify(text) : `"${text}"`;
}

const REMEMBERED_MAX = 5_000;
/** Longer than any id or route; a longer text was made up by a caller and would take memory without a bound. */
const REMEMBERED_LENGTH_MAX = 128;
const quoted = new Map<string, string>();

/** Texts that repeat from line to line: ids, names, routes. */
function remember(text: string): string {
  if (text.length > REMEMBERED_LENGTH_MAX) return quote(text);
  const known = quoted.get(text);
  if (known !== undefined) return known;
  const found = quote(text);
  if (quoted.size >= REMEMBERED_MAX) quoted.clear();
  quoted.set(text, found);
  return found;
}

let timePrefix = { second: 0, text: '' };

/** RFC 3339 with milliseconds; the part up to the seconds is kept for the second. */
function isoTime(nowMs: number): string {
  const second = Math.floor(nowMs / 1000);
  if (second !== timePrefix.second)
    timePrefix = { second, text: new Date(second * 1000).toISOString().slice(0, 20) };
  return `${timePrefix.text}${String(nowMs % 1000).padStart(3, '0')}Z`;
}

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

export type DescribedError = {
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
