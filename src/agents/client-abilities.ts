import { isRecord } from '../lib/is-record.ts';
import type { ClientAbilities } from './caller.ts';

const NONE: ClientAbilities = { opensUrls: false, fillsForms: false };

/** What the capabilities say that a client declares, in whichever revision. */
export function readAbilities(capabilities: unknown): ClientAbilities {
  if (!isRecord(capabilities)) return NONE;
  const { elicitation } = capabilities;
  if (!isRecord(elicitation)) return NONE;
  return { opensUrls: isRecord(elicitation.url), fillsForms: isRecord(elicitation.form) };
}

const SESSION_ID = /^abilities-(url)?(?:-)?(form)?\.[0-9a-f-]{36}$/;

/**
 * Sessions of clients before 2026-07-28 hold nothing but what their `initialize` declared, and are known by their id
 * alone, so that any process answers. A client that makes one up tells a lie about itself.
 */
export function writeSessionId({ opensUrls, fillsForms }: ClientAbilities, unique: string): string {
  const names = [...(opensUrls ? ['url'] : []), ...(fillsForms ? ['form'] : [])];
  return `abilities-${names.join('-')}.${unique}`;
}

export function readSessionAbilities(sessionId: string | null): ClientAbilities {
  const found = SESSION_ID.exec(sessionId ?? '');
  return { opensUrls: found?.[1] !== undefined, fillsForms: found?.[2] !== undefined };
}
