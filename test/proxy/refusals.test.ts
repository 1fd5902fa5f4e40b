import http from 'node:http';
import { HttpError } from '../../src/http/errors.ts';
import {
  type Harness,
  type HarnessOptions,
  PREFIX,
  startHarness,
  USER_TOKEN,
} from '../support/proxy-harness.ts';
import { closeLater, closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawUpstream } from '../support/upstream.ts';

let upstream: RawUpstream;
let gateway: Harness;

async function start(answer: RawAnswer, options: Partial<HarnessOptions> = {}): Promise<void> {
  ({ upstream, gateway } = await startStage(answer, options));
}

afterEach(closeStage);

describe('what never reaches a provider', () => {
  it.each([
    ['CONNECT', 'provider.test:443', [], 405, 'method_not_allowed'],
    ['TRACE', `${PREFIX}/x`, [], 405, 'method_not_allowed'],
    ['GET', `${PREFIX}/x`, ['Upgrade: websocket', 'Connection: Upgrade'], 501, 'upgrade_not_supported'],
    ['OPTIONS', '*', [], 400, 'invalid_path'],
    ['GET', `http://gateway.test${PREFIX}/x`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a/../b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a/%2e%2E/b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a%5cb`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a\\b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/a#b`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/caf\xe9`, [], 400, 'invalid_path'],
    ['GET', `${PREFIX}/x?token=${USER_TOKEN}`, [], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x?token=${USER_TOKEN.replaceAll('.', '%2E')}`, [], 400, 'invalid_request'],
    [
      'GET',
      `${PREFIX}/x?t=${Buffer.from(`:${USER_TOKEN}`).toString('base64url')}`,
      [],
      400,
      'invalid_request',
    ],
    ['GET', `${PREFIX}/${encodeURIComponent(USER_TOKEN)}/x`, [], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer igk_abc'], 401, 'token_invalid'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer '], 401, 'token_missing'],
    ['GET', `${PREFIX}/x`, ['Gateway-Timeout: 0'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Timeout: 601'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Rewrite-Links: yes'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Host: other'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 3', 'Content-Length: 4'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 3', 'Transfer-Encoding: chunked'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding: gzip, chunked'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding: chunked, identity'], 400, 'invalid_request'],
    ['POST', `${PREFIX}/x`, ['Transfer-Encoding : chunked'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['X-Folded: a', ' b'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, [`X-Big: ${'b'.repeat(17_000)}`], 431, 'headers_too_large'],
    ['GET', `${PREFIX}/x`, ['Gateway-Retry: 9'], 400, 'invalid_request'],
    ['GET', `${PREFIX}/x`, ['Gateway-Connection: other'], 404, 'connection_not_found'],
    ['GET', `${PREFIX}/x`, ['Gateway-Integration: other'], 404, 'integration_not_found'],
    ['GET', `${PREFIX}/x`, ['Authorization: Bearer bad'], 401, 'token_invalid'],
    ['GET', `${PREFIX}/x`, ['Authorization: Basic eDp5'], 401, 'token_missing'],
    ['GET', PREFIX.replace('demo', 'other'), [], 404, 'provider_unknown'],
    ['GET', PREFIX.replace('demo', 'DEMO'), [], 404, 'provider_unknown'],
    ['GET', '/projects/not-a-uuid/proxy/demo/x', [], 401, 'token_invalid'],
    ['GET', '/projects/0192f0c8-0000-7000-8000-00000000000f/proxy/demo/x', [], 401, 'token_invalid'],
    ['POST', `${PREFIX}/x`, ['Content-Length: 1048577'], 413, 'body_too_large'],
  ])('%s %s %j is %d %s', async (method, target, fields, status, code) => {
    await start(okAnswer('ok'));
    const hasAuth = fields.some((line) => line.startsWith('Authorization'));
    const close = fields.some((line) => line.startsWith('Connection')) ? [] : ['Connection: close'];
    const auth = hasAuth ? [] : [`Authorization: Bearer ${USER_TOKEN}`];
    const answer = await gateway.send([
      `${method} ${target} HTTP/1.1`,
      'Host: g',
      ...auth,
      ...fields,
      ...close,
    ]);
    expect(answer.status).toBe(status);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(fieldValue(answer.fieldLines, 'gateway-request-id')).toBeDefined();
    expect(JSON.parse(answer.body)).toMatchObject({ code, status });
    expect(upstream.requests).toHaveLength(0);
  });

  it.each([9_000, 40_000])('is a URL of %i bytes', async (length) => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('GET', `/${'a'.repeat(length)}`);
    expect(answer.status).toBe(414);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('uri_too_long');
    expect(upstream.requests).toHaveLength(0);
  });

  it('is a request without Host', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.send([
      `GET ${PREFIX}/x HTTP/1.1`,
      `Authorization: Bearer ${USER_TOKEN}`,
      'Connection: close',
    ]);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_request');
  });

  it('is a request without credentials, whose challenge names no error', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.send([`GET ${PREFIX}/x HTTP/1.1`, 'Host: g', 'Connection: close']);
    expect(answer.status).toBe(401);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('token_missing');
    expect(fieldValue(answer.fieldLines, 'www-authenticate')).not.toContain('error');
  });

  it('is a request with two credentials', async () => {
    await start(okAnswer('ok'));
    const fields = [`Authorization: Bearer ${USER_TOKEN}`, `authorization: Bearer ${USER_TOKEN}`];
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(400);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('invalid_request');
    expect(upstream.requests).toHaveLength(0);
  });

  it('is a request hidden behind a body', async () => {
    await start(okAnswer('ok'));
    const hidden = `GET ${PREFIX}/hidden HTTP/1.1\r\nHost: g\r\n\r\n`;
    await gateway.call('POST', '/x', [`Content-Length: ${hidden.length}`], hidden);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]?.body.toString()).toBe(hidden);
  });
});

