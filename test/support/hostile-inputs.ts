import type { HostileRequest } from './event-loop.ts';

/** A value with what it is called in the report of a test. */
export type Named<Value> = readonly [name: string, value: Value];

/** Below the server's limit for all header fields together, with room for the other ones. */
export const LINE_BYTES_MAX = 15_000;

const run = (unit: string, bytes: number) =>
  unit.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(unit))));

/** Texts of about so many bytes that patterns and loops find hard: one run, or one group again and again. */
export const HOSTILE_TEXTS: readonly Named<(bytes: number) => string>[] = [
  ['letters', (bytes) => run('a', bytes)],
  ['blanks within', (bytes) => `a${run(' ', bytes)}b`],
  ['slashes', (bytes) => `a${run('/', bytes)}a`],
  ['an address of slashes', (bytes) => `https://a.example${run('/', bytes)}a`],
  ['labels', (bytes) => `${run('a.', bytes)}!`],
  ['a long label', (bytes) => `https://${run('a-', bytes)}.example/!`],
  ['a mail address', (bytes) => `${run('a.', bytes / 2)}@${run('b.', bytes / 2)}!`],
  ['digits', (bytes) => run('9', bytes)],
  ['placeholders', (bytes) => run('{a}', bytes)],
  ['braces', (bytes) => run(':{', bytes)],
  ['schemes', (bytes) => run('a://', bytes)],
  ['quotes', (bytes) => run('\\"', bytes)],
  ['markup', (bytes) => run('<&>', bytes)],
  ['percent signs', (bytes) => run('%', bytes)],
  ['semicolons', (bytes) => `a${run(';', bytes)}b`],
  ['hyphens', (bytes) => `a${run('-a', bytes)}!`],
  ['a token', (bytes) => run('eyJ.', bytes)],
  ['a key', (bytes) => run('-----BEGIN A-----\n', bytes)],
  ['surrogate pairs', (bytes) => run('\u{1F600}', bytes)],
  ['marks', (bytes) => run('e\u0301', bytes)],
];

/** Each of the texts in so many bytes. */
export function hostileTexts(bytes: number): Named<string>[] {
  return HOSTILE_TEXTS.map(([what, make]) => [what, make(bytes)]);
}

/** A text in a URL, cut to a length without cutting an escape. */
export function escaped(text: string, bytes = LINE_BYTES_MAX): string {
  return encodeURIComponent(text).slice(0, bytes).replace(/%.?$/, '');
}

/** As many parts as fit, joined. */
export function repeatMany(make: (index: number) => string, separator: string, bytes: number): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; ; index += 1) {
    const part = make(index);
    length += part.length + separator.length;
    if (length > bytes) return parts.join(separator);
    parts.push(part);
  }
}

/** One field after the other with values that are hard to read, in place of what `request` has there. */
export function hostileFields(request: HostileRequest, names: readonly string[]): HostileRequest[] {
  const values: readonly Named<string>[] = [
    ...hostileTexts(LINE_BYTES_MAX).map(
      ([what, text]): Named<string> => [what, text.replace(/[^\x20-\x7e]/g, '~')],
    ),
    ['tags', repeatMany((index) => `"${index}"`, ', ', LINE_BYTES_MAX)],
    ['weighted tags', repeatMany((index) => `aa-${index};q=0.${index % 9}`, ',', LINE_BYTES_MAX)],
    ['pairs', repeatMany((index) => `name${index}=value`, '; ', LINE_BYTES_MAX)],
    ['open tags', `W/"${'W/"'.repeat(LINE_BYTES_MAX / 3)}`],
    ['commas', ','.repeat(LINE_BYTES_MAX)],
    ['a weight behind blanks', `en ;${' '.repeat(LINE_BYTES_MAX - 8)}q=`],
  ];
  return names.flatMap((field) =>
    values.map(([what, value]): HostileRequest => {
      const others = (request.headers ?? []).filter(([name]) => name !== field);
      return {
        ...request,
        name: `${request.name}, ${field} of ${what}`,
        headers: [...others, [field, value]],
      };
    }),
  );
}

/** The request with credentials that are hard to read, in each scheme. */
export function hostileCredentials(request: HostileRequest): HostileRequest[] {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const head = encode(JSON.stringify({ alg: 'ES256', kid: 'x'.repeat(200) }));
  const deep = encode(`${'['.repeat(2500)}${']'.repeat(2500)}`);
  const wide = encode(`{${repeatMany((index) => `"c${index}":0`, ',', 5000)}}`);
  const tokens: Named<string>[] = [
    ['dots', '.'.repeat(LINE_BYTES_MAX)],
    ['many claims', `${head}.${wide}.AAAA`],
    ['deep claims', `${head}.${deep}.AAAA`],
    ['a deep head', `${deep}.AAAA.AAAA`],
    ['a long signature', `${head}.AAAA.${'A'.repeat(7000)}`],
    ['letters', 'a'.repeat(LINE_BYTES_MAX)],
    ['equal signs', '='.repeat(LINE_BYTES_MAX)],
    ['an API key', `igk_${'a'.repeat(LINE_BYTES_MAX)}`],
  ];
  return ['Bearer', 'Basic', 'bearer   ', 'token'].flatMap((scheme) =>
    tokens.map(([what, token]): HostileRequest => {
      const value = `${scheme} ${token}`.slice(0, LINE_BYTES_MAX);
      return {
        ...request,
        name: `${request.name}, ${scheme} of ${what}`,
        headers: [['authorization', value]],
      };
    }),
  );
}
