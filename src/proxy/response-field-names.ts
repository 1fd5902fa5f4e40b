import { HOP_BY_HOP } from './request-field-rules.ts';

/** Data only: the names, and parts of names, by which `response-field-rules.ts` decides. */

/** Registered fields (IANA, HTTP Field Name Registry) that describe the answer or tell the client something, no more. */
export const STANDARD_FIELDS: ReadonlySet<string> = new Set([
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
  // Model Context Protocol, streamable HTTP
  ...['mcp-session-id', 'mcp-protocol-version'],
  // In use without registration
  ...['rlogid', 'idempotency-key', 'idempotency-replayed', 'cf-ray'],
]);

/** Never from a provider, registered or not: connections, cookies and transport of the gateway's own origin. */
export const DROPPED_FIELDS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...['set-cookie', 'set-cookie2', 'clear-site-data', 'alt-svc', 'strict-transport-security'],
  // The gateway sends its own.
  'x-content-type-options',
  // Addressed to intermediaries, or to a browser that shows the answer as a page
  ...['capsule-protocol', 'incremental', 'priority', 'refresh'],
]);

/** CORS is decided by the project's origins, and `gateway-` fields are the gateway's own. */
export const DROPPED_PREFIXES = ['access-control-', 'gateway-', 'sec-', 'x-forwarded-'];

/**
 * Instructions to servers in front: nginx, LiteSpeed, Apache, lighttpd, Perlbal, Envoy, PageSpeed, ESI processors,
 * caches and CDNs. With or without `x-` before them.
 */
export const FIELDS_FOR_SERVERS_IN_FRONT =
  /^(?:x-)?(?:accel-|litespeed-|lsc|lighttpd-|send-?file|reproxy-|edge-|envoy-|(?:mod-|page-)?pagespeed|(?:do-)?esi(?:-|$)|surrogate-|purge|x?key$|cache-(?:tags?|keys?|groups?)(?:-|$))|(?:^|-)cdn-|cache-control$/;

/** Browsers take no new `x-` fields (RFC 6648), so this list of the old ones is complete. */
export const OLD_BROWSER_FIELDS =
  /^x-(?:frame-|xss-|dns-prefetch|permitted-|download-options|ua-compatible|webkit-|moz-|content-security-|sourcemap|(?:allow-)?fledge)|-(?:policy|policies|csp)$/;

export const RATE_LIMIT_FIELDS = /rate-?limit/;

/** Words in names of fields for browsers: one of them makes a name without `x-` suspect. */
export const BROWSER_WORDS: ReadonlySet<string> = new Set([
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
export const INFORMING_LAST_WORDS: ReadonlySet<string> = new Set([
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
export const APPLICATION_FIRST_WORDS: ReadonlySet<string> = new Set([
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
