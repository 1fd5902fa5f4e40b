import { rememberByName } from './remembered-names.ts';
import { HOP_BY_HOP } from './request-field-rules.ts';

/**
 * What becomes of each field of a provider's answer, by its name alone. A field that can act on a browser's state for
 * the gateway's origin, or on a server in front of the gateway, does not pass; nor does an unknown name, since the next
 * browser feature will use one. What passes: the standard fields listed here, the fields that an application marks as
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

/** Registered fields (IANA, HTTP Field Name Registry) that describe the answer or tell the client something, no more. */
const STANDARD: ReadonlySet<string> = new Set([
  // RFC 9110, 9111, 9112 and what stands beside them
  ...['accept-patch', 'accept-post', 'accept-query', 'accept-ranges', 'age', 'allow', 'authentication-info'],
  ...['content-base', 'content-disposition', 'content-encoding', 'content-id', 'content-language'],
  ...['content-location', 'content-md5', 'content-range', 'content-type', 'content-version', 'date', 'etag'],
  ...[
    'expires',
    'last-modified',
    'link',
    'link-template',
    'location',
    'mime-version',
    'pragma',
    'retry-after',
  ],
  ...['server', 'vary', 'via', 'warning', 'status'],
  // Digests and signatures: RFC 9530, RFC 9421
  ...['accept-signature', 'content-digest', 'digest', 'repr-digest', 'signature', 'signature-input'],
  ...['unencoded-digest', 'want-content-digest', 'want-digest', 'want-repr-digest', 'want-unencoded-digest'],
  // Diagnosis, limits, life of an API
  ...[
    'cache-status',
    'cmsd-dynamic',
    'cmsd-static',
    'deprecation',
    'proxy-status',
    'server-timing',
    'sunset',
  ],
  ...['ratelimit', 'ratelimit-policy', 'traceparent', 'tracestate', 'traceresponse'],
  // WebDAV, CalDAV, OData, OSLC, Memento, delta encoding, ACME, DPoP, repeatability, web push, resumable upload
  ...['dav', 'lock-token', 'schedule-reply', 'schedule-tag', 'status-uri', 'timeout', 'cal-managed-id'],
  ...['caldav-timezones', 'odata-entityid', 'odata-isolation', 'odata-maxversion', 'odata-version'],
  ...[
    'oslc-core-version',
    'memento-datetime',
    'delta-base',
    'im',
    'variant-vary',
    'replay-nonce',
    'dpop-nonce',
  ],
  ...['preference-applied', 'repeatability-result', 'ttl', 'tus-resumable', 'tus-version', 'tus-extension'],
  ...[
    'tus-max-size',
    'upload-complete',
    'upload-limit',
    'upload-metadata',
    'upload-expires',
    'upload-defer-length',
  ],
  // In use without registration
  ...['rlogid', 'idempotency-key', 'idempotency-replayed', 'cf-ray'],
]);

/** Never from a provider, registered or not: connections, cookies and transport of the gateway's own origin. */
const NEVER: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...['set-cookie', 'set-cookie2', 'clear-site-data', 'alt-svc', 'strict-transport-security'],
  // The gateway sends its own.
  'x-content-type-options',
  // Addressed to intermediaries, or to a browser that shows the answer as a page
  ...['capsule-protocol', 'incremental', 'priority', 'refresh'],
]);

/** CORS is decided by the project's origins, and `gateway-` fields are the gateway's own. */
const NEVER_PREFIXES = ['access-control-', 'gateway-', 'sec-', 'x-forwarded-'];

/**
 * Instructions to servers in front: nginx, LiteSpeed, Apache, lighttpd, Perlbal, Envoy, PageSpeed, ESI processors,
 * caches and CDNs. With or without `x-` before them.
 */
const FOR_SERVERS_IN_FRONT =
  /^(?:x-)?(?:accel-|litespeed-|lsc|lighttpd-|send-?file|reproxy-|edge-|envoy-|(?:mod-|page-)?pagespeed|(?:do-)?esi(?:-|$)|surrogate-|purge|x?key$|cache-(?:tags?|keys?|groups?)(?:-|$))|(?:^|-)cdn-|cache-control$/;

/** Browsers take no new `x-` fields (RFC 6648), so this list of the old ones is complete. */
const OLD_BROWSER_FIELDS =
  /^x-(?:frame-|xss-|dns-prefetch|permitted-|download-options|ua-compatible|webkit-|moz-|content-security-|sourcemap|(?:allow-)?fledge)|-(?:policy|policies|csp)$/;