describe('the user token', () => {
  const places = { callerCredentials: () => CALLER_PLACES };
  const CALLER_PLACES = [
    { in: 'scheme', scheme: 'token' },
    { in: 'header', name: 'X-Shop-Token' },
    { in: 'header', name: 'X-Session', carriesCredential: true },
    { in: 'basic', part: 'password' },
  ] as const;

  it.each([
    [[`Authorization: token ${USER_TOKEN}`], 'Authorization: Bearer provider-token-1'],
    [[`X-Shop-Token: ${USER_TOKEN}`], 'Authorization: Bearer provider-token-1'],
    [[`X-Session: ${USER_TOKEN}`], 'X-Session: provider-token-1'],
    [
      [`Authorization: Basic ${Buffer.from(`ada:${USER_TOKEN}`).toString('base64')}`],
      'Authorization: Bearer provider-token-1',
    ],
    [
      [`Authorization: Basic ${Buffer.from(`${USER_TOKEN}:${USER_TOKEN}`).toString('base64')}`],
      'Authorization: Bearer provider-token-1',
    ],
    [
      [`Authorization: Bearer ${USER_TOKEN}`, 'Connection: authorization', `X-Copy: ${USER_TOKEN}`],
      'Authorization: Bearer provider-token-1',
    ],
  ])('in %j is replaced by the credential in the provider’s own place', async (fields, expected) => {
    await start(okAnswer('ok'), { deps: places });
    const answer = await gateway.call('GET', '/x', fields);
    expect(answer.status).toBe(200);
    expect(upstream.requests[0]?.fieldLines).toContain(expected);
    expect(upstream.requests[0]?.head).not.toContain(USER_TOKEN);
    expect(upstream.requests[0]?.head).not.toMatch(/basic/i);
  });

  it('beside a second place of the provider is refused', async () => {
    await start(okAnswer('ok'), { deps: places });
    const fields = [`Authorization: Bearer ${USER_TOKEN}`, `X-Shop-Token: ${USER_TOKEN}`];
    expect((await gateway.call('GET', '/x', fields)).status).toBe(400);
  });

  it('in another provider’s place is no credential', async () => {
    await start(okAnswer('ok'));
    const answer = await gateway.call('GET', '/x', [`X-Shop-Token: ${USER_TOKEN}`]);
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('token_missing');
  });
});

describe('refusals of the look-ups', () => {
  it.each([
    ['reauthorization_required', 424],
    ['connection_not_found', 404],
    ['refresh_unavailable', 503],
  ] as const)('%s, at once or later, is %d', async (code, status) => {
    const refusal = new HttpError(code);
    await start(okAnswer('ok'), {
      deps: {
        resolve: async () => {
          throw refusal;
        },
      },
    });
    expect((await gateway.call('GET', '/x')).status).toBe(status);
    await gateway.close();
    gateway = await startHarness({
      upstreamPort: upstream.port,
      deps: {
        credential: () => {
          throw refusal;
        },
      },
    });
    closeLater(gateway.close);
    const answer = await gateway.call('GET', '/x');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(code);
    expect(upstream.requests).toHaveLength(0);
  });

  it('that list ids show them', async () => {
    await start(okAnswer('ok'), {
      deps: {
        resolve: () => {
          throw new HttpError('connection_ambiguous', { extra: { connectionIds: ['a', 'b'] } });
        },
      },
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(409);
    expect(JSON.parse(answer.body).connectionIds).toEqual(['a', 'b']);
  });

  it('that are no refusals are 500 without their text', async () => {
    await start(okAnswer('ok'), {
      deps: {
        verifyUserToken: async () => {
          throw new Error('secret detail');
        },
      },
    });
    const answer = await gateway.call('GET', '/x');
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('secret detail');
  });

  it('that come with a promise when cold serve the call as well', async () => {
    await start(okAnswer('ok'), {
      deps: { credential: async () => ({ version: 7, values: { accessToken: 'cold' } }) },
    });
    await gateway.call('GET', '/x');
    expect(upstream.requests[0]?.head).toContain('Bearer cold');
  });

  it('for a credential that HTTP cannot carry are integration_misconfigured', async () => {
    await start(okAnswer('ok'), {
      credential: { version: 1, values: { accessToken: 'a\r\nX-Injected: 1' } },
    });
    const answer = await gateway.call('GET', '/x');
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe('integration_misconfigured');
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('an address that is not the proxy’s', () => {
  it('is left to the next handler, untouched', async () => {
    await start(okAnswer('ok'));
    const answer = await new Promise<http.IncomingMessage>((resolve) => {
      http.get({ port: gateway.port, path: '/v1/providers', host: '127.0.0.1', agent: false }, resolve);
    });
    answer.resume();
    expect(answer.statusCode).toBe(404);
    expect(upstream.requests).toHaveLength(0);
  });
});
