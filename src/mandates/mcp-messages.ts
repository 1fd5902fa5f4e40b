import { isRecord } from '../lib/is-record.ts';
import { listValues } from './call.ts';
import { foldName } from './strict-json.ts';

const BATCH_MAX = 50;
const MEMBERS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);
const TOOL_CALL = 'tools/call';

/** Messages of clients that list, read or speak of the session (Model Context Protocol, 2025-11-25 and 2026-07-28). */
const READING_METHODS: ReadonlySet<string> = new Set([
  ...['initialize', 'ping', 'server/discover', 'logging/setLevel', 'completion/complete'],
  ...['tools/list', 'prompts/list', 'prompts/get'],
  ...['resources/list', 'resources/read', 'resources/templates/list'],
]);

export type McpContext = {
  readonly rawHeaders: readonly string[];
  /** Tools that the operator has marked as reading. */
  readonly readingTools: readonly string[];
};

/** Why a body for an MCP server may change something; undefined: it holds nothing but messages that read. */
export function findMcpChange(value: unknown, { rawHeaders, readingTools }: McpContext): string | undefined {
  const methods = listValues(rawHeaders, 'mcp-method');
  const names = listValues(rawHeaders, 'mcp-name');
  if (!Array.isArray(value))
    return findChangeOf(value, readingTools) ?? findDisagreement(value, methods, names);
  if (value.length === 0 || value.length > BATCH_MAX) return `a batch holds 1 to ${BATCH_MAX} messages`;
  if (methods.length > 0 || names.length > 0)
    return 'Mcp-Method and Mcp-Name speak of one message, not of a batch';
  for (const message of value) {
    const change = findChangeOf(message, readingTools);
    if (change !== undefined) return change;
  }
  return undefined;
}

function findChangeOf(message: unknown, readingTools: readonly string[]): string | undefined {
  if (!isRecord(message) || message.jsonrpc !== '2.0' || typeof message.method !== 'string')
    return 'its body is no request of JSON-RPC 2.0';
  if (Object.keys(message).some((name) => !MEMBERS.has(name)))
    return 'its message has a member beside jsonrpc, id, method and params';
  const { method, params } = message;
  if (READING_METHODS.has(method) || method.startsWith('notifications/')) return undefined;
  if (method !== TOOL_CALL) return 'its message does more than list and read';
  const tool = readToolName(params);
  return tool !== undefined && readingTools.includes(tool)
    ? undefined
    : 'the operator has not marked this tool as reading (readingTools of the integration’s settings)';
}

/** Undefined where the name stands in another spelling as well. */
function readToolName(params: unknown): string | undefined {
  if (!isRecord(params)) return undefined;
  const spellings = Object.keys(params).filter((name) => foldName(name) === 'name');
  return spellings.length === 1 && typeof params.name === 'string' ? params.name : undefined;
}

/** Servers may go by these fields in the place of the body. */
function findDisagreement(
  message: unknown,
  methods: readonly string[],
  names: readonly string[],
): string | undefined {
  if (!isRecord(message)) return undefined;
  const isMethod = methods.length === 0 || (methods.length === 1 && methods[0]?.trim() === message.method);
  const isName =
    names.length === 0 || (names.length === 1 && decodeName(names[0]) === findName(message.params));
  return isMethod && isName ? undefined : 'Mcp-Method or Mcp-Name and the body disagree';
}

function findName(params: unknown): unknown {
  return isRecord(params) ? (params.name ?? params.uri) : undefined;
}

/** Values that a field cannot hold come in Base64, in a frame. */
function decodeName(value = ''): string {
  const text = value.trim();
  const encoded = /^=\?base64\?([A-Za-z0-9+/=]*)\?=$/.exec(text)?.[1];
  return encoded === undefined ? text : Buffer.from(encoded, 'base64').toString();
}
