import { LRUCache } from 'lru-cache';
import { entriesUpTo } from '../lib/entries-up-to.ts';
import { isRecord } from '../lib/is-record.ts';
import { type Declared, readDeclared, readSession } from './client-abilities.ts';
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
const MODERN = '2026-07-28';
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

type FieldRule = 'read' | 'unusual' | 'forwarded';

const FIELD_RULES: ReadonlyMap<string, FieldRule> = new Map([
  ...READ_FIELDS.map((name): [string, FieldRule] => [name, 'read']),
  ...UNUSUAL_FIELDS.map((name): [string, FieldRule] => [name, 'unusual']),
  ...FORWARDED_FIELDS.map((name): [string, FieldRule] => [name, 'forwarded']),
]);

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
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const rule = FIELD_RULES.get(name);
    if (rule === undefined) continue;
    if (rule === 'unusual' || fields.has(name)) return undefined;
    if (rule === 'read') fields.set(name, rawHeaders[index + 1] ?? '');
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

export type QuickCall = {
  readonly id: string | number;
  readonly name: 'read' | 'write';
  readonly input: Readonly<Record<string, unknown>> | undefined;
  readonly isModern: boolean;
  readonly declared: Declared;
  /** As a whole. */
  readonly message: unknown;
};

/** Undefined where the message is another one. */
export function readQuickCall(
  { fields }: QuickHead,
  body: unknown,
  known: KnownMetas,
): QuickCall | undefined {
  if (!isRecord(body) || !hasOnly(body, MESSAGE_MEMBERS)) return undefined;
  const { jsonrpc, id, method, params } = body;
  if (jsonrpc !== '2.0' || method !== 'tools/call' || !isId(id)) return undefined;
  if (!isRecord(params) || !hasOnly(params, CALL_MEMBERS)) return undefined;
  const { name, arguments: input, _meta: meta } = params;
  if ((name !== 'read' && name !== 'write') || !(input === undefined || isRecord(input))) return undefined;
  const isModern = fields.get('mcp-protocol-version') === MODERN;
  if (isModern && fields.get('mcp-name') !== name) return undefined;
  const declared = isModern ? known.find(meta) : readEarlier(meta, fields.get('mcp-session-id'));
  return declared && { id, name, input, isModern, declared, message: body };
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

export type KnownMetas = ReturnType<typeof createKnownMetas>;

const METAS_MAX = 1_000;
const META_LENGTH_MAX = 2_000;

/**
 * What clients of 2026-07-28 say of themselves with every call, in `_meta`: a client says the same each time. What the
 * SDK has found in order once needs no second judgement.
 */
export function createKnownMetas() {
  const known = new LRUCache<string, Declared>(entriesUpTo(METAS_MAX));
  return {
    note(meta: Readonly<Record<string, unknown>>): void {
      const text = JSON.stringify(meta);
      if (text.length > META_LENGTH_MAX || meta[`${META_PREFIX}protocolVersion`] !== MODERN) return;
      const declared = readDeclared(
        meta[`${META_PREFIX}clientCapabilities`],
        meta[`${META_PREFIX}clientInfo`],
      );
      known.set(text, declared);
    },
    find: (meta: unknown): Declared | undefined =>
      meta === undefined ? undefined : known.get(JSON.stringify(meta)),
  };
}

const META_PREFIX = 'io.modelcontextprotocol/';
const MODERN_END = `,"resultType":"complete","_meta":${JSON.stringify({ [`${META_PREFIX}serverInfo`]: SERVER_INFO })}`;

/** The answer in JSON, as the SDK writes it. */
export function writeAnswer({ id, isModern }: QuickCall, { content, isError }: ToolResult): string {
  // The text is the structured content already.
  const text = content[0]?.text ?? '{}';
  const result = `"content":[{"type":"text","text":${JSON.stringify(text)}}],"structuredContent":${text}`;
  const end = `${isError === true ? ',"isError":true' : ''}${isModern ? MODERN_END : ''}`;
  return `{"result":{${result}${end}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
}
