import { assertMessage, type MessageHead } from '../../src/http/message-rules.ts';

const GOOD: MessageHead = {
  httpVersion: '1.1',
  hostCount: 1,
  host: 'gateway.example',
  transferEncoding: undefined,
};

/** The code of the refusal, which ends the connection; undefined where the message is taken. */
function refusalOf(more: Partial<MessageHead>): string | undefined {
  try {
    assertMessage({ ...GOOD, ...more });
    return undefined;
  } catch (error) {
    expect(error).toMatchObject({ headers: { Connection: 'close' } });
    return (error as { code: string }).code;
  }
}

describe('a message', () => {
  it.each([
    '',
    'gateway.example',
    'GATEWAY:8080',
    'a_b',
    '127.0.0.1:3000',
    '[::1]',
    '[::1]:443',
    'x:',
    'caf%C3%A9',
  ])('for the host %j is taken', (host) => {
    expect(refusalOf({ host })).toBeUndefined();
  });

  it.each([
    'user@gateway.example',
    'gateway.example/path',
    'gateway.example:80:80',
    'gateway.example:port',
    'gateway.example:80x',
    'gateway.example:800000',
    'two hosts',
    '[::1',
    '[::1]x',
    'café',
    ' gateway.example',
    'a\tb',
  ])('for the host %j is refused', (host) => {
    expect(refusalOf({ host })).toBe('invalid_request');
  });

  it.each([
    ['1.1', 1, undefined, undefined],
    ['1.1', 1, 'chunked', undefined],
    ['1.1', 1, ' Chunked', undefined],
    ['1.1', 1, 'gzip', 'invalid_request'],
    ['1.1', 1, 'gzip, chunked', 'invalid_request'],
    ['1.1', 1, 'chunked, chunked', 'invalid_request'],
    ['1.1', 1, 'identity', 'invalid_request'],
    ['1.1', 1, '', 'invalid_request'],
    ['1.1', 0, undefined, 'invalid_request'],
    ['1.1', 2, undefined, 'invalid_request'],
    ['1.0', 0, undefined, undefined],
    ['1.0', 1, undefined, undefined],
    ['1.0', 2, undefined, 'invalid_request'],
    ['1.0', 1, 'chunked', 'invalid_request'],
    ['0.9', 1, undefined, 'http_version_not_supported'],
    ['2.0', 1, undefined, 'http_version_not_supported'],
  ])(
    'of HTTP/%s with %i Host fields (transfer coding: %p): %s',
    (httpVersion, hostCount, transferEncoding, code) => {
      const host = hostCount === 0 ? undefined : 'gateway.example';
      expect(refusalOf({ httpVersion, hostCount, transferEncoding, host })).toBe(code);
    },
  );
});
