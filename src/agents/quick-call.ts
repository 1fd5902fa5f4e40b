import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parsePlainJson } from '../http/json-body.ts';
import { isRecord } from '../lib/is-record.ts';
import { rememberByName } from '../proxy/remembered-names.ts';
import { type Declared, readSession, SESSION_ID_LENGTH_MAX } from './client-abilities.ts';
import { type KnownMetas, META_PREFIX, MODERN } from './known-metas.ts';
import { SERVER_INFO } from './mcp.ts';
import { divideMessage } from './quick-message.ts';
import type { ToolResult } from './tool-results.ts';

/**
 * Calls of `read` and `write` whose message is of the usual form, byte for byte what the protocol asks for: their answers
 * are the SDK's, without the server, the web request and the checks by schema that it makes for each. Every other message
 * goes to the SDK, which alone says what is wrong with one.
 */

export const MCP_ROUTE = '/projects/{projectId}/mcp';
export const ID_LENGTH_MAX = 256;
/** Longer bodies seldom come in the packet of their head. */
const BODY_BYTES_MAX = 32 * 1024;

const ADDRESS = /^\/projects\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/mcp$/;
const ID_START = '/projects/'.length;
const ID_END = -'/mcp'.length;
const EARLIER: ReadonlySet<string> = new Set(['2025-11-25', '2025-06-18']);

/** What the SDK gets of a request’s head; what says who calls is not among it. */
export const PROTOCOL_FIELDS: readonly string[] = [
  ...['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'],
];
/** Requests with one of these are judged by what stands before the door. */
const UNUSUAL_FIELDS = [
  ...['origin', 'sec-fetch-dest', 'transfer-encoding', 'content-encoding', 'expect', 'upgrade'],
  'access-control-request-method',
] as const;
const FORWARDED_FIELDS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded'] as const;

export type QuickHead = {
  readonly projectId: string;
  /** As Node has them: it needs them itself for every request. */
  readonly headers: IncomingHttpHeaders;
  readonly traceparent: string | undefined;
  readonly bodyBytes: number;
  /** A reverse proxy has passed it on, or says so. */
  readonly isForwarded: boolean;
};

/** Undefined where the request is none of the usual form, as far as its head tells. */
export function readQuickHead(
  request: Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>,
): QuickHead | undefined {
  const { method, url = '' } = request;
  if (method !== 'POST' || !ADDRESS.test(url)) return undefined;
  const { headers, rawHeaders } = request;
  const bodyBytes = Number(headers['content-length'] ?? 0);
  if (!(bodyBytes > 0 && bodyBytes <= BODY_BYTES_MAX) || !isUsual(headers)) return undefined;
  // Node joins or drops what is there several times.
  if (Object.keys(headers).length * 2 !== rawHeaders.length) return undefined;
  const { traceparent } = headers;
  return {
    projectId: url.slice(ID_START, ID_END),
    headers,
    traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    bodyBytes,
    isForwarded: hasOne(headers, FORWARDED_FIELDS),
  };
}

function hasOne(headers: IncomingHttpHeaders, names: readonly string[]): boolean {
  for (const name of names) if (headers[name] !== undefined) return true;
  return false;
}

function isUsual(headers: IncomingHttpHeaders): boolean {
  const { accept = '' } = headers;
  if (headers['content-type'] !== 'application/json') return false;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  if (hasOne(headers, UNUSUAL_FIELDS)) return false;
  const revision = headers['mcp-protocol-version'];
  if (revision === MODERN) return headers['mcp-method'] === 'tools/call';
  return typeof revision === 'string' && EARLIER.has(revision);
}

function isModern({ headers }: QuickHead): boolean {
  return headers['mcp-protocol-version'] === MODERN;
}

export type QuickCall = {
  readonly id: string | number;
  readonly name: 'read' | 'write';
  readonly input: Readonly<Record<string, unknown>> | undefined;
  readonly isModern: boolean;
  readonly declared: Declared;
};

