import { rememberByName } from './remembered-names.ts';

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

/** State of the caller with the gateway's own origin; the provider must never see it. */
const COOKIES = ['cookie', 'cookie2'];

/** Where the call came from: would inform the provider about the app's users, and the caller could claim anything. */
const ORIGIN_OF_THE_CALL = ['forwarded', 'via', 'origin', 'referer'];

/**
 * What proxies and CDNs write about their caller or its original address, in the spellings that servers believe. A
 * provider that trusts one of them would believe the caller about who calls, or which path is meant.
 */
const WORD_OF_A_PROXY = [
  ...['forwarded-for', 'client-ip', 'x-host', 'x-http-host-override', 'x-proxyuser-ip', 'x-remote-ip'],
  ...['x-remote-addr', 'x-source-ip', 'x-azure-socketip', 'x-appengine-user-ip', 'x-envoy-external-address'],
  ...['cf-connecting-ipv6', 'cf-pseudo-ipv4', 'cf-ipcountry', 'cf-visitor', 'cf-ray', 'cf-worker'],
];

/** `X-Real-IP`, `True-Client-IP`, `CF-Connecting-IP`, `Fastly-Client-IP`, `X-Cluster-Client-IP`, `X-Azure-ClientIP`, … */
const CLIENT_ADDRESS = /(?:^|-)(?:real|client|connecting|originating)-?ip$/;

const DROPPED: ReadonlySet<string> = new Set([
  'connection',
  ...HOP_BY_HOP,
  ...ANSWERED_HERE,
  ...COOKIES,
  ...ORIGIN_OF_THE_CALL,
  ...WORD_OF_A_PROXY,
]);

/**
 * `gateway-` is addressed to the gateway; `x-forwarded-` is as `forwarded`; `x-original-` and `x-rewrite-` name another
 * address than the one that was checked.
 */
const DROPPED_PREFIXES = ['gateway-', 'x-forwarded', 'x-original-', 'x-rewrite-'];

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
  gatewayTimeout: 14,
  gatewayRewriteLinks: 15,
  gatewayLoop: 16,
  traceparent: 17,
  fetchMetadata: 18,
  gatewayTiming: 19,
  gatewayApproval: 20,
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
  ['gateway-timeout', FIELD.gatewayTimeout],
  ['gateway-rewrite-links', FIELD.gatewayRewriteLinks],
  ['gateway-loop', FIELD.gatewayLoop],
  ['gateway-timing', FIELD.gatewayTiming],
  ['gateway-approval', FIELD.gatewayApproval],
  ['traceparent', FIELD.traceparent],
  ['sec-fetch-site', FIELD.fetchMetadata],
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
  if (DROPPED.has(judged) || CLIENT_ADDRESS.test(judged)) return FIELD.drop;
  if (DROPPED_PREFIXES.some((prefix) => judged.startsWith(prefix))) return FIELD.drop;
  return judged !== lower && NAMED.has(judged) ? FIELD.drop : FIELD.forward;
}

/** The rule for a field name in any case. */
export const fieldRule = rememberByName(rule);
