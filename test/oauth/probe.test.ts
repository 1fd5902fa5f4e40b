import { gzipSync } from 'node:zlib';
import { providerFromFile } from '../../src/catalog/loading/provider-from-file.ts';
import { createAccountRequest } from '../../src/oauth/account.ts';
import { proveCredential } from '../../src/oauth/probe.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { startEvilServer } from '../support/authorization-server.ts';

const server = await startEvilServer();
afterAll(server.close);
const outbound = createOutbound({ allowPrivateNetworks: true });
const KEY = 'planted-key-4711';

const FILE = {
  id: 'acme',
  name: 'Acme',
  auth: 'api-key',
  apiBaseUrl: server.origin,
  apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
};
const ACCOUNT = { id: { from: 'request', path: 'id' }, request: { url: `${server.origin}/me` } };

function providerWith(more: object) {
  const loaded = providerFromFile({ ...FILE, ...more }, { allowPrivateNetworks: true });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

const PROBE = { url: `${server.origin}/ping` };
const NEGATIVE = { path: 'error.code', values: ['190'] };
const LIMITED = { path: 'name', values: ['restricted'] };
const HTML = { 'content-type': 'text/html; charset=utf-8' };

function prove(status: number, body: unknown, more: object, headers = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  server.answer({ status, body: text, headers });
  return proveCredential({ outbound }, providerWith(more), { apiKey: KEY });
}

describe('a credential', () => {
  it.each([
    [200, {}, {}, 'accepted'],
    [204, '', {}, 'accepted'],
    [200, 'pong', {}, 'accepted'],
    [401, {}, {}, 'refused'],
    [403, {}, {}, 'refused'],
    [403, {}, { accepted: [403] }, 'accepted'],
    [401, {}, { accepted: [403] }, 'refused'],
    [403, {}, { refused: [401] }, 'unclear'],
    [404, {}, {}, 'unclear'],
    [404, {}, { accepted: [404] }, 'accepted'],
    [400, {}, {}, 'unclear'],
    [302, '', {}, 'unclear'],
    [302, '', { accepted: [302] }, 'accepted'],
    [200, { error: { code: 190 } }, { refusedWhen: NEGATIVE }, 'refused'],
    [400, { error: { code: 190 } }, { refusedWhen: NEGATIVE }, 'refused'],
    [400, { error: { code: 190 } }, { refusedWhen: NEGATIVE, accepted: [400] }, 'refused'],
    [400, { error: { code: 1 } }, { refusedWhen: NEGATIVE, accepted: [400] }, 'accepted'],
    [200, { error: 'no' }, { refusedWhen: { path: 'error' } }, 'refused'],
    [200, { code: 'bad ' }, { refusedWhen: { path: 'code', values: ['bad'] } }, 'refused'],
    [200, { error: { code: 1 } }, {}, 'unclear'],
    [200, { errors: [{ message: 'no' }] }, {}, 'unclear'],
    [200, { errors: [], error: null }, {}, 'accepted'],
    [200, { ok: false }, {}, 'unclear'],
    [200, { success: false }, {}, 'unclear'],
    [200, { data: { me: { id: 1 } }, errors: [1] }, { answerHas: 'data.me.id' }, 'accepted'],
    [200, { data: { me: null } }, { answerHas: 'data.me.id' }, 'unclear'],
    [200, 'pong', { answerHas: 'data.me.id' }, 'unclear'],
    [401, { name: 'restricted' }, { acceptedWhen: LIMITED }, 'accepted'],
    [401, { name: 'wrong' }, { acceptedWhen: LIMITED }, 'refused'],
    [400, { name: 'restricted' }, { acceptedWhen: LIMITED }, 'accepted'],
    [401, '<html>', { acceptedWhen: LIMITED }, 'refused'],
    [200, '<!DOCTYPE html><title>Sign in</title>', {}, 'unclear'],
    [203, ' <html lang="en">', {}, 'unclear'],
    [403, '<html>', { accepted: [403] }, 'unclear'],
  ])('after status %i with %j is judged by %j: %s', async (status, body, more, verdict) => {
    expect(await prove(status, body, { probe: { ...PROBE, ...more } })).toMatchObject({ verdict });
  });

  it.each([
    ['<p>Sign in</p>', 'unclear'],
    ['{"id":1}', 'accepted'],
    ['', 'accepted'],
  ])('that gets %j as an HTML page is %s', async (body, verdict) => {
    expect(await prove(200, body, { probe: PROBE }, HTML)).toMatchObject({ verdict });
  });

  it('that is refused comes with the words of the provider, short and without the credential', async () => {
    const words = `No such key: ${KEY} or ${Buffer.from(KEY).toString('base64')} ${'x '.repeat(5_000)}`;
    const proof = await prove(401, { message: words }, { probe: PROBE });
    expect(proof).toMatchObject({ code: 'http_401', words: expect.stringMatching(/^No such key: .* x x/) });
    expect(proof?.words).not.toContain(KEY);
    expect(proof?.words?.length).toBeLessThanOrEqual(200);
  });

  it('that is longer than any answer may be quoted is not halved into one', async () => {
    const proof = await prove(401, { message: `${'a '.repeat(400)}${KEY}` }, { probe: PROBE });
    expect(proof?.words).not.toContain(KEY.slice(0, 6));
  });

  it.each([429, 500, 503])(
    'is asked about once more after status %i, and then not proved',
    async (status) => {
      const before = server.seen.length;
      expect(await prove(status, {}, { probe: PROBE })).toMatchObject({
        verdict: 'unreachable',
        code: `http_${status}`,
      });
      expect(server.seen.length - before).toBe(2);
    },
  );

  it('is proved by the second answer where the first said later', async () => {
    let asked = 0;
    server.answer((_request, socket) => {
      asked += 1;
      if (asked === 1) return void socket.destroy();
      return { status: 200, body: '{}' };
    });
    const proof = await proveCredential({ outbound }, providerWith({ probe: PROBE }), { apiKey: KEY });
    expect(proof).toMatchObject({ verdict: 'accepted' });
  });

  it('is not proved where nobody answers', async () => {
    const provider = providerWith({ probe: { url: 'http://127.0.0.1:1/ping' } });
    expect(await proveCredential({ outbound }, provider, { apiKey: KEY })).toEqual({
      verdict: 'unreachable',
      code: 'connection_network',
    });
  });

  it('that no header can carry is not proved', async () => {
    const proof = await proveCredential({ outbound }, providerWith({ probe: PROBE }), { apiKey: 'ключ' });
    expect(proof).toEqual({ verdict: 'unclear', code: 'connection_invalid_request' });
  });

  it('is proved by the beginning of an endless answer', async () => {
    const big = JSON.stringify({ list: 'x'.repeat(600_000) });
    expect(await prove(200, big, { probe: PROBE })).toMatchObject({ verdict: 'accepted' });
  });

  it.each([
    ['accepted', 200, { id: '7' }],
    ['refused', 200, { error: { code: 190 } }],
  ] as const)(
    'is %s by an answer that came compressed, on which some providers insist',
    async (verdict, status, answer) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
      server.answer({ status, headers, body: gzipSync(JSON.stringify(answer)) });
      const provider = providerWith({ account: ACCOUNT, probe: { ...PROBE, refusedWhen: NEGATIVE } });
      expect(await proveCredential({ outbound }, provider, { apiKey: KEY })).toMatchObject({ verdict });
      const readAccount = createAccountRequest({ outbound }, provider, { apiKey: KEY });
      expect(await readAccount({})).toEqual({ ok: true, body: answer });
    },
  );

  it('is proved by the account call where no probe is declared, of which a 401 alone refuses', async () => {
    const account = ACCOUNT;
    expect(await prove(401, {}, { account })).toMatchObject({ verdict: 'refused' });
    expect(await prove(403, {}, { account })).toMatchObject({ verdict: 'accepted' });
    expect(await prove(404, {}, { account })).toMatchObject({ verdict: 'unclear' });
    const body = { id: 7 };
    const proved = { verdict: 'accepted', account: { ok: true, body } };
    expect(await prove(200, body, { account })).toMatchObject(proved);
    expect(await prove(403, {}, { account, probe: { refused: [403] } })).toMatchObject({
      verdict: 'refused',
    });
  });

  it('of a provider with neither is not asked about', async () => {
    expect(await prove(200, {}, {})).toBeUndefined();
  });
});

