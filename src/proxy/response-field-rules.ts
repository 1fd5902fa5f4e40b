import { rememberByName } from './remembered-names.ts';
import {
  BROWSER_FIELDS,
  BROWSER_WORDS,
  DROPPED_FIELDS,
  DROPPED_PREFIXES,
  FIELDS_FOR_SERVERS_IN_FRONT,
  OLD_BROWSER_FIELDS,
  RATE_LIMIT_FIELDS,
  STANDARD_FIELDS,
} from './response-field-names.ts';

/**
 * What becomes of each field of a provider's answer, by its name alone. A field that can act on a browser's state for
 * the gateway's origin, or on a server in front of the gateway, does not pass; nor does a name that reads as if it did,
 * since the next browser feature will use one. Everything else passes: clients read fields that no list has.
 */
export const RESPONSE_FIELD = {
  forward: 0,
  drop: 1,
  connection: 2,
  cacheControl: 3,
  contentLength: 4,
  /** Passes unless it would open a password dialog in a browser. */
  challenge: 5,
  /** Reads like a field for browsers; passes where the operator's provider file lists it. */
  suspect: 6,
} as const;

type ResponseFieldRule = (typeof RESPONSE_FIELD)[keyof typeof RESPONSE_FIELD];

const READ_BY_THE_GATEWAY: ReadonlyMap<string, ResponseFieldRule> = new Map<string, ResponseFieldRule>([
  ['connection', RESPONSE_FIELD.connection],
  ['cache-control', RESPONSE_FIELD.cacheControl],
  ['content-length', RESPONSE_FIELD.contentLength],
  ['www-authenticate', RESPONSE_FIELD.challenge],
  ['optional-www-authenticate', RESPONSE_FIELD.challenge],
]);

function judge(name: string): ResponseFieldRule {
  const lower = name.toLowerCase();
  const read = READ_BY_THE_GATEWAY.get(lower);
  if (read !== undefined) return read;
  // CGI-like servers read an underscore as a hyphen.
  const judged = lower.replaceAll('_', '-');
  if (DROPPED_FIELDS.has(judged)) return RESPONSE_FIELD.drop;
  if (STANDARD_FIELDS.has(lower)) return RESPONSE_FIELD.forward;
  if (DROPPED_PREFIXES.some((prefix) => judged.startsWith(prefix))) return RESPONSE_FIELD.drop;
  if (FIELDS_FOR_SERVERS_IN_FRONT.test(judged)) return RESPONSE_FIELD.drop;
  if (RATE_LIMIT_FIELDS.test(judged)) return RESPONSE_FIELD.forward;
  if (OLD_BROWSER_FIELDS.test(judged) || BROWSER_FIELDS.test(judged)) return RESPONSE_FIELD.drop;
  if (judged.startsWith('x-')) return RESPONSE_FIELD.forward;
  const isSuspect = judged.split('-').some((word) => BROWSER_WORDS.has(word));
  return isSuspect ? RESPONSE_FIELD.suspect : RESPONSE_FIELD.forward;
}

/** The rule for a field name in any case. */
export const responseFieldRule = rememberByName(judge);

/** Schemes whose challenges browsers answer with a dialog, or with the user's own account (RFC 9110 section 11). */
const DIALOG_SCHEMES = /^(?:basic|digest|negotiate|ntlm|kerberos|hoba|mutual)(?=[\s,]|$)/i;
const QUOTED = /"(?:[^"\\]|\\.)*"?/g;

/** RFC 9728 section 5.1, with the comma that parts it from its neighbours. */
const RESOURCE_METADATA =
  /(?:,[ \t]*)?(?<![A-Za-z0-9_-])resource_metadata[ \t]*=[ \t]*(?:"(?:[^"\\]|\\.)*"|[^\s",]*)/gi;

/**
 * A challenge without the address of the provider's metadata, which would have a client authorize at the provider and
 * bring its token to the gateway. Scheme, error and scope stay: they say what the connection lacks.
 */
export function removeResourceMetadata(challenge: string): string {
  if (!/resource_metadata/i.test(challenge)) return challenge;
  return challenge
    .replace(RESOURCE_METADATA, '')
    .replace(/^([A-Za-z][A-Za-z0-9-]*)[ \t]*,[ \t]*/, '$1 ')
    .trim();
}

/** True for a field value with a challenge that would open a password dialog on the gateway's origin. */
export function opensDialog(challenges: string): boolean {
  return challenges
    .replace(QUOTED, '""')
    .split(',')
    .some((challenge) => DIALOG_SCHEMES.test(challenge.trim()));
}