const ABOUT_RATE_LIMITS = /rate-?limit/;

/** Words in names of fields for browsers: one of them makes a name without `x-` suspect. */
const BROWSER_WORDS: ReadonlySet<string> = new Set([
  ...['accept', 'access', 'activate', 'ad', 'agent', 'allocation', 'allow', 'allowed', 'allowlist', 'alt'],
  ...[
    'attribution',
    'auction',
    'binding',
    'browsing',
    'cache',
    'cdn',
    'ch',
    'clear',
    'cluster',
    'cookie',
    'critical',
  ],
  ...[
    'cross',
    'csp',
    'ct',
    'delegate',
    'detection',
    'device',
    'dictionary',
    'document',
    'dpr',
    'edge',
    'embedder',
  ],
  ...['endpoints', 'expect', 'fenced', 'fetch', 'fledge', 'frame', 'hints', 'idle', 'integrity', 'isolation'],
  ...[
    'loading',
    'login',
    'navigation',
    'nel',
    'observe',
    'opener',
    'origin',
    'permissions',
    'pins',
    'policy',
  ],
  ...[
    'prefetch',
    'preload',
    'prerender',
    'private',
    'purge',
    'referrer',
    'refresh',
    'register',
    'registration',
  ],
  ...[
    'report',
    'reporting',
    'reports',
    'require',
    'sandbox',
    'script',
    'search',
    'secure',
    'security',
    'service',
  ],
  ...[
    'session',
    'set',
    'shared',
    'site',
    'sourcemap',
    'speculation',
    'storage',
    'strict',
    'style',
    'supports',
  ],
  ...['surrogate', 'topics', 'transport', 'trial', 'use', 'visibility', 'worker'],
]);

/** Last words of names that only inform the client. */
const INFORMING_LAST_WORDS: ReadonlySet<string> = new Set([
  ...['build', 'checksum', 'code', 'correlation', 'cost', 'count', 'counts', 'credits', 'currency', 'cursor'],
  ...[
    'duration',
    'error',
    'errors',
    'format',
    'hash',
    'id',
    'ids',
    'info',
    'instance',
    'language',
    'latency',
  ],
  ...[
    'length',
    'limit',
    'limits',
    'locale',
    'md5',
    'message',
    'ms',
    'name',
    'offset',
    'page',
    'pages',
    'quota',
  ],
  ...[
    'reason',
    'region',
    'remaining',
    'requestid',
    'requests',
    'reset',
    'revision',
    'sha256',
    'size',
    'span',
  ],
  ...['state', 'tid', 'time', 'timestamp', 'tokens', 'total', 'totals', 'trace', 'traceid', 'type', 'units'],
  ...['usage', 'used', 'version', 'versions', 'warning', 'warnings'],
]);

/** First words with which APIs begin the names of their own fields. */
const APPLICATION_FIRST_WORDS: ReadonlySet<string> = new Set([
  ...['account', 'api', 'app', 'application', 'batch', 'correlation', 'custom', 'error', 'idempotency'],
  ...[
    'next',
    'organization',
    'page',
    'pagination',
    'prev',
    'previous',
    'quota',
    'rate',
    'ratelimit',
    'request',
  ],
  ...['retry', 'tenant', 'total', 'trace', 'transaction', 'upload', 'upstream'],
]);

function judge(name: string): ResponseFieldRule {
  const lower = name.toLowerCase();
  const read = READ_BY_THE_GATEWAY.get(lower);
  if (read !== undefined) return read;
  // CGI-like servers read an underscore as a hyphen.
  const judged = lower.replaceAll('_', '-');
  if (NEVER.has(judged) || NEVER_PREFIXES.some((prefix) => judged.startsWith(prefix)))
    return RESPONSE_FIELD.drop;
  if (STANDARD.has(lower)) return RESPONSE_FIELD.forward;
  if (FOR_SERVERS_IN_FRONT.test(judged)) return RESPONSE_FIELD.drop;
  if (ABOUT_RATE_LIMITS.test(judged)) return RESPONSE_FIELD.forward;
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

/** True for a field value with a challenge that would open a password dialog on the gateway's origin. */
export function opensDialog(challenges: string): boolean {
  return challenges
    .replace(QUOTED, '""')
    .split(',')
    .some((challenge) => DIALOG_SCHEMES.test(challenge.trim()));
}
