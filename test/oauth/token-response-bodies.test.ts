import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { judgeTokenResponse, type TokenJudgement } from '../../src/oauth/token-response.ts';
import { createTokenTransport } from '../../src/oauth/token-transport.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { startEvilServer } from '../support/authorization-server.ts';

const server = await startEvilServer();
const outbound = createOutbound({ allowPrivateNetworks: true });
const send = createTokenTransport({ outbound, timeoutMs: 10_000 });
afterAll(async () => {
  await outbound.stop();
  await server.close();
});

type Answer = { readonly type?: string; readonly status?: number; readonly coding?: string };

/** What a refresh makes of an answer that a server really gives. */
async function refresh(body: string | Buffer, answer: Answer = {}): Promise<TokenJudgement> {
  const { type = 'application/json', status = 200, coding } = answer;
  const headers = { 'Content-Type': type, ...(coding !== undefined && { 'Content-Encoding': coding }) };
  server.answer({ status, headers, body });
  const sent = await send({
    url: server.origin,
    method: 'POST',
    headers: {},
    body: 'grant_type=refresh_token',
  });
  if (!('response' in sent)) throw sent.error;
  return judgeTokenResponse(acmeProvider(), sent.response, { use: 'refresh', secrets: [] });
}

const padding = 'x'.repeat(64 * 1024);

describe('an answer with tokens that is too large', () => {
  it.each([
    ['JSON with tokens', JSON.stringify({ access_token: 'at', padding }), 'application/json', 'lost'],
    ['JSON', JSON.stringify({ padding }), 'application/json', 'lost'],
    ['a form with tokens', `access_token=at&padding=${padding}`, 'text/html', 'lost'],
    ['an HTML page', `<html>${padding}</html>`, 'text/html', 'transient'],
    ['an HTML page labelled as JSON', `<html>${padding}</html>`, 'application/json', 'transient'],
    ['prose', `Down for maintenance ${padding}`, 'text/plain', 'transient'],
  ] as const)('is judged by what it begins with: %s', async (_name, body, type, kind) => {
    expect(await refresh(body, { type })).toMatchObject({ ok: false, kind });
    expect(await refresh(body, { type, status: 503 })).toMatchObject({ ok: false, kind: 'transient' });
    expect(await refresh(body, { type, status: 302 })).toMatchObject({ ok: false, kind: 'transient' });
    expect(await refresh(body, { type, status: 400 })).toMatchObject({
      kind: 'rejected',
      errorCode: 'http_400',
    });
  });
});

describe('an answer with tokens in a content coding that was not asked for', () => {
  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('is read: %s', async (coding, encode) => {
    const tokens = await refresh(encode('{"access_token":"at"}'), { coding });
    expect(tokens).toMatchObject({ ok: true, tokens: { accessToken: 'at' } });
    const dead = await refresh(encode('{"error":"invalid_grant"}'), { coding, status: 400 });
    expect(dead).toMatchObject({ kind: 'invalid_grant' });
    const page = await refresh(encode('<html>down</html>'), { coding, type: 'text/html' });
    expect(page).toMatchObject({ kind: 'transient' });
  });

  it('is decoded no further than 64 KiB', async () => {
    const bomb = gzipSync('x'.repeat(50_000_000));
    const cut = { kind: 'lost', errorCode: 'response_cut' };
    expect(await refresh(bomb, { coding: 'gzip' })).toMatchObject(cut);
    expect(await refresh(bomb, { coding: 'gzip', type: 'text/html' })).toMatchObject({ kind: 'transient' });
  });

  it.each(['gzip', 'br', 'zstd', 'compress'])(
    'that is not what it says (%s) may hold tokens',
    async (coding) => {
      expect(await refresh(Buffer.from([1, 2, 3]), { coding })).toMatchObject({ kind: 'lost' });
    },
  );
});
