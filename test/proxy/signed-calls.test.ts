import { HttpError } from '../../src/http/errors.ts';
import { createAwsSigV4Signer } from '../../src/request-signing/aws-sigv4.ts';
import type { HarnessOptions } from '../support/proxy-harness.ts';
import { USER_TOKEN } from '../support/proxy-harness.ts';
import { closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { type ReceivedRequest, sigV4Fault } from '../support/sigv4-verifier.ts';
import { until } from '../support/until.ts';
import { fieldValue, okAnswer, type RawAnswer, type RawRequest } from '../support/upstream.ts';

const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const STAND_IN = 'AWS4-HMAC-SHA256 Credential=AKIASTANDIN/20261122/eu-west-1/x/aws4_request';
const SIGNED = 'SignedHeaders=host;x-amz-date, Signature=00ff';
const BODY_BYTES_MAX = 100_000;

afterEach(closeStage);

function startSigned(answer: RawAnswer, service = 'dynamodb', more: Partial<HarnessOptions> = {}) {
  const signer = createAwsSigV4Signer(
    {
      accessKeyId: '{accessKeyId}',
      secretAccessKey: '{secretAccessKey}',
      sessionToken: '{sessionToken}',
      service,
      region: 'eu-west-1',
      serviceNames: {},
      hosts: {},
      bodyBytesMax: BODY_BYTES_MAX,
      unsignedPayload: service === 's3',
    },
    {},
  );
  return startStage(answer, {
    connection: { placement: { in: 'signature' }, signer },
    credential: { version: 1, values: KEY },
    ...more,
    deps: {
      callerCredentials: () => [
        { in: 'signature', scheme: 'AWS4-HMAC-SHA256', parameter: 'Credential' },
        { in: 'header', name: 'X-Amz-Security-Token' },
      ],
      random: () => 0,
      ...more.deps,
    },
  });
}

/** What the verifier reads, of a request as the raw server got it. */
function received({ requestLine, fieldLines, body }: RawRequest): ReceivedRequest {
  const [method = '', target = ''] = requestLine.split(' ');
  const fields = fieldLines.flatMap((line) => [
    line.slice(0, line.indexOf(':')),
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return { method, target, fields, body };
}

describe('a call of a provider that wants every request signed', () => {
  it('is signed over the path, the query and the body as they arrive', async () => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'));
    const body = '{"TableName":"café"}';
    const length = Buffer.byteLength(body, 'latin1');
    const target = '/a%2Fb/(c)?z=1&a=%20&a=b+c';
    const answer = await gateway.call('POST', target, [`Content-Length: ${length}`, 'X-Amz-Target: T'], body);
    expect(answer.body).toBe('ok');
    const [request] = upstream.requests;
    if (request === undefined) throw new Error('no request');
    expect(request.requestLine).toBe(`POST ${target} HTTP/1.1`);
    expect(sigV4Fault(received(request), KEY, 'dynamodb')).toBeUndefined();
    expect(request.head).not.toContain(USER_TOKEN);
  });

  it('goes out with its length where the caller sent it in chunks', async () => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'));
    await gateway.call('POST', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
    const [request] = upstream.requests;
    if (request === undefined) throw new Error('no request');
    expect(fieldValue(request.fieldLines, 'content-length')).toBe('5');
    expect(fieldValue(request.fieldLines, 'transfer-encoding')).toBeUndefined();
    expect(sigV4Fault(received(request), KEY, 'dynamodb')).toBeUndefined();
  });

  it('is signed again for every attempt, with the time of that attempt', async () => {
    let now = Date.UTC(2026, 10, 22, 10);
    const later: RawAnswer = (socket, _request, index) =>
      socket.write(
        index === 0 ? 'HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n' : okAnswer('ok'),
      );
    const deps = { now: () => (now += 60_000) };
    const { upstream, gateway } = await startSigned(later, 'dynamodb', { deps });
    const body = 'b'.repeat(90_000);
    const fields = [`Content-Length: ${body.length}`, 'Gateway-Retry: 1'];
    expect((await gateway.call('POST', '/', fields, body)).body).toBe('ok');
    const [first, second] = upstream.requests.map(received);
    if (first === undefined || second === undefined) throw new Error('no second attempt');
    expect([first, second].map((one) => sigV4Fault(one, KEY, 'dynamodb'))).toEqual([undefined, undefined]);
    expect(first.fields.join()).not.toBe(second.fields.join());
  });

  it.each([
    ['announced', [`Content-Length: ${BODY_BYTES_MAX + 1}`], 'b'.repeat(BODY_BYTES_MAX + 1)],
    [
      'not announced',
      ['Transfer-Encoding: chunked'],
      `${(BODY_BYTES_MAX + 1).toString(16)}\r\n${'b'.repeat(BODY_BYTES_MAX + 1)}\r\n0\r\n\r\n`,
    ],
  ])('is refused where its body is too long to be signed, %s', async (_how, fields, body) => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'));
    const answer = await gateway.call('POST', '/', fields, body);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: 'body_too_large_to_sign' } });
    expect(upstream.requests).toEqual([]);
  });

  it('streams a long body to a service that takes it unsigned', async () => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'), 's3');
    const body = 'b'.repeat(BODY_BYTES_MAX + 1);
    await gateway.call('PUT', '/bucket/key', [`Content-Length: ${body.length}`], body);
    const [request] = upstream.requests;
    if (request === undefined) throw new Error('no request');
    expect(fieldValue(request.fieldLines, 'x-amz-content-sha256')).toBe('UNSIGNED-PAYLOAD');
    expect(sigV4Fault(received(request), KEY, 's3')).toBeUndefined();
  });

  it('ends without a request where the caller leaves while its body is awaited', async () => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'));
    const path = gateway.url.slice(gateway.url.indexOf('/projects'));
    const { socket } = await openCaller(gateway, [`POST ${path}/ HTTP/1.1`, 'Content-Length: 10'], 'half');
    socket.destroy();
    await gateway.finished(1);
    expect(upstream.requests).toEqual([]);
  });

  it.each([false, true])(
    'is not sent where its token is revoked while its body is awaited, by a look-up: %p',
    async (isLookedUp) => {
      let verified = 0;
      let isRevoked = false;
      const verify = (projectId: string) => {
        if (isRevoked) throw new HttpError('token_revoked');
        return { projectId, subject: 'user-1' };
      };
      const { upstream, gateway } = await startSigned(okAnswer('ok'), 'dynamodb', {
        deps: {
          verifyUserToken(projectId) {
            verified += 1;
            return isLookedUp ? Promise.resolve(projectId).then(verify) : verify(projectId);
          },
        },
      });
      const path = gateway.url.slice(gateway.url.indexOf('/projects'));
      const head = [`POST ${path}/ HTTP/1.1`, 'Content-Length: 10', 'Connection: close'];
      for (const [isRevokedMeanwhile, answer] of [
        [false, 'HTTP/1.1 200'],
        [true, 'token_revoked'],
      ] as const) {
        const before = verified;
        const { socket, received: answered } = await openCaller(gateway, head, 'half ');
        await until(() => verified > before);
        isRevoked = isRevokedMeanwhile;
        socket.write('again');
        await until(() => Buffer.concat(answered).includes(answer));
      }
      expect(upstream.requests).toHaveLength(1);
    },
  );

  it.each<[string, string[]]>([
    ['key id', [`Authorization: ${STAND_IN.replace('AKIASTANDIN', USER_TOKEN)}, ${SIGNED}`]],
    ['session token', [`Authorization: ${STAND_IN}, ${SIGNED}`, `X-Amz-Security-Token: ${USER_TOKEN}`]],
  ])('takes the user token as the %s of a client that signs with stand-in keys', async (_where, fields) => {
    const { upstream, gateway } = await startSigned(okAnswer('ok'), 's3');
    const more = [...fields, 'X-Amz-Date: 20000101T000000Z', 'X-Amz-Content-Sha256: UNSIGNED-PAYLOAD'];
    const answer = await gateway.call('GET', '/bucket?list-type=2', more);
    expect(answer.body).toBe('ok');
    const [request] = upstream.requests;
    if (request === undefined) throw new Error('no request');
    expect(sigV4Fault(received(request), KEY, 's3')).toBeUndefined();
    expect(request.head).not.toContain(USER_TOKEN);
    expect(request.head).not.toContain('AKIASTANDIN');
  });

  it.each<[string, string[], number]>([
    ['two tokens', [`Authorization: Bearer ${USER_TOKEN}`, `X-Amz-Security-Token: ${USER_TOKEN}`], 400],
    ['a signature alone', [`Authorization: ${STAND_IN}, ${SIGNED}`], 401],
  ])('is refused with %s', async (_what, fields, status) => {
    const { gateway } = await startSigned(okAnswer('ok'));
    expect((await gateway.call('GET', '/', fields)).status).toBe(status);
  });
});
