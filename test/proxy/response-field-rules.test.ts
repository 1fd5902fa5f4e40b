import {
  RESPONSE_FIELD,
  removeResourceMetadata,
  responseFieldRule,
} from '../../src/proxy/response-field-rules.ts';
import { buildResponseFields } from '../../src/proxy/response-headers.ts';

/** The HTTP Field Name Registry of IANA (RFC 9110 section 18.4), every status. `+` marks what reaches the caller. */
const REGISTRY = `
  +A-IM  Accept  Accept-Additions  Accept-CH  Accept-Charset  Accept-Datetime  Accept-Encoding  Accept-Features
  Accept-Language  +Accept-Patch  +Accept-Post  +Accept-Query  +Accept-Ranges  +Accept-Signature
  Access-Control  Access-Control-Allow-Credentials  Access-Control-Allow-Headers  Access-Control-Allow-Methods
  Access-Control-Allow-Origin  Access-Control-Expose-Headers  Access-Control-Max-Age
  Access-Control-Request-Headers  Access-Control-Request-Method
  Activate-Storage-Access  +Age  +Allow  ALPN  Alt-Svc  Alt-Used  Alternates  AMP-Cache-Transform
  +Apply-To-Redirect-Ref  Authentication-Control  +Authentication-Info  Authorization  Available-Dictionary
  C-Ext  C-Man  C-Opt  C-PEP  +C-PEP-Info  +Cache-Control  Cache-Group-Invalidation  Cache-Groups  +Cache-Status
  +Cal-Managed-ID  +CalDAV-Timezones  Capsule-Protocol  CDN-Cache-Control  CDN-Loop  +Cert-Not-After
  +Cert-Not-Before  Clear-Site-Data  Client-Cert  Client-Cert-Chain  Close  +CMCD-Object  +CMCD-Request
  CMCD-Session  +CMCD-Status  +CMSD-Dynamic  +CMSD-Static  +Concealed-Auth-Export  +Configuration-Context
  Connection  +Content-Base  +Content-Digest  +Content-Disposition  +Content-Encoding  +Content-ID
  +Content-Language  +Content-Length  +Content-Location  +Content-MD5  +Content-Range  Content-Script-Type
  Content-Security-Policy  Content-Security-Policy-Report-Only  Content-Style-Type  +Content-Type
  +Content-Version  Cookie  Cookie2  Cross-Origin-Embedder-Policy  Cross-Origin-Embedder-Policy-Report-Only
  Cross-Origin-Opener-Policy  Cross-Origin-Opener-Policy-Report-Only  Cross-Origin-Resource-Policy
  CTA-Common-Access-Token  +DASL  +Date  +DAV  Default-Style  +Delta-Base  +Deprecation  +Depth  +Derived-From
  +Destination  +Detached-JWS  +Differential-ID  Dictionary-ID  +Digest  +DPoP  +DPoP-Nonce  Early-Data
  +EDIINT-Features  +ETag  Expect  Expect-CT  +Expires  Ext  Forwarded  +From  GetProfile  Hobareg  Host
  HTTP2-Settings  +If  +If-Match  +If-Modified-Since  +If-None-Match  +If-Range  +If-Schedule-Tag-Match
  +If-Unmodified-Since  +IM  Include-Referred-Token-Binding-ID  Incremental  Isolation  Keep-Alive  +Label
  +Last-Event-ID  +Last-Modified  +Link  +Link-Template  +Location  +Lock-Token  Man  Max-Forwards
  +Memento-Datetime  Meter  +Method-Check  +Method-Check-Expires  +MIME-Version  Negotiate  NEL
  +OData-EntityId  +OData-Isolation  +OData-MaxVersion  +OData-Version  Opt  +Optional-WWW-Authenticate
  +Ordering-Type  Origin  Origin-Agent-Cluster  +OSCORE  +OSLC-Core-Version  +Overwrite  P3P  PEP  Permissions-Policy
  +PEP-Info  PICS-Label  +Ping-From  +Ping-To  +Position  +Pragma  +Prefer  +Preference-Applied  Priority
  ProfileObject  +Protocol  +Protocol-Info  +Protocol-Query  +Protocol-Request  Proxy-Authenticate
  Proxy-Authentication-Info  Proxy-Authorization  Proxy-Features  Proxy-Instruction  +Proxy-Status  +Public
  Public-Key-Pins  Public-Key-Pins-Report-Only  +Range  +Redirect-Ref  +Referer  +Referer-Root  Referrer-Policy
  Refresh  +Repeatability-Client-ID  +Repeatability-First-Sent  +Repeatability-Request-ID  +Repeatability-Result
  +Replay-Nonce  Reporting-Endpoints  +Repr-Digest  +Retry-After  +Safe  +Schedule-Reply  +Schedule-Tag
  Sec-Fetch-Dest  Sec-Fetch-Mode  Sec-Fetch-Site  Sec-Fetch-Storage-Access  Sec-Fetch-User  Sec-GPC
  Sec-Purpose  Sec-Token-Binding  Sec-WebSocket-Accept  Sec-WebSocket-Extensions  Sec-WebSocket-Key
  Sec-WebSocket-Protocol  Sec-WebSocket-Version  Security-Scheme  +Server  +Server-Timing  Set-Cookie
  Set-Cookie2  SetProfile  Set-Txn  +Signature  +Signature-Input  +SLUG  +SoapAction  +Status-URI
  Strict-Transport-Security  +Sunset  Surrogate-Capability  Surrogate-Control  TCN  TE  +Timeout
  Timing-Allow-Origin  +Topic  +Traceparent  +Tracestate  Trailer  Transfer-Encoding  +TTL  +Unencoded-Digest
  Upgrade  +Urgency  URI  Use-As-Dictionary  User-Agent  +Variant-Vary  +Vary  +Via  +Want-Content-Digest
  +Want-Digest  +Want-Repr-Digest  +Want-Unencoded-Digest  +Warning  +WWW-Authenticate
  X-Content-Type-Options  X-Frame-Options
`
  .trim()
  .split(/\s+/);

