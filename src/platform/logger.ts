import { type Logger as PinoLogger, pino } from 'pino';
import { createLineBudget } from './line-budget.ts';
import { safeFields, scrub } from './log-fields.ts';
import { type LogOutput, openLogOutput } from './log-output.ts';

/** Fields first, then one short sentence that is the same every time. */
type LogMethod = { (fields: object, message: string): void; (message: string): void };

/**
 * `error`: a person must act; `warn`: we recovered; `info`: something started, stopped or changed. Of one sentence at most
 * fifty lines a second are written as `warn` or `error`, and one that counts the others.
 */
export type Log = Readonly<Record<'debug' | 'info' | 'warn' | 'error' | 'fatal', LogMethod>>;

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** Everything that a request's log line may hold. No header field, no query, no body. */
type RequestLine = {
  /** The gateway's own, which needs no escape. */
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
  /** Of the user token, with the index of the entry that allows the call. */
  readonly mandates?: readonly { readonly id: string; readonly entry: number | undefined }[] | undefined;
  /** Ids of those who act for the user, the current actor first. */
  readonly actors?: readonly string[] | undefined;
  readonly errorCode?: string | undefined;
};

export type Logger = Log & {
  /**
   * One line per finished request. A failure of the gateway's own is a `warn`, the first ten of a code in a second; callers
   * bring these about, and what needs a person has an `error` line besides. For the hot path: the fields are written
   * as they are, so the caller vouches for `route` holding no query.
   */
  request(line: RequestLine): void;
  /** Writes out what is still held, within a second; call it before the process ends. */
  flush(): void;
  /** Lines that standard output did not take since the start: no space, or its reader has gone. */
  droppedLines(): number;
};

type LogDestination = { write(line: string): void } & Partial<Pick<LogOutput, 'flushSync' | 'droppedLines'>>;

/**
 * A JSON-lines logger on pino. Without `destination` it writes to standard output in the background, at least every
 * 100 ms, and whatever is left when the process exits.
 *
 * pino's own `redact` goes by exact path: it misses other letter case, nesting, arrays, messages and causes. So every
 * field passes `safeFields` instead, and messages are scrubbed. This is the net; the rule is to log ids and counts.
 */
export function createLogger(options: { level: LogLevel; destination?: LogDestination }): Logger {
  const output = options.destination ?? openStandardOutput();
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
  const budgets = createBudgets(lines);
  function method(level: keyof Log): LogMethod {
    const budget = level === 'warn' || level === 'error' ? budgets[level] : undefined;
    return (first: object | string, message?: string) => {
      if (!lines.isLevelEnabled(level)) return;
      if (budget?.take(typeof first === 'string' ? first : (message ?? '')) === false) return;
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
      const failure = failureOf(line);
      const level = failure !== undefined && budgets.failures.take(failure) ? 'warn' : 'info';
      if (lines.isLevelEnabled(level)) output.write(requestLine(level, line));
    },
    flush() {
      for (const budget of Object.values(budgets)) budget.settle();
      output.flushSync?.();
    },
    droppedLines: () => output.droppedLines?.() ?? 0,
  };
}

const LINES_PER_SECOND = 50;
const FAILED_REQUESTS_PER_SECOND = 10;

function createBudgets(lines: Pick<PinoLogger, 'warn' | 'error'>) {
  const ofSentences = (level: 'warn' | 'error') =>
    createLineBudget({
      perSecond: LINES_PER_SECOND,
      sum: (sentence, count) =>
        lines[level]({ lines: count, of: scrub(sentence) }, 'further lines were left out'),
    });
  const sum = (code: string, requests: number) =>
    lines.warn({ errorCode: code, requests }, 'further requests failed');
  return {
    warn: ofSentences('warn'),
    error: ofSentences('error'),
    failures: createLineBudget({ perSecond: FAILED_REQUESTS_PER_SECOND, sum }),
  };
}

/** Statuses from 500 on that concern the request alone: a version without an answer, a loop of the caller's. */
const OF_THE_CALLER: ReadonlySet<number> = new Set([505, 508]);

/** The code of a failure of the gateway's own. A provider's has no code of ours, and needs no action by an operator. */
function failureOf({ status, provider, errorCode }: RequestLine): string | undefined {
  if (status < 500 || OF_THE_CALLER.has(status)) return undefined;
  return errorCode ?? (provider === undefined ? String(status) : undefined);
}

function openStandardOutput(): LogDestination {
  const output = openLogOutput({ fd: 1 });
  process.once('exit', output.flushSync);
  return output;
}

/**
 * The line as pino would write it, put together by hand: a third of pino's time per line, which every proxied call
 * pays. Undefined fields are left out. Few pieces, because each of them is copied once more when the text is written.
 */
function requestLine(level: string, line: RequestLine): string {
  const { requestId, method, route, status, durationMs } = line;
  const time = isoTime(Date.now());
  let text = `{"level":"${level}","time":"${time}","requestId":"${requestId}","method":${remember(method)},"route":${remember(route)},"status":${status},"durationMs":${durationMs}`;
  if (line.bytes !== undefined) text += `,"bytes":${line.bytes}`;
  if (line.traceId !== undefined) text += `,"traceId":${quote(line.traceId)}`;
  if (line.mandates !== undefined) text += `,"mandates":${describeMandates(line.mandates)}`;
  if (line.actors !== undefined) text += `,"actors":${JSON.stringify(line.actors)}`;
  text += member(',"principal":', line.principal);
  text += member(',"principalId":', line.principalId);
  text += member(',"projectId":', line.projectId);
  text += member(',"provider":', line.provider);
  text += member(',"connectionId":', line.connectionId);
  text += member(',"errorCode":', line.errorCode);
  return `${text},"msg":"request"}\n`;
}

function member(prefix: string, value: string | undefined): string {
  return value === undefined ? '' : prefix + remember(value);
}

/** Ids of mandates repeat, and `JSON.stringify` takes as long as the rest of the line. */
function describeMandates(mandates: NonNullable<RequestLine['mandates']>): string {
  let text = '';
  for (const { id, entry } of mandates) {
    const index = entry === undefined ? '' : `,"entry":${entry}`;
    text += `${text === '' ? '' : ','}{"id":${remember(id)}${index}}`;
  }
  return `[${text}]`;
}

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