/** Undefined where the message is another one. `declaredIn` says what a `_meta` of 2026-07-28 declares, where it is known. */
export function readQuickCall(
  head: QuickHead,
  body: unknown,
  declaredIn: (meta: unknown) => Declared | undefined,
): QuickCall | undefined {
  if (!isRecord(body) || !hasOnly(body, MESSAGE_MEMBERS)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined;
  if (!isRecord(params) || !hasOnly(params, CALL_MEMBERS)) return undefined;
  const { name, arguments: input, _meta: meta } = params;
  if ((name !== 'read' && name !== 'write') || !(input === undefined || isRecord(input))) return undefined;
  const declared = findDeclared(head, name, meta, declaredIn);
  return declared && { id, name, input, isModern: isModern(head), declared };
}

/**
 * The same for the text of a message in the order in which clients write one, of which the arguments alone are parsed: what
 * stands around them is compared as text.
 */
export function readDividedCall(
  head: QuickHead,
  text: string,
  known: Pick<KnownMetas, 'findText'>,
): QuickCall | undefined {
  const isNew = isModern(head);
  const divided = divideMessage(text, isNew);
  if (divided === undefined) return undefined;
  const { id, name, metaText } = divided;
  const declared = findDeclared(head, name, metaText, known.findText);
  if (declared === undefined) return undefined;
  const input = parsePlainJson(divided.inputText, DEPTH_OF_INPUT);
  return isRecord(input) ? { id, name, input, isModern: isNew, declared } : undefined;
}

/** What the caller declares, in `_meta` or by its session; undefined where that is not known, or the head names another tool. */
function findDeclared<Meta>(
  head: QuickHead,
  name: string,
  meta: Meta | undefined,
  declaredIn: (meta: Meta) => Declared | undefined,
): Declared | undefined {
  if (!isModern(head)) return meta === undefined ? readEarlier(head) : undefined;
  return meta === undefined || head.headers['mcp-name'] !== name ? undefined : declaredIn(meta);
}

/** They stand in `params`, which stands in the message. */
const DEPTH_OF_INPUT = 2;

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const CALL_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

function hasOnly(value: Readonly<Record<string, unknown>>, members: ReadonlySet<string>): boolean {
  for (const name in value) if (!members.has(name)) return false;
  return true;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= ID_LENGTH_MAX : Number.isSafeInteger(id);
}

/** Clients send the same id with every call. */
const sessionOf = rememberByName(readSession);

function readEarlier({ headers }: QuickHead): Declared {
  const given = headers['mcp-session-id'];
  const sessionId = typeof given === 'string' ? given : '';
  return sessionId.length > SESSION_ID_LENGTH_MAX ? readSession(sessionId) : sessionOf(sessionId);
}

const MODERN_END = `,"resultType":"complete","_meta":${JSON.stringify({ [`${META_PREFIX}serverInfo`]: SERVER_INFO })}`;

/** The answer in JSON, as the SDK writes it, and what it takes in UTF-8. */
export function writeAnswer(
  { id, isModern }: Pick<QuickCall, 'id' | 'isModern'>,
  { content, isError }: ToolResult,
): { readonly json: string; readonly bytes: number } {
  // The text is the structured content already.
  const text = content[0]?.text ?? '{}';
  const idText = JSON.stringify(id);
  const result = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
  const end = `${isError === true ? ',"isError":true' : ''}${isModern ? MODERN_END : ''}`;
  const json = `{"result":{${result}${end}},"jsonrpc":"2.0","id":${idText}}`;
  // Counting the parts spares V8 to copy them into one text, which Node makes once more with the head before it.
  return { json, bytes: json.length + 2 * bytesBeyondLength(text) + bytesBeyondLength(idText) };
}

function bytesBeyondLength(text: string): number {
  return Buffer.byteLength(text) - text.length;
}