/** Those act on the browser's state for an origin or on a server in front, registered or not. */
const HARMFUL = [
  // Reporting
  ...['NEL', 'Report-To', 'Reporting-Endpoints', 'Reporting-Policy', 'Document-Policy-Report-Only'],
  // Client hints
  ...['Accept-CH', 'Accept-CH-Lifetime', 'Critical-CH', 'Delegate-CH', 'Sec-CH-UA', 'Content-DPR'],
  // What a browser remembers for an origin
  ...['Service-Worker-Allowed', 'Service-Worker-Navigation-Preload', 'Set-Login', 'Use-As-Dictionary'],
  ...['Origin-Agent-Cluster', 'Origin-Trial', 'Origin-Isolation', 'Activate-Storage-Access'],
  ...['Public-Key-Pins', 'Public-Key-Pins-Report-Only', 'Expect-CT', 'Expect-Staple', 'No-Vary-Search'],
  ...['Secure-Session-Registration', 'Secure-Session-Challenge', 'Sec-Session-Registration'],
  ...['Observe-Browsing-Topics', 'Shared-Storage-Write', 'Ad-Auction-Signals', 'Supports-Loading-Mode'],
  ...['Attribution-Reporting-Register-Source', 'Speculation-Rules', 'Permissions-Policy', 'Feature-Policy'],
  ...[
    'Connection-Allowlist',
    'Integrity-Policy',
    'Document-Isolation-Policy',
    'Login-Status',
    'Allow-CSP-From',
  ],
  ...['Large-Allocation', 'SourceMap', 'Refresh', 'Idle-Detection', 'Device-Memory', 'Private-State-Token'],
  ...['X-Frame-Options', 'X-XSS-Protection', 'X-DNS-Prefetch-Control', 'X-Permitted-Cross-Domain-Policies'],
  ...[
    'X-Content-Security-Policy',
    'X-WebKit-CSP',
    'X-UA-Compatible',
    'X-SourceMap',
    'X-Fledge-Bidding-Signals',
  ],
  ...['X-Allow-FLEDGE', 'X-Download-Options', 'X-Frame-Policy'],
  // Servers in front
  ...['X-LiteSpeed-Tag', 'X-LiteSpeed-Purge', 'X-LiteSpeed-Cache-Control', 'X-LSCache', 'LiteSpeed-Anything'],
  ...['Edge-Control', 'Edge-Cache-Tag', 'X-Edge-Control', 'X-Reproxy-URL', 'X-Lighttpd-Send-File'],
  ...['X-Lighttpd-KBytes-per-second', 'X-Sendfile', 'X-Sendfile2', 'X-Send-File', 'X-Sendfile-Temporary'],
  ...['X-Accel-Redirect', 'X-Accel-Buffering', 'X_Accel_Redirect', 'Surrogate-Key', 'Surrogate-Control'],
  ...['CDN-Cache-Control', 'Vercel-CDN-Cache-Control', 'Cache-Tag', 'Cache-Groups', 'X-Cache-Control'],
  ...['X-Google-Cache-Control', 'XKey', 'X-Key', 'X-Cache-Tags', 'X-Envoy-Immediate-Health-Check-Fail'],
  ...['X-Envoy-Overloaded', 'PageSpeed', 'X-Mod-Pagespeed', 'X-Esi', 'X-Do-Esi', 'Purge-Tag', 'X-Purge-Key'],
];

