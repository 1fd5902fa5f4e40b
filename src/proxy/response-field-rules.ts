import { rememberByName } from './remembered-names.ts';
import {
  APPLICATION_FIRST_WORDS,
  BROWSER_WORDS,
  DROPPED_FIELDS,
  DROPPED_PREFIXES,
  FIELDS_FOR_SERVERS_IN_FRONT,
  INFORMING_LAST_WORDS,
  OLD_BROWSER_FIELDS,
  RATE_LIMIT_FIELDS,
  STANDARD_FIELDS,
} from './response-field-names.ts';

/**
 * What becomes of each field of a provider's answer, by its name alone. A field that can act on a browser's state for
 * the gateway's origin, or on a server in front of the gateway, does not pass; nor does an unknown name, since the next
 * browser feature will use one. What passes: the standard fields, the fields that an application marks as
 * its own (`x-`, an underscore, its provider's name), and names that only inform.
 */
export const RESPONSE_FIELD = {
  forward: 0,
  drop: 1,
  connection: 2,
  cacheControl: 3,
  contentLength: 4,
  /** Passes unless it would open a password dialog in a browser. */
  challenge: 5,
  /** Passes where the catalog says that it is the provider's own. */
  unknown: 6,
} as const;

export type ResponseFieldRule = (typeof RESPONSE_FIELD)[keyof typeof RESPONSE_FIELD];

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
  if (DROPPED_FIELDS.has(judged) || DROPPED_PREFIXES.some((prefix) => judged.startsWith(prefix)))
    return RESPONSE_FIELD.drop;
  if (STANDARD_FIELDS.has(lower)) return RESPONSE_FIELD.forward;
  if (FIELDS_FOR_SERVERS_IN_FRONT.test(judged)) return RESPONSE_FIELD.drop;
  if (RATE_LIMIT_FIELDS.test(judged)) return RESPONSE_FIELD.forward;
  if (OLD_BROWSER_FIELDS.test(judged)) return RESPONSE_FIELD.drop;
  if (judged.startsWith('x-')) return RESPONSE_FIELD.forward;
  const words = judged.split('-');
  if (words.some((word) => BROWSER_WORDS.has(word))) return RESPONSE_FIELD.drop;
  return lower.includes('_') || isInformative(words) ? RESPONSE_FIELD.forward : RESPONSE_FIELD.unknown;
}

function isInformative(words: readonly string[]): boolean {
  const isOfApplication = words.length > 1 && APPLICATION_FIRST_WORDS.has(words[0] ?? '');
  return isOfApplication || INFORMING_LAST_WORDS.has(words.at(-1) ?? '');
}

/** The rule for a field name in any case. */
export const responseFieldRule = rememberByName(judge);

/** What the catalog says of a provider's own fields. */
export type OwnFields = {
  /** The entry's id, whose first word its fields begin with (`stripe-should-retry`). */
  readonly providerId?: string | undefined;
  /** Further names, in lower case. */
  readonly responseHeaders?: ReadonlySet<string> | undefined;
};

/**
 * True for an `unknown` field that is the provider's own. The id of a project's own provider (`custom:…`) says nothing:
 * the project that describes the provider chooses it.
 */
export function isOwnField(name: string, { providerId, responseHeaders }: OwnFields): boolean {
  const lower = name.toLowerCase();
  if (responseHeaders?.has(lower)) return true;
  const [vendor = ''] = providerId?.split('-') ?? [];
  return vendor !== '' && !vendor.includes(':') && lower.startsWith(`${vendor}-`);
}

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
