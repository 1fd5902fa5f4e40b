/**
 * What becomes of each request header field. Every set has a name and a reason; whatever is in none is forwarded.
 */

/**
 * RFC 9110 section 7.6.1, and what older agents treat the same way: they belong to one connection, in both directions.
 * `Connection` itself is read for the fields that it names before it goes.
 */
export const HOP_BY_HOP: readonly string[] = [
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-authentication-info',
];

/** Answered by the gateway. */
const ANSWERED_HERE = ['expect'];

/** State of the caller with the gateway's own origin; never the provider's business. */
const COOKIES = ['cookie', 'cookie2'];

/** Where the call came from: would tell the provider about the app's users, and the caller could claim anything. */
const ORIGIN_OF_THE_CALL = ['forwarded', 'via', 'origin', 'referer'];

const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  ...HOP_BY_HOP,
  ...ANSWERED_HERE,
  ...COOKIES,
  ...ORIGIN_OF_THE_CALL,
]);

/** `gateway-` is addressed to the gateway; `x-forwarded-` is as `forwarded`. */
const DROPPED_PREFIXES = ['gateway-', 'x-forwarded-'];

/** Never dropped because `Connection` names them: they frame and route the message itself. */
export const NOT_NOMINABLE: ReadonlySet<string> = new Set(['host', 'content-length']);

/** What the scan does with a field, by its name alone. */
export const FIELD = {
  forward: 0,
  drop: 1,
  host: 2,
  authorization: 3,
  connection: 4,
  contentLength: 5,
  transferEncoding: 6,
  origin: 7,
  upgrade: 8,
  gatewayConnection: 9,
  gatewayIntegration: 10,
  gatewayRetry: 11,
  requestedMethod: 12,
  requestedHeaders: 13,
} as const;

export type FieldRule = (typeof FIELD)[keyof typeof FIELD];

const NAMED: ReadonlyMap<string, FieldRule> = new Map<string, FieldRule>([
  ['host', FIELD.host],
  ['authorization', FIELD.authorization],
  ['connection', FIELD.connection],
  ['content-length', FIELD.contentLength],
  ['transfer-encoding', FIELD.transferEncoding],
  ['origin', FIELD.origin],
  ['upgrade', FIELD.upgrade],
  ['gateway-connection', FIELD.gatewayConnection],
  ['gateway-integration', FIELD.gatewayIntegration],
  ['gateway-retry', FIELD.gatewayRetry],
  ['access-control-request-method', FIELD.requestedMethod],
  ['access-control-request-headers', FIELD.requestedHeaders],
]);

/**
 * CGI-like servers read `X_Forwarded_For` as `X-Forwarded-For`, so a name with underscores is judged as its twin with
 * hyphens; one that would be dropped, or that frames the message, is dropped. The others pass as they are.
 */
function rule(name: string): FieldRule {
  const lower = name.toLowerCase();
  const named = NAMED.get(lower);
  if (named !== undefined) return named;
  const judged = lower.includes('_') ? lower.replaceAll('_', '-') : lower;
  if (DROPPED.has(judged) || DROPPED_PREFIXES.some((prefix) => judged.startsWith(prefix))) return FIELD.drop;
  return judged !== lower && NAMED.has(judged) ? FIELD.drop : FIELD.forward;
}

/** Names come from callers: remember only so many of them. */
const REMEMBERED_NAMES_MAX = 512;
const remembered = new Map<string, FieldRule>();

/** The rule for a field name in any case. Names repeat from call to call, so the answer is remembered by spelling. */
export function fieldRule(name: string): FieldRule {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const found = rule(name);
  if (remembered.size < REMEMBERED_NAMES_MAX) remembered.set(name, found);
  return found;
}