describe('a provider file', () => {
  it.each([
    ['probe.url', { probe: {} }],
    ['probe.body', { probe: { url: 'https://a.example', body: {} } }],
    ['probe.accepted', { probe: { url: 'https://a.example', accepted: [401], refused: [401] } }],
    ['noProbe', { probe: { url: 'https://a.example' }, noProbe: 'None.' }],
    ['probe.method', { probe: { method: 'POST' }, account: ACCOUNT }],
    ['probe.headers.X', { probe: { url: 'https://a.example', headers: { X: '{unknown}' } } }],
    ['probe.url', { probe: { url: 'https://{unknown}.example' } }],
  ])('is told what is wrong with its %s: %j', (path, more) => {
    const loaded = providerFromFile({ ...FILE, ...more }, { allowPrivateNetworks: true });
    expect(loaded).toMatchObject({ ok: false, faults: expect.arrayContaining([expect.anything()]) });
    expect(!loaded.ok && loaded.faults.map((fault) => fault.path.join('.'))).toContain(path);
  });

  it('needs a proof of typed credentials, or the reason why there is none, where it is built in', () => {
    const judged = (more: object) =>
      providerFromFile({ ...FILE, ...more }, { allowPrivateNetworks: true, isProofNeeded: true });
    expect(judged({})).toMatchObject({ ok: false, faults: [{ path: ['probe'] }] });
    expect(judged({ noProbe: 'Every call is charged.' }).ok).toBe(true);
    expect(judged({ account: ACCOUNT }).ok).toBe(true);
    expect(judged({ probe: PROBE }).ok).toBe(true);
    expect(providerFromFile(FILE, { allowPrivateNetworks: true }).ok).toBe(true);
  });
});
