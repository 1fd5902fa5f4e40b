import { parsePlainJson } from '../http/json-body.ts';
import { isRecord } from '../lib/is-record.ts';
import { rememberByName } from '../proxy/remembered-names.ts';
import { type Declared, readSession } from './client-abilities.ts';
import { type KnownMetas, META_PREFIX, MODERN } from './known-metas.ts';
import { SERVER_INFO } from './mcp.ts';
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

const ADDRESS = /^\/projects\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/mcp$/;
const EARLIER: ReadonlySet<string> = new Set(['2025-11-25', '2025-06-18']);

/** What the SDK gets of a request’s head; what says who calls is not among it. */
export const PROTOCOL_FIELDS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'],
]);
const READ_FIELDS = [...PROTOCOL_FIELDS, 'host', 'content-length', 'traceparent'];
/** Requests with one of these are judged by what stands before the door. */
const UNUSUAL_FIELDS = [
  ...['origin', 'sec-fetch-dest', 'transfer-encoding', 'content-encoding', 'expect', 'upgrade'],
  'access-control-request-method',
];
const FORWARDED_FIELDS = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded'];

type FieldRule = { readonly name: string; readonly kind: 'read' | 'unusual' | 'forwarded' | 'other' };

const FIELD_RULES: ReadonlyMap<string, FieldRule> = new Map([
  ...READ_FIELDS.map((name): [string, FieldRule] => [name, { name, kind: 'read' }]),
  ...UNUSUAL_FIELDS.map((name): [string, FieldRule] => [name, { name, kind: 'unusual' }]),
  ...FORWARDED_FIELDS.map((name): [string, FieldRule] => [name, { name, kind: 'forwarded' }]),
]);
const OTHER: FieldRule = { name: '', kind: 'other' };

const fieldRule = rememberByName((name) => FIELD_RULES.get(name.toLowerCase()) ?? OTHER);

export type QuickHead = {
  readonly projectId: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly bodyBytes: number;
  /** A reverse proxy has passed it on, or says so. */
  readonly isForwarded: boolean;
};

/** Undefined where the request is none of the usual form, as far as its head tells. */
export function readQuickHead(request: {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly rawHeaders: readonly string[];
}): QuickHead | undefined {
  const projectId = request.method === 'POST' ? ADDRESS.exec(request.url ?? '')?.[1] : undefined;
  if (projectId === undefined) return undefined;
  const { rawHeaders } = request;
  const fields = new Map<string, string>();
  let isForwarded = false;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const { name, kind } = fieldRule(rawHeaders[index] ?? '');
    if (kind === 'other') continue;
    if (kind === 'unusual' || fields.has(name)) return undefined;
    if (kind === 'read') fields.set(name, rawHeaders[index + 1] ?? '');
    else isForwarded = true;
  }
  const bodyBytes = Number(fields.get('content-length') ?? 0);
  if (!(bodyBytes > 0 && bodyBytes <= BODY_BYTES_MAX) || !isUsual(fields)) return undefined;
  return { projectId, fields, bodyBytes, isForwarded };
}

function isUsual(fields: ReadonlyMap<string, string>): boolean {
  const accept = fields.get('accept') ?? '';
  if (fields.get('content-type') !== 'application/json') return false;
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) return false;
  const revision = fields.get('mcp-protocol-version') ?? '';
  return EARLIER.has(revision) || (revision === MODERN && fields.get('mcp-method') === 'tools/call');
}

function isModern({ fields }: Pick<QuickHead, 'fields'>): boolean {
  return fields.get('mcp-protocol-version') === MODERN;
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
  const isNew = isModern(head);
  if (isNew && head.fields.get('mcp-name') !== name) return undefined;
  const declared = isNew ? declaredIn(meta) : readEarlier(meta, head.fields.get('mcp-session-id'));
  return declared && { id, name, input, isModern: isNew, declared };
}

/** The same for the text of a message of 2026-07-28 whose `_meta` is known: it is not parsed again. */
export function readDividedCall(
  head: QuickHead,
  text: string,
  known: Pick<KnownMetas, 'divide'>,
): QuickCall | undefined {
  const divided = isModern(head) ? known.divide(text) : undefined;
  if (divided === undefined) return undefined;
  const { rest, declared } = divided;
  return readQuickCall(head, parsePlainJson(rest), (meta) => (meta === undefined ? declared : undefined));
}

const MESSAGE_MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const CALL_MEMBERS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta']);

function hasOnly(value: Readonly<Record<string, unknown>>, members: ReadonlySet<string>): boolean {
  for (const name in value) if (!members.has(name)) return false;
  return true;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' ? id.length <= ID_LENGTH_MAX : Number.isSafeInteger(id);
}

function readEarlier(meta: unknown, sessionId: string | undefined): Declared | undefined {
  return meta === undefined ? readSession(sessionId ?? null) : undefined;
}

const MODERN_END = `,"resultType":"complete","_meta":${JSON.stringify({ [`${META_PREFIX}serverInfo`]: SERVER_INFO })}`;

/** The answer in JSON, as the SDK writes it. */
export function writeAnswer({ id, isModern }: QuickCall, { content, isError }: ToolResult): string {
  // The text is the structured content already.
  const text = content[0]?.text ?? '{}';
  const result = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
  const end = `${isError === true ? ',"isError":true' : ''}${isModern ? MODERN_END : ''}`;
  return `{"result":{${result}${end}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}
