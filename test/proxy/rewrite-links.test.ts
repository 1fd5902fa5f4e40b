import { once } from 'node:events';
import { LinkRewriter } from '../../src/proxy/rewrite-links.ts';
import { CLIENTS, PREFIX } from '../support/proxy-harness.ts';
import { closeLater, closeStage, openCaller, startStage } from '../support/proxy-stage.ts';
import { fieldValue, okAnswer, readAnswer } from '../support/upstream.ts';

afterEach(closeStage);

const API = 'https://graph.example/v1.0';
const PROXY = 'https://gateway.test/projects/p/proxy/graph';
const rewriter = new LinkRewriter({
  apiUrl: API,
  calledUrl: `${API}/me/messages`,
  proxyUrl: PROXY,
  members: ['@odata.nextLink', 'next'],
});

describe('a link in a field', () => {
  it.each([
    ['Location', `${API}/me`, `${PROXY}/me`],
    ['location', '/v1.0/me/x?y', `${PROXY}/me/x?y`],
    ['Location', 'x', `${PROXY}/me/x`],
    ['Location', API, PROXY],
    ['Location', '/beta/me', '/beta/me'],
    ['Location', 'https://graph.example/v1.01/me', 'https://graph.example/v1.01/me'],
    ['Location', 'https://evil.example/v1.0/me', 'https://evil.example/v1.0/me'],
    ['Location', '//evil.example/v1.0', '//evil.example/v1.0'],
    ['Location', '?$skip=2', `${PROXY}/me/messages?$skip=2`],
    ['Location', '', ''],
    ['Location', ' ', ' '],
    ['Content-Location', '#top', '#top'],
    ['Location', '/v1.0/\xc3\xbc?n=\xe4', `${PROXY}/%C3%BC?n=%E4`],
    [
      'Link',
      '<#me>; rel="me", <x>; rel="next"; title="a \\"<b>, <c>", <y>; rel="last"',
      `<#me>; rel="me", <${PROXY}/me/x>; rel="next"; title="a \\"<b>, <c>", <${PROXY}/me/y>; rel="last"`,
    ],
    ['Content-Location', '/v1.0/me', `${PROXY}/me`],
    [
      'Link',
      `<${API}/me?page=2>; rel="next", </v1.0/me?page=9>; rel="last", <https://docs.example/>; rel="help"`,
      `<${PROXY}/me?page=2>; rel="next", <${PROXY}/me?page=9>; rel="last", <https://docs.example/>; rel="help"`,
    ],
    ['X-Next', `${API}/me`, `${API}/me`],
  ])('%s: %s becomes %s', (name, value, expected) => {
    const fields = [name, value];
    rewriter.rewriteFields(fields);
    expect(fields).toEqual([name, expected]);
  });
});

it.each([
  [4_000, true],
  [4_001, false],
])('a link of %i characters is rewritten: %p', (length, isRewritten) => {
  const link = `${API}/${'x'.repeat(length - API.length - 1)}`;
  const fields = ['Location', link];
  rewriter.rewriteFields(fields);
  expect(fields[1]).toBe(isRewritten ? link.replace(API, PROXY) : link);
});

