import { isRecord } from '../lib/is-record.ts';
import { readAfterMediaType } from '../lib/media-type.ts';
import { listValues, type MandatedCall } from './call.ts';

/** What names another method than the request line's: servers and frameworks spell it in many ways. */
const METHOD_FIELD = /^(?:x-?)?(?:http-?)?(?:original-?|real-?)?method(?:-?override)?$/;

/** CGI writes an underscore, or nothing, for whatever is no letter or digit: all of it is a hyphen here. */
const BETWEEN_WORDS = /[^a-z0-9]+/g;

/** Most names are done with one look at their letters. */
const SPEAKS_OF_METHOD = /method/i;

const METHOD_PARAMETERS: ReadonlySet<string> = new Set([
  ...['_method', '_httpmethod', '__method', '$method', '_http_method', '_requestmethod'],
  ...['x-http-method-override', 'x-http-method', 'x-method-override', 'http_method_override'],
  ...['x-http-methodoverride', 'x-methodoverride'],
]);

const FORM = /^\s*(?:application\/x-www-form-urlencoded|multipart\/)/i;

/**
 * The header field or query parameter by which a server might take the request for one of another method; undefined
 * where there is none. `rawHeaders` are names and values in turn, `rawQuery` is `''` or begins with `?`, `more` are further
 * parameters that this provider reads so.
 */
export function findMethodOverride(
  rawHeaders: readonly string[],
  rawQuery: string,
  more: readonly string[] = [],
): string | undefined {
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (SPEAKS_OF_METHOD.test(name) && METHOD_FIELD.test(name.toLowerCase().replaceAll(BETWEEN_WORDS, '-')))
      return name;
  }
  return rawQuery.length < 2 ? undefined : findParameter(rawQuery.slice(1), more);
}

/** The parameter of that kind in a query or a form, whatever its encoding, case and brackets. */
function findParameter(query: string, more: readonly string[]): string | undefined {
  if (more.length === 0 && !query.includes('%') && !SPEAKS_OF_METHOD.test(query)) return undefined;
  for (const pair of query.split(/[&;]/)) {
    const name = decode(pair.split('=', 1)[0] ?? '');
    if (isOverride(name, more)) return name;
  }
  return undefined;
}

function isOverride(name: string, more: readonly string[]): boolean {
  if (more.length === 0 && !SPEAKS_OF_METHOD.test(name)) return false;
  // What is written in C reads a name up to the first NUL.
  const [given = ''] = name.toLowerCase().split('\0', 1);
  const isListed = (one: string) => METHOD_PARAMETERS.has(one) || more.includes(one);
  return isListed(beforeBracket(given).trim()) || isListed(readAsPhp(given.trim()));
}

/** The name as PHP has it, where dots, blanks and a bracket that nothing closes are underscores. */
function readAsPhp(name: string): string {
  const bracket = name.indexOf('[');
  const isOpen = bracket > 0 && !name.includes(']', bracket);
  return (isOpen ? name.replace('[', '_') : beforeBracket(name)).replaceAll(/[. ]/g, '_');
}

function beforeBracket(name: string): string {
  const bracket = name.indexOf('[');
  return bracket < 0 ? name : name.slice(0, bracket);
}

function decode(text: string): string {
  return text
    .replaceAll('+', ' ')
    .replace(/%[0-9a-f]{2}/gi, (encoded) => String.fromCharCode(Number.parseInt(encoded.slice(1), 16)));
}

/** Before parameters, which may be malformed: servers go by what stands before them. */
const BEFORE_PARAMETERS = /^\s*(?:;|$)/;

/**
 * Whether a body of these types could hold such a parameter: a form may, and so may what names no type or more than one,
 * which servers read as they like. A field that is empty names none.
 */
export function mayHoldOverride(contentTypes: readonly string[]): boolean {
  const [type, ...others] = contentTypes;
  if (type === undefined || others.length > 0) return true;
  return (
    FORM.test(type) ||
    type.includes(',') ||
    !BEFORE_PARAMETERS.test(readAfterMediaType(type.trimStart()) ?? '-')
  );
}

const PLAIN_FORM = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** One type, of a form that is pairs of names and values in UTF-8. */
export function isPlainForm([type, ...others]: readonly string[]): boolean {
  return type !== undefined && others.length === 0 && PLAIN_FORM.test(type);
}

/** Such a parameter in a form of any kind: between two characters that are part of no name. */
const IN_FORM =
  /(?<![\w$-])(?:_method|_httpmethod|__method|\$method|_http_method|_requestmethod|x-http-method(?:-?override)?|x-method-?override|http_method_override)(?![\w-])/i;

/** Whether the body of a form, which may be of several parts, holds a parameter that names another method, one of `more` included. */
function holdsOverride(body: Uint8Array, more: readonly string[]): boolean {
  const text = Buffer.from(body).toString('latin1').replaceAll('\0', '');
  if (IN_FORM.test(text) || (text.includes('%') && IN_FORM.test(decode(text)))) return true;
  return findParameter(text, more) !== undefined || namesPart(text, more);
}

/** The name of a part; browsers, RFC 2047 and RFC 2231 encode it in ways that servers read differently. */
const PART_NAME = /\bname(\*[\d*]*)?\s*=\s*(?:"([^"]*)"|([^\s;]*))/gi;
const ENCODED_NAME = /[\\%]|=\?/;

/**
 * Whether a part of a form of several parts has such a name. Where the provider has names of its own, an encoded one counts as
 * well: it could be one of them.
 */
function namesPart(text: string, more: readonly string[]): boolean {
  for (const [, star, quoted, bare = ''] of text.matchAll(PART_NAME)) {
    const name = quoted ?? bare;
    if (more.length > 0 && (star !== undefined || ENCODED_NAME.test(name))) return true;
    if (isOverride(name, more)) return true;
  }
  return false;
}

const JSON_TYPE = /[/+]json\b/i;

/** Whether a provider that takes its own parameters from JSON as well finds one of them at the top; JSON that cannot be read may hold it. */
function holdsMember(body: Uint8Array, names: readonly string[]): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    return isRecord(value) && Object.keys(value).some((name) => names.includes(name.toLowerCase().trim()));
  } catch {
    return true;
  }
}

export const NEEDS_BODY = 'the body of the call has to be read first';

/** Why a body may be taken for a request of another method; false: it may not, or the call has none. */
export function judgeForm({ method, hasBody, body, rawHeaders, facts }: MandatedCall): string | false {
  if (method !== 'POST' || !hasBody) return false;
  const types = listValues(rawHeaders, 'content-type');
  const { overrides = [] } = facts ?? {};
  const isForm = mayHoldOverride(types);
  const isJson = overrides.length > 0 && types.some((type) => JSON_TYPE.test(type));
  if (!isForm && !isJson) return false;
  if (body === undefined) return NEEDS_BODY;
  const kind = isForm ? 'form' : 'body';
  if (body === 'too_long') return `a ${kind} of more than 64 KiB may name another method`;
  if (listValues(rawHeaders, 'content-encoding').length > 0)
    return `an encoded ${kind} may name another method`;
  const isOverriding = (isForm && holdsOverride(body, overrides)) || (isJson && holdsMember(body, overrides));
  return isOverriding && `the ${kind} may name another method`;
}
