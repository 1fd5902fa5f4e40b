import { timeoutError, upstreamError } from '../../src/proxy/failures.ts';

function coded(code: string): Error {
  return Object.assign(new Error(`failed at https://tenant.example/path?key=secret (${code})`), { code });
}

describe('the cause of an upstream failure', () => {
  it.each([
    ['ECONNREFUSED', 502, 'upstream_unreachable'],
    ['ENOTFOUND', 502, 'upstream_unreachable'],
    ['EAI_AGAIN', 502, 'upstream_unreachable'],
    ['ETIMEDOUT', 502, 'upstream_unreachable'],
    ['EHOSTUNREACH', 502, 'upstream_unreachable'],
    ['ECONNRESET', 502, 'upstream_unreachable'],
    ['EPIPE', 502, 'upstream_unreachable'],
    ['EPROTO', 502, 'upstream_unreachable'],
    ['CERT_HAS_EXPIRED', 502, 'upstream_unreachable'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 502, 'upstream_unreachable'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 502, 'upstream_unreachable'],
    ['ERR_FORBIDDEN_ADDRESS', 502, 'upstream_unreachable'],
    ['HPE_INVALID_CONSTANT', 502, 'upstream_invalid_response'],
    ['HPE_HEADER_OVERFLOW', 502, 'upstream_invalid_response'],
    ['HPE_UNASKED_UPGRADE', 502, 'upstream_invalid_response'],
    ['ERR_INVALID_CHAR', 502, 'integration_misconfigured'],
    ['ERR_UNESCAPED_CHARACTERS', 502, 'integration_misconfigured'],
    ['UND_ERR_INVALID_ARG', 502, 'integration_misconfigured'],
    ['UND_ERR_NOT_SUPPORTED', 502, 'integration_misconfigured'],
  ])('%s is %d %s, and the detail repeats nothing of the error', (code, status, expected) => {
    const error = upstreamError(coded(code));
    expect(error).toMatchObject({ status, code: expected, cause: { code } });
    expect(error.detail).not.toMatch(/tenant|secret|path/i);
  });

  it.each([new TypeError('x is not a function'), 'text', undefined])(
    'without a code is our own fault: %p',
    (cause) => {
      expect(upstreamError(cause)).toMatchObject({ status: 500, code: 'internal_error' });
    },
  );
});

describe('a wait that was too long', () => {
  it.each([
    ['connect', 504, 'upstream_timeout'],
    ['first_byte', 504, 'upstream_timeout'],
    ['idle', 504, 'upstream_timeout'],
    ['queue', 503, 'overloaded'],
    ['caller_idle', 408, 'request_timeout'],
  ] as const)('for %s is %d %s', (kind, status, code) => {
    expect(timeoutError(kind)).toMatchObject({ status, code });
  });
});
