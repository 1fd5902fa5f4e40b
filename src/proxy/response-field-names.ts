import { HOP_BY_HOP } from './request-field-rules.ts';

/** Data only: the names, and parts of names, by which `response-field-rules.ts` decides. */

/** Registered fields (IANA, HTTP Field Name Registry) that describe the answer or inform the client, no more. */
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

/** Never from a provider, registered or not, by why. */
export const DROPPED_FIELDS: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  // They set what a browser keeps for the gateway's origin: cookies, transport, storage.
  ...['set-cookie', 'set-cookie2', 'cookie2', 'clear-site-data', 'alt-svc', 'strict-transport-security'],
  // The gateway sends its own.
  'x-content-type-options',
  // An intermediary acts on them: framing, extensions and negotiation on the way (RFC 2295, 2774), counts of caches
  // (RFC 2227), priorities, certificates that a server in front has seen (RFC 9440).
  ...[
    'capsule-protocol',
    'incremental',
    'priority',
    'forwarded',
    'host',
    'http2-settings',
    'close',
    'early-data',
  ],
  ...[
    'max-forwards',
    'meter',
    'ext',
    'c-ext',
    'man',
    'c-man',
    'opt',
    'c-opt',
    'pep',
    'c-pep',
    'alternates',
    'tcn',
  ],
  ...['negotiate', 'client-cert', 'client-cert-chain', 'alpn'],
  // A browser acts on them where it shows the answer as a page, or did so once.
  ...['refresh', 'p3p', 'pics-label', 'hobareg', 'getprofile', 'setprofile', 'profileobject', 'uri'],
  // A provider that mirrors what it gets would show the credential.
  'authorization',
]);

/**
 * CORS is decided by the project's origins, `gateway-` fields are the gateway's own, `sec-` those of browsers alone;
 * the others speak of what is on the way.
 */
export const DROPPED_PREFIXES = ['access-control-', 'gateway-', 'sec-', 'x-forwarded-', 'proxy-'];

/**
 * Instructions to servers in front: nginx, LiteSpeed, Apache, lighttpd, Perlbal, Envoy, PageSpeed, ESI processors,
 * caches and CDNs. With or without `x-` before them.
 */
export const FIELDS_FOR_SERVERS_IN_FRONT =
  /^(?:x-)?(?:accel-|litespeed-|lsc|lighttpd-|send-?file|reproxy-|edge-|envoy-|(?:mod-|page-)?pagespeed|(?:do-)?esi(?:-|$)|surrogate-|purge|x?key$|cache-(?:tags?|keys?|groups?)(?:-|$))|(?:^|-)cdn-|-control$/;

/** Browsers take no new `x-` fields (RFC 6648), so this list of the old ones is complete. */
export const OLD_BROWSER_FIELDS =
  /^x-(?:frame-|xss-|dns-prefetch|permitted-|download-options|ua-compatible|webkit-|moz-|content-security-|sourcemap|(?:allow-)?fledge)|-(?:policy|policies|csp)(?:-report-only)?$/;

export const RATE_LIMIT_FIELDS = /rate-?limit/;

/**
 * Fields, and families of fields, on which browsers act without `x-` before them: reporting, client hints, service
 * workers, log-in status, dictionaries, isolation and keys of an origin, certificates, advertising, speculation.
 */
export const BROWSER_FIELDS =
  /^(?:nel$|report-to|reporting-|accept-ch|critical-ch|delegate-ch|(?:content-)?dpr$|service-worker|set-login|login-status|(?:use-as|available)-dictionary|dictionary-|origin-|activate-storage|public-key-pins|expect-|no-vary-|secure-session|observe-|shared-storage|ad-auction|supports-loading|attribution-|speculation-|idle-|device-memory|private-state|large-allocation|sourcemap|cross-origin|timing-allow|allow-csp|connection-allowlist|content-(?:script|style)-|default-style)/;

/**
 * Words in names of fields for browsers. A name without `x-` that has one of them may be the next such field: it passes
 * only where the operator's provider file lists it.
 */
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
