import { takeStrictChunks } from './strict-http.ts';

/** An answer as it came. */
export type Answer = {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly headBytes: number;
  readonly body: Buffer;
};

export type AnswerReading =
  | {
      readonly kind: 'answer';
      readonly answer: Answer;
      readonly rest: Buffer;
      readonly endsConnection: boolean;
    }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed'; readonly why: string };

/** Reads one answer to a request of this method; `isEnded`: nothing more will come. */
export function takeAnswer(bytes: Buffer, method: string, isEnded: boolean): AnswerReading {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return { kind: 'incomplete' };
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) return { kind: 'malformed', why: `no status line: ${statusLine.slice(0, 80)}` };
  const fields = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
  });
  const reason = statusLine.slice(13);
  const rest = bytes.subarray(headEnd + 4);
  const value = (name: string) => readField({ fields }, name);
  const isInterim = status >= 100 && status < 200;
  const isBodiless = isInterim || method === 'HEAD' || status === 204 || status === 304;
  const isClosing = /close/i.test(value('connection') ?? '') && !isInterim;
  const done = (body: Buffer, left: Buffer, endsConnection = isClosing): AnswerReading => ({
    kind: 'answer',
    answer: { status, reason, fields, headBytes: headEnd, body },
    rest: left,
    endsConnection,
  });
  if (isBodiless) return done(Buffer.alloc(0), rest);
  if (/chunked/i.test(value('transfer-encoding') ?? '')) {
    const taken = takeStrictChunks(rest);
    if (taken === 'malformed') return { kind: 'malformed', why: 'the chunks of an answer' };
    return taken === 'incomplete' ? { kind: 'incomplete' } : done(taken.body, taken.rest);
  }
  const length = value('content-length');
  if (length === undefined) return isEnded ? done(rest, Buffer.alloc(0), true) : { kind: 'incomplete' };
  if (rest.length < Number(length)) return { kind: 'incomplete' };
  return done(rest.subarray(0, Number(length)), rest.subarray(Number(length)));
}

/** The first value of a field. */
export function readField({ fields }: Pick<Answer, 'fields'>, lowerName: string): string | undefined {
  return fields.find(([name]) => name.toLowerCase() === lowerName)?.[1];
}

/** The body where it is JSON. */
export function readJson(answer: Answer): unknown {
  if (!/[/+]json\b/.test(readField(answer, 'content-type') ?? '')) return undefined;
  try {
    return JSON.parse(answer.body.toString());
  } catch {
    return undefined;
  }
}
