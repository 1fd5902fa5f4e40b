import { isRecord } from '../../lib/is-record.ts';
import type { ProviderFile } from '../schema/provider.schema.ts';
import { findOriginVariable } from './url-template.ts';

/** A tool may think for minutes before its answer begins. */
const FIRST_BYTE_SECONDS = 600;

/**
 * What the address of an MCP server says of the fields that a file of it leaves out: `auth`, and an API base at the
 * server's origin. Anything else comes back as it is, for the schema to judge.
 */
export function fillMcpDefaults(content: unknown): unknown {
  return isRecord(content) ? withMcpDefaults(content) : content;
}

/** The same for the fields of a file, or of one of its grants. */
export function withMcpDefaults(
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { mcp } = fields;
  if (!isRecord(mcp) || typeof mcp.url !== 'string') return fields;
  const base = originTemplateOf(mcp.url);
  return { auth: 'oauth2', ...(base !== undefined && { apiBaseUrl: base }), ...fields };
}

/** The origin of an address, which may be a variable or name some. */
function originTemplateOf(url: string): string | undefined {
  const variable = findOriginVariable(url);
  if (variable !== undefined) return `{${variable}}`;
  return /^https?:\/\/[^/?#]+/.exec(url)?.[0];
}

/** The usual wait for the answers of an MCP server, where its file says nothing. */
export function mcpTimeouts({ mcp, timeouts }: ProviderFile): Pick<ProviderFile, 'timeouts'> {
  if (mcp === undefined) return {};
  return { timeouts: { firstByteSeconds: FIRST_BYTE_SECONDS, ...timeouts } };
}