/** Fields of real APIs that their clients read, and their likes. */
const USEFUL = [
  ...[
    'X-HubSpot-RateLimit-Daily',
    'X-HubSpot-Correlation-Id',
    'X-RateLimit-Limit',
    'X-Request-Id',
    'X-Total',
  ],
  ...['X-Next-Page', 'X-Shopify-Shop-Api-Call-Limit', 'X-Amz-Request-Id', 'X-Amz-Meta-Origin', 'X-Cache'],
  ...[
    'X-Report-Id',
    'X-Custom',
    'x-test',
    'X-RateLimit-Policy',
    'X-Cursor',
    'X-Origin-Region',
    'X-Session-Id',
  ],
  ...['RateLimit', 'RateLimit-Policy', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  ...[
    'Request-Id',
    'Correlation-Id',
    'Trace-Id',
    'Stripe-Version',
    'Sforce-Limit-Info',
    'CF-Ray',
    'intuit_tid',
  ],
  ...[
    'Idempotency-Key',
    'Idempotency-Replayed',
    'Retry-After-Ms',
    'OpenAI-Processing-Ms',
    'num_tokens',
    'rlogid',
  ],
  ...[
    'Anthropic-RateLimit-Requests-Reset',
    'Total-Count',
    'GData-Version',
    'Client-Request-Id',
    'Next-Cursor',
  ],
  ...[
    'Pagination-Page',
    'Upload-Offset',
    'Tus-Resumable',
    'Api-Supported-Versions',
    'Traceresponse',
    'Status',
  ],
];

function passes(name: string, responseHeaders?: ReadonlySet<string>): boolean {
  const { fields } = buildResponseFields([name, '1'], { requestId: 'r', responseHeaders });
  return fields[0] === name;
}

/** What a provider file of the operator lists. */
const listed = (name: string): ReadonlySet<string> => new Set([name.toLowerCase()]);

it.each(REGISTRY)('registered: %s', (marked) => {
  const name = marked.replace(/^\+/, '');
  expect([name, passes(name)]).toEqual([name, marked.startsWith('+')]);
});

it.each(HARMFUL)('%s never passes, from any provider', (name) => {
  expect(passes(name)).toBe(false);
  expect(passes(name.toUpperCase())).toBe(false);
  // Not even where a provider file lists it.
  expect(passes(name, listed(name))).toBe(false);
});

it.each(USEFUL)('%s passes', (name) => {
  expect(passes(name)).toBe(true);
});

/** A name made of them reads as if it only informed; the next feature of a browser may be called so. */
const WORDS_OF_BROWSERS =
  'accept access activate ad agent allocation allow allowed allowlist alt attribution auction binding browsing cache ch clear cluster cookie critical cross csp ct delegate detection device dictionary document dpr edge embedder endpoints expect fenced fetch fledge frame hints idle integrity isolation loading login navigation nel observe opener origin permissions pins policy prefetch preload prerender private purge referrer refresh register registration report reporting reports require sandbox script search secure security service session set shared site sourcemap speculation storage strict style supports surrogate topics transport trial use visibility worker';

it.each(WORDS_OF_BROWSERS.split(' '))('Tomorrow-%s-Count passes where a provider file lists it', (word) => {
  const name = `Tomorrow-${word}-Count`;
  expect([passes(name), passes(`${word}_Count`), passes(name, listed(name))]).toEqual([false, false, true]);
});

describe('a name that is not registered', () => {
  it.each(['Tomorrow', 'Grant-Something', 'Acme-Widget', 'Operation-Location', 'pspReference'])(
    '%s passes',
    (name) => {
      expect(passes(name)).toBe(true);
    },
  );

  it('passes where the catalog lists it, which no harmful field gains by', () => {
    const own = { requestId: 'r', responseHeaders: new Set(['acme-session', 'nel']) };
    expect(buildResponseFields(['Acme-Session', '1', 'NEL', '1'], own).fields.slice(0, 2)).toEqual([
      'Acme-Session',
      '1',
    ]);
    expect(buildResponseFields(['NEL', '1'], own).fields).not.toContain('NEL');
  });

  it('has the same rule after more names than are remembered', () => {
    for (let index = 0; index < 5_000; index += 1) responseFieldRule(`X-Junk-${index}`);
    expect(responseFieldRule('NEL')).toBe(RESPONSE_FIELD.drop);
    expect(responseFieldRule('X-Junk-0')).toBe(RESPONSE_FIELD.forward);
  });
});

describe('a challenge that opens a browser’s password dialog on the gateway’s origin', () => {
  const challenge = (value: string, isFromBrowser: boolean) =>
    buildResponseFields(['WWW-Authenticate', value], { requestId: 'r', isFromBrowser }).fields.includes(
      value,
    );

  it.each([
    'Basic realm="api"',
    'Digest nonce="x"',
    'Negotiate',
    'NTLM',
    'Bearer, basic realm="x"',
    'x y="a, b",Basic',
  ])('(%s) does not reach a browser, and does reach every other client', (value) => {
    expect(challenge(value, true)).toBe(false);
    expect(challenge(value, false)).toBe(true);
  });

  it.each(['Bearer error="invalid_token"', 'Bearer realm="Basic things"', 'DPoP algs="ES256"'])(
    '(not: %s) passes',
    (value) => {
      expect(challenge(value, true)).toBe(true);
    },
  );
});

describe('the address of the provider’s metadata in a challenge (RFC 9728)', () => {
  const ADDRESS = '"https://api.acme.example/.well-known/oauth-protected-resource"';

  it.each([
    [`Bearer resource_metadata=${ADDRESS}`, 'Bearer'],
    [`Bearer error="x", resource_metadata=${ADDRESS}`, 'Bearer error="x"'],
    [`Bearer error="x",resource_metadata=${ADDRESS},scope="a b"`, 'Bearer error="x",scope="a b"'],
    [`Bearer resource_metadata=${ADDRESS}, error="x"`, 'Bearer error="x"'],
    [`Bearer   resource_metadata = ${ADDRESS} \t ,\t error="x"`, 'Bearer error="x"'],
    [`Bearer realm="a, b", Resource_Metadata=https://api.acme.example/meta`, 'Bearer realm="a, b"'],
    [`Bearer resource_metadata="a \\"quoted\\" one", error="x"`, 'Bearer error="x"'],
    ['Bearer my_resource_metadata="x"', 'Bearer my_resource_metadata="x"'],
    ['Bearer realm="Mine", error="x"', 'Bearer realm="Mine", error="x"'],
  ])('%s: what is left is %s', (challenge, left) => {
    expect(removeResourceMetadata(challenge)).toBe(left);
  });
});
