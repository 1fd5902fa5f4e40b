import type { WebhookPayload } from '../../catalog/schema/provider-webhooks.schema.ts';
import { parseExactJson } from '../../lib/exact-json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isQuickToParse } from '../../lib/json-bounds.ts';
import { findAll, findValue, parsePath, toText } from '../../lib/json-path.ts';
import { locateValue } from '../../lib/json-source.ts';
import { once } from '../../lib/once.ts';
import { readMultipartField } from './multipart.ts';
import type { WebhookRequest } from './webhook.ts';

/** Parameters of a form that is read; one of 5 MiB could have millions of them. */
const FORM_PARAMETERS_MAX = 1_000;
/** Values that a place in the body may lead to. */
const VALUES_MAX = 10_000;

/** What stands at a place: one text, nothing, or more than one where only one may be. */
export type PlaceValue =
  | { readonly state: 'found'; readonly text: string }
  | { readonly state: 'missing' | 'doubled' };

/** A provider's request and what its body says, read at most once and only when something asks. */
export type WebhookMessage = {
  readonly request: WebhookRequest;
  /** Text of the JSON in the body, or in the form's field that holds it. Undefined where it is not UTF-8 or not there. */
  readonly jsonText: () => string | undefined;
  /** The parsed JSON; undefined where there is none, or one that is nested too deep or has too many values. */
  readonly json: () => unknown;
  /** Parameters of the form in order; undefined where the body is none, or has too many. */
  readonly form: () => readonly (readonly [name: string, value: string])[] | undefined;
  readonly read: (place: string) => PlaceValue;
  /** All values at a place, for paths through lists; `undefined` where one of them is no text. */
  readonly readAll: (place: string) => readonly string[] | undefined;
};

/** Reads a provider's request lazily. */
export function readMessage(
  request: WebhookRequest,
  payload: Pick<WebhookPayload, 'format' | 'field' | 'decode'>,
): WebhookMessage {
  const jsonText = once(() => decodeMember(extractJsonText(request, payload, form), payload.decode));
  const json = once(() => parseQuickJson(jsonText()));
  const form = once(() => readForm(request));
  const query = once(() => [...new URLSearchParams(request.query.slice(0, QUERY_LENGTH_MAX))]);

  function read(place: string): PlaceValue {
    const { kind, name } = splitPlace(place);
    if (kind === 'header') return requireSingle(request.headers.get(name.toLowerCase()) ?? []);
    if (kind === 'query') return requireSingle(listValues(query(), name));
    if (kind === 'form') return requireSingle(listValues(form() ?? [], name));
    const text = toText(findValue(json(), parsePath(name))?.value);
    return text === undefined ? { state: 'missing' } : { state: 'found', text };
  }

  function readAll(place: string): readonly string[] | undefined {
    const { kind, name } = splitPlace(place);
    if (kind !== 'body') {
      const value = read(place);
      return value.state === 'found' ? [value.text] : value.state === 'missing' ? [] : undefined;
    }
    const values = findAll(json(), parsePath(name), VALUES_MAX)?.map(toText);
    return values?.every((value) => value !== undefined) ? values : undefined;
  }

  return { request, jsonText, json, form, read, readAll };
}

const QUERY_LENGTH_MAX = 16 * 1024;

/** `header:X-Signature` taken apart. */
export function splitPlace(place: string): { kind: string; name: string } {
  const colon = place.indexOf(':');
  return { kind: place.slice(0, colon), name: place.slice(colon + 1) };
}

function requireSingle(values: readonly string[]): PlaceValue {
  const [text, ...more] = values;
  if (text === undefined) return { state: 'missing' };
  return more.length > 0 ? { state: 'doubled' } : { state: 'found', text };
}

function listValues(pairs: readonly (readonly [string, string])[], name: string): string[] {
  return pairs.filter(([given]) => given === name).map(([, value]) => value);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The bytes as text, without a byte order mark; undefined where they are not UTF-8. */
export function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function extractJsonText(
  request: WebhookRequest,
  { format, field }: Pick<WebhookPayload, 'format' | 'field'>,
  form: () => readonly (readonly [string, string])[] | undefined,
): string | undefined {
  const type = readContentType(request);
  if (field !== undefined && type === 'multipart/form-data') return readMultipartField(request, field);
  if (type === 'application/x-www-form-urlencoded' || format === 'form' || format === 'form-json') {
    const [held] = field === undefined ? [] : listValues(form() ?? [], field);
    return held ?? writeFormAsJson(form());
  }
  const text = decodeUtf8(request.body);
  return format === 'jwt' && text !== undefined ? decodeClaims(text) : text;
}

/** The parameters as JSON: a text for each name, a list for one that stands there more than once. */
function writeFormAsJson(pairs: readonly (readonly [string, string])[] | undefined): string | undefined {
  if (pairs === undefined) return undefined;
  const members = new Map<string, string | string[]>();
  for (const [name, value] of pairs) {
    const before = members.get(name);
    members.set(name, before === undefined ? value : [before, value].flat());
  }
  return JSON.stringify(Object.fromEntries(members));
}

/** The claims of a token whose signature was verified before. */
function decodeClaims(token: string): string | undefined {
  const [, claims] = token.split('.', 3);
  return claims === undefined ? undefined : decodeUtf8(Buffer.from(claims, 'base64url'));
}

/** The text with the JSON that a member holds in Base64 in the place of that member; as it is where it holds none. */
function decodeMember(text: string | undefined, path: string | undefined): string | undefined {
  if (text === undefined || path === undefined) return text;
  const found = findValue(parseQuickJson(text), parsePath(path));
  const held = typeof found?.value === 'string' ? decodeUtf8(Buffer.from(found.value, 'base64')) : undefined;
  if (found === undefined || held === undefined || !isRecord(parseQuickJson(held))) return text;
  const range = locateValue(text, found.names);
  return range === undefined ? text : `${text.slice(0, range.start)}${held}${text.slice(range.end)}`;
}

function parseQuickJson(text: string | undefined): unknown {
  return text === undefined || !isQuickToParse(text) ? undefined : parseExactJson(text);
}

function readForm(request: WebhookRequest): [string, string][] | undefined {
  const { body } = request;
  let parameters = 1;
  for (let at = body.indexOf('&'); at >= 0; at = body.indexOf('&', at + 1)) {
    parameters += 1;
    if (parameters > FORM_PARAMETERS_MAX) return undefined;
  }
  const text = decodeUtf8(body);
  return text === undefined ? undefined : [...new URLSearchParams(text)];
}

/** The media type of the body in lower case, without parameters. */
export function readContentType(request: Pick<WebhookRequest, 'headers'>): string {
  const [given = ''] = request.headers.get('content-type') ?? [];
  return (given.split(';', 1)[0] ?? '').trim().toLowerCase();
}
