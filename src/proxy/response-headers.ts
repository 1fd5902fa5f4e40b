import { HOP_BY_HOP } from './header-rules.ts';
import { type FieldList, nominatedFields } from './headers.ts';

/**
 * What becomes of each response header field: whatever is in no set below passes as the provider sent it.
 */

/** They would set state for the gateway's origin, which belongs to the operator and not to the provider. */
const FOR_THE_ORIGIN = [
  'set-cookie',
  'set-cookie2',
  'strict-transport-security',
  'alt-svc',
  'clear-site-data',
];

/** Orders to a shared cache or a web server in front of the gateway; the first two outrank `private` (RFC 9213). */
const FOR_SERVERS_IN_FRONT = [
  'cdn-cache-control',
  'surrogate-control',
  'x-accel-expires',
  'x-accel-redirect',
  'x-sendfile',
];

/** The gateway sends its own, and a second one adds nothing. */
const REPLACED = ['x-content-type-options'];

const DROPPED: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...FOR_THE_ORIGIN,
  ...FOR_SERVERS_IN_FRONT,
  ...REPLACED,
]);

/** CORS is decided by the project's origins, and `gateway-` is the gateway's own voice. */
const DROPPED_PREFIXES = ['access-control-', 'gateway-'];

const FIELD = { forward: 0, drop: 1, connection: 2, cacheControl: 3, contentLength: 4 } as const;
type Rule = (typeof FIELD)[keyof typeof FIELD];

function rule(name: string): Rule {
  const lower = name.toLowerCase();
  if (lower === 'connection') return FIELD.connection;
  if (lower === 'cache-control') return FIELD.cacheControl;
  if (lower === 'content-length') return FIELD.contentLength;
  const isDropped = DROPPED.has(lower) || lower.endsWith('-cdn-cache-control');
  return isDropped || DROPPED_PREFIXES.some((prefix) => lower.startsWith(prefix))
    ? FIELD.drop
    : FIELD.forward;
}

const REMEMBERED_NAMES_MAX = 512;
const remembered = new Map<string, Rule>();

function fieldRule(name: string): Rule {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const found = rule(name);
  if (remembered.size < REMEMBERED_NAMES_MAX) remembered.set(name, found);
  return found;
}

export type AnswerFields = {
  readonly fields: FieldList;
  /** Announced body length in bytes; undefined when there is none, or it cannot be read. */
  readonly contentLength: number | undefined;
};

const NOMINATES_NOTHING = /^(?:keep-alive|close)$/i;

/**
 * The header section for the caller: the provider's, less the dropped fields, plus the gateway's own. No provider's
 * page can run script on the gateway's origin, and no shared cache may keep the answer (RFC 9111 section 5.2.2.7).
 * `allowedOrigin` is the caller's web origin if the project allows it.
 */
export function answerFields(
  rawHeaders: readonly string[],
  requestId: string,
  allowedOrigin: string | undefined,
): AnswerFields {
  const fields: FieldList = [];
  let contentLength: number | undefined;
  let isPrivate = false;
  let connection: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const value = rawHeaders[index + 1] ?? '';
    const kind = fieldRule(name);
    if (kind === FIELD.forward) fields.push(name, value);
    else if (kind === FIELD.contentLength) {
      contentLength = Number(value);
      fields.push(name, value);
    } else if (kind === FIELD.connection) {
      connection = connection === undefined ? value : `${connection},${value}`;
    } else if (kind === FIELD.cacheControl) {
      isPrivate ||= KEPT_PRIVATE.test(value);
      const kept = SHARED_CACHING.test(value) ? withoutSharedCaching(value) : value;
      if (kept !== '') fields.push(name, kept);
    }
  }
  const kept =
    connection === undefined || NOMINATES_NOTHING.test(connection) ? fields : without(fields, connection);
  if (!isPrivate) kept.push('Cache-Control', 'private');
  pushOwn(kept, requestId, allowedOrigin);
  return { fields: kept, contentLength };
}

/** The fields less those that the provider's `Connection` names. */
function without(fields: FieldList, connection: string): FieldList {
  const nominated = nominatedFields(connection);
  return fields.filter((_text, index) => !nominated.has((fields[index & ~1] ?? '').toLowerCase()));
}

function pushOwn(fields: FieldList, requestId: string, allowedOrigin: string | undefined): void {
  fields.push(
    'Vary',
    'Authorization, Origin',
    'X-Content-Type-Options',
    'nosniff',
    'Content-Security-Policy',
    "sandbox; default-src 'none'",
    'Gateway-Request-Id',
    requestId,
  );
  if (allowedOrigin === undefined) return;
  fields.push('Access-Control-Allow-Origin', allowedOrigin, 'Access-Control-Expose-Headers', EXPOSED_FIELDS);
}

/** `*` covers calls without credentials mode, which is how bearer tokens travel; the names serve everything else. */
export const EXPOSED_FIELDS = '*, Gateway-Error, Gateway-Request-Id, Retry-After, WWW-Authenticate';

/** `private` without field names, or the stricter `no-store`. */
const KEPT_PRIVATE = /(?:^|[\s,])(?:private|no-store)\s*(?:,|$)/i;
const SHARED_CACHING = /(?:^|[\s,])(?:public|s-maxage)/i;

function withoutSharedCaching(value: string): string {
  return value
    .split(',')
    .filter((directive) => !/^\s*(?:public|s-maxage)\s*(?:=|$)/i.test(directive))
    .join(',')
    .trim();
}

const UNSENDABLE_REASON = /[^\t\x20-\x7e\x80-\xff]/;

/** False for a status line that cannot be relayed: `writeHead` would throw on it, and 1xx is no final answer. */
export function isRelayable(statusCode: number | undefined, reason: string | undefined): boolean {
  if (statusCode === undefined || statusCode < 200 || statusCode > 999) return false;
  return reason === undefined || !UNSENDABLE_REASON.test(reason);
}
