import { HttpError } from '../../src/http/errors.ts';
import { callProblem } from '../../src/proxy/problem.ts';
import { PREFIX } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer } from '../support/upstream.ts';

afterEach(closeStage);

const CONTEXT = { requestId: 'r', publicUrl: 'http://gateway.test' };

describe('what the gateway answers in a provider’s place', () => {
  it('holds the problem, and the members that providers’ clients look for', () => {
    const error = new HttpError('reauthorization_required', {
      extra: Object.assign({ connectionId: 'c' }, { message: 'x', error: 'y' }),
    });
    const body = callProblem(error, CONTEXT);
    expect(body).toMatchObject({
      status: 424,
      code: 'reauthorization_required',
      connectionId: 'c',
      requestId: 'r',
    });
    expect(body.message).toBe(`${body.detail} ${body.remedy}`);
    expect(body.error).toEqual({
      code: 'reauthorization_required',
      type: 'authentication_error',
      message: body.message,
    });
  });

  it.each([
    ['token_expired', 'authentication_error'],
    ['reauthorization_required', 'authentication_error'],
    ['invalid_origin', 'permission_error'],
    ['rate_limited', 'rate_limit_error'],
    ['connection_ambiguous', 'invalid_request_error'],
    ['upstream_timeout', 'api_error'],
    ['overloaded', 'api_error'],
  ] as const)('calls %s %s', (code, type) => {
    expect(callProblem(new HttpError(code), CONTEXT).error.type).toBe(type);
  });

  it.each([
    ['a refusal', ['GET', '/x', ['Authorization: Bearer bad']]],
    ['an unknown expectation', ['POST', '/x', ['Expect: 200-ok', 'Content-Length: 0']]],
    ['an upgrade', ['GET', '/x', ['Upgrade: x', 'Connection: Upgrade']]],
    ['a header section that is too large', ['GET', '/x', [`X-Big: ${'b'.repeat(17_000)}`]]],
    ['a malformed body', ['POST', '/x', ['Transfer-Encoding: chunked'], 'zz\r\n']],
    ['a malformed field', ['GET', '/x', ['X-A : b']]],
  ] as const)('is application/json with both members: %s', async (_what, [method, path, fields, body]) => {
    const { gateway } = await startStage(okAnswer('ok'));
    const answer = await gateway.call(method, path, fields, body);
    expect(fieldValue(answer.fieldLines, 'content-type')).toBe('application/json');
    const parsed = JSON.parse(answer.body);
    expect(parsed.error).toMatchObject({ code: parsed.code, message: parsed.message });
    expect(fieldValue(answer.fieldLines, 'gateway-error')).toBe(parsed.code);
  });

  it.each(['application/problem+json', 'application/json;q=0.5, Application/Problem+JSON'])(
    'is application/problem+json for Accept: %s',
    async (accept) => {
      const { gateway } = await startStage(okAnswer('ok'));
      const answer = await gateway.call('GET', '/x', ['Authorization: Bearer bad', `Accept: ${accept}`]);
      expect(fieldValue(answer.fieldLines, 'content-type')).toBe('application/problem+json');
      expect(JSON.parse(answer.body).error.type).toBe('authentication_error');
    },
  );

  it('has its lead for the holder of another credential', async () => {
    const { gateway } = await startStage(okAnswer('ok'));
    const answers = ['Bearer igk_abc', 'Bearer igo_abc', 'Bearer ', 'Bearer'].map((value) =>
      gateway.send([`GET ${PREFIX}/x HTTP/1.1`, 'Host: g', `Authorization: ${value}`, 'Connection: close']),
    );
    const details = (await Promise.all(answers)).map(({ body }) => JSON.parse(body).detail);
    expect(details).toEqual([
      'This is a project API key; the proxy takes the token of a user.',
      'This is a personal access token; the proxy takes the token of a user.',
      'The field for the user token is there, but holds no token.',
      'The field for the user token is there, but holds no token.',
    ]);
  });
});
