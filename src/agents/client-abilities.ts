import { isRecord } from '../lib/is-record.ts';
import type { ClientAbilities } from './caller.ts';

/** MCP Apps (SEP-1865): the extension by which a client says that it shows pages of ours. */
const APPS_EXTENSION = 'io.modelcontextprotocol/ui';
const APP_TYPE = 'text/html;profile=mcp-app';

const NONE: ClientAbilities = { opensUrls: false, showsApps: false };

/** What the capabilities say that a client declares, in whichever revision. */
export function readAbilities(capabilities: unknown): ClientAbilities {
  if (!isRecord(capabilities)) return NONE;
  const { elicitation, extensions } = capabilities;
  const apps = isRecord(extensions) ? extensions[APPS_EXTENSION] : undefined;
  const types = isRecord(apps) ? apps.mimeTypes : undefined;
  return {
    opensUrls: isRecord(elicitation) && isRecord(elicitation.url),
    showsApps: Array.isArray(types) && types.includes(APP_TYPE),
  };
}

const SESSION_ID = /^abilities-(url)?(?:-)?(ui)?\.[0-9a-f-]{36}$/;

/**
 * Sessions of clients before 2026-07-28 hold nothing but what their `initialize` declared, and are known by their id
 * alone, so that any process answers. A client that makes one up tells a lie about itself.
 */
export function writeSessionId({ opensUrls, showsApps }: ClientAbilities, unique: string): string {
  const names = [...(opensUrls ? ['url'] : []), ...(showsApps ? ['ui'] : [])];
  return `abilities-${names.join('-')}.${unique}`;
}

export function readSessionAbilities(sessionId: string | null): ClientAbilities {
  const found = SESSION_ID.exec(sessionId ?? '');
  return { opensUrls: found?.[1] !== undefined, showsApps: found?.[2] !== undefined };
}