describe('a link in a JSON text', () => {
  it.each([
    [`{"@odata.nextLink":"${API}/me?a=1"}`, `{"@odata.nextLink":"${PROXY}/me?a=1"}`],
    [
      `{ "next" : "${API}/x" , "n": 12345678901234567890 }`,
      `{ "next" : "${PROXY}/x" , "n": 12345678901234567890 }`,
    ],
    [
      `{"deep":[{"next":"${API}/1"},{"next":"${API}/2"}]}`,
      `{"deep":[{"next":"${PROXY}/1"},{"next":"${PROXY}/2"}]}`,
    ],
    ['{"next":"https:\\/\\/graph.example\\/v1.0\\/x\\u0026y"}', `{"next":"${PROXY}/x&y"}`],
    ['{"next":null,"next":7,"next":{"next":""}}', '{"next":null,"next":7,"next":{"next":""}}'],
    [`{"next":"https://evil.example/?${API}/x"}`, `{"next":"https://evil.example/?${API}/x"}`],
    [`{"text":"\\"next\\":\\"${API}/x\\""}`, `{"text":"\\"next\\":\\"${API}/x\\""}`],
    [`{"nextt":"${API}/x","anext":"${API}/x"}`, `{"nextt":"${API}/x","anext":"${API}/x"}`],
    [`{"next":"${API}/\xc3\xa9"}`, `{"next":"${PROXY}/\xc3\xa9"}`],
    [`{"next":"${API}/\\u00e9\\u20ac"}`, `{"next":"${PROXY}/\xc3\xa9\xe2\x82\xac"}`],
    [`{"next":"${API}/\\ud83d"}`, `{"next":"${PROXY}/\\ud83d"}`],
    [`{"next":"${API}/\xe9"}`, `{"next":"${API}/\xe9"}`],
    [`{"next":"${API}/x`, `{"next":"${API}/x`],
  ])('%s becomes %s', (text, expected) => {
    expect(rewriter.rewriteJson(text)).toBe(expected);
  });

  it('takes the time of its length alone, whatever the text', () => {
    const nasty = ['"next":"', '"next"          ', '\\', '"next":"\\', `"next":"${API}/`, '"'].map((part) =>
      part.repeat(Math.floor((512 * 1024) / part.length)),
    );
    for (const text of nasty) {
      const before = process.cpuUsage();
      rewriter.rewriteJson(text);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(100);
    }
  });
});

describe.each(CLIENTS)('over %s, Gateway-Rewrite-Links', (_client, marks) => {
  const members = { linkMembers: ['next'] };
  const json = (body: string, fields: readonly string[] = []) =>
    okAnswer(body, ['Content-Type: application/json', ...fields]);

  async function answerOf(
    made: (apiUrl: string) => string | Buffer,
    fields: readonly string[] = ['Gateway-Rewrite-Links: true'],
    path = '/list',
  ) {
    const stage = await startStage(
      (socket, { fieldLines }) => {
        socket.write(made(`http://${fieldValue(fieldLines, 'host')}/api`));
      },
      { connection: members, apiBase: { basePath: '/api' } },
    );
    const answer = await stage.gateway.call('GET', path, [...marks, ...fields]);
    return { ...stage, answer, apiUrl: `http://127.0.0.1:${stage.upstream.port}/api` };
  }

  it('leads fields and named members through the proxy, with the length that results', async () => {
    const { answer, upstream } = await answerOf(
      (api) =>
        json(`{"next":"${api}/list?page=2","é":"ü"}`, [
          `Link: <${api}/list?page=2>; rel="next"`,
          'ETag: "1"',
          'Content-MD5: x',
        ]),
      ['Gateway-Rewrite-Links: true', 'Accept-Encoding: gzip, br'],
    );
    const next = `http://gateway.test${PREFIX}/list?page=2`;
    expect(Buffer.from(answer.body, 'latin1').toString()).toBe(`{"next":"${next}","é":"ü"}`);
    expect(fieldValue(answer.fieldLines, 'content-length')).toBe(String(answer.body.length));
    expect(fieldValue(answer.fieldLines, 'link')).toBe(`<${next}>; rel="next"`);
    expect(fieldValue(answer.fieldLines, 'etag')).toBe('"1"');
    expect(fieldValue(answer.fieldLines, 'content-md5')).toBeUndefined();
    // A coded body could not be read.
    expect(upstream.requests[0]?.head.match(/accept-encoding: .*/gi)).toEqual(['Accept-Encoding: identity']);
    expect(upstream.requests[0]?.head).not.toMatch(/gateway-rewrite/i);
  });

  it.each([
    'application/vnd.api+json',
    'Application/HAL+JSON;profile="x"',
    ' application/problem+json ; charset=utf-8',
    'application/json',
  ])('reads %s as JSON', async (type) => {
    const { answer } = await answerOf((api) => okAnswer(`{"next":"${api}/x"}`, [`Content-Type:${type}`]));
    expect(answer.body).toBe(`{"next":"http://gateway.test${PREFIX}/x"}`);
  });

  it.each(['application/jsonl', 'application/json-seq', 'text/application/json', 'application/+json'])(
    'does not read %s',
    async (type) => {
      const { answer, apiUrl } = await answerOf((api) =>
        okAnswer(`{"next":"${api}/x"}`, [`Content-Type: ${type}`]),
      );
      expect(answer.body).toBe(`{"next":"${apiUrl}/x"}`);
    },
  );

  it('shows no credential that stands in the query', async () => {
    const { gateway } = await startStage(
      json('{}', ['Link: <#a>, <?page=2>, <http:#b>, < >', 'Content-Location: #c', 'Location: http:']),
      {
        connection: { placement: { in: 'query', name: 'key', template: '{accessToken}' } },
        credential: { version: 1, values: { accessToken: 'secret-1' } },
      },
    );
    const { head } = await gateway.call('GET', '/list', [...marks, 'Gateway-Rewrite-Links: true']);
    expect(head).toContain('/list?page=2>');
    expect(head).not.toContain('secret-1');
  });

  it('left out or false changes nothing', async () => {
    const { answer, apiUrl } = await answerOf(
      (api) => json(`{"next":"${api}/x"}`, [`Location: ${api}/x`]),
      ['Gateway-Rewrite-Links: false', 'Accept-Encoding: gzip'],
    );
    expect(answer.body).toBe(`{"next":"${apiUrl}/x"}`);
    expect(fieldValue(answer.fieldLines, 'location')).toBe(`${apiUrl}/x`);
  });

  it.each([
    ['of another type', (api: string) => okAnswer(`{"next":"${api}/x"}`, ['Content-Type: text/plain'])],
    ['with a content coding', (api: string) => json(`{"next":"${api}/x"}`, ['Content-Encoding: gzip'])],
    ['in part', (api: string) => json(`{"next":"${api}/x"}`).replace('200 OK', '206 Partial Content')],
  ])('leaves a body %s as it is', async (_what, made) => {
    const { answer, apiUrl } = await answerOf(made);
    expect(answer.body).toBe(`{"next":"${apiUrl}/x"}`);
  });

  it.each([
    ['announced', (body: string) => json(body)],
    [
      'in chunks',
      (body: string) =>
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ],
  ])('leaves a body beyond half a mebibyte as it is, %s', async (_how, made) => {
    const filler = 'x'.repeat(512 * 1024);
    const { answer, apiUrl } = await answerOf((api) => made(`{"next":"${api}/x","filler":"${filler}"}`));
    expect(answer.body).toContain(`{"next":"${apiUrl}/x","filler":"x`);
    expect(answer.body).toContain('x"}');
  });

  it('passes a body that is announced to be longer on as it comes', async () => {
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${512 * 1024 + 1}`;
    const { gateway } = await startStage(`${head}\r\n\r\n["begun"`, { connection: members });
    const { socket, received } = await openCaller(gateway, [
      `GET ${PREFIX}/x HTTP/1.1`,
      ...[...marks, 'Gateway-Rewrite-Links: true'],
    ]);
    closeLater(() => socket.destroy());
    const signal = AbortSignal.timeout(5_000);
    while (!Buffer.concat(received).includes('["begun"')) await once(socket, 'data', { signal });
    expect(readAnswer(received).status).toBe(200);
  });

  it('answers 502 where a body that would be rewritten breaks off', async () => {
    const stage = await startStage(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{');
        setImmediate(() => socket.resetAndDestroy());
      },
      { connection: members },
    );
    const answer = await stage.gateway.call('GET', '/x', [...marks, 'Gateway-Rewrite-Links: true']);
    expect([answer.status, fieldValue(answer.fieldLines, 'gateway-error')]).toEqual([
      502,
      'upstream_unreachable',
    ]);
  });

  it('keeps a HEAD’s length', async () => {
    const { gateway } = await startStage(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n',
      {
        connection: members,
      },
    );
    const answer = await gateway.call('HEAD', '/x', ['Gateway-Rewrite-Links: true']);
    expect(fieldValue(answer.fieldLines, 'content-length')).toBe('99');
  });
});
