import { loadCatalog } from '../../src/catalog/catalog.ts';
import { providerFromFile } from '../../src/catalog/provider-from-file.ts';
import { probeOf, proveCredential } from '../../src/oauth/probe.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { startEvilServer } from '../support/authorization-server.ts';

const server = await startEvilServer();
afterAll(server.close);
const outbound = createOutbound({ allowPrivateNetworks: true });
const KEY = 'planted-key-4711';

function providerWith(more: object, origin = server.origin) {
  const file = {
    id: 'acme',
    name: 'Acme',
    auth: 'api-key',
    apiBaseUrl: origin,
    apiKey: { in: 'header', name: 'X-Key', template: '{apiKey}' },
    ...more,
  };
  const loaded = providerFromFile(file, { allowPrivateNetworks: true });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
  return loaded.provider;
}

const PROBE = { url: `${server.origin}/ping` };
const NEGATIVE = { path: 'error.code', values: ['190'] };
const LIMITED = { path: 'name', values: ['restricted'] };

function prove(status: number, body: unknown, more: object) {
  server.answer({ status, body: typeof body === 'string' ? body : JSON.stringify(body) });
  return proveCredential({ outbound }, providerWith(more), { apiKey: KEY });
}

describe('a credential', () => {
  it.each([
    [200, {}, {}, 'accepted'],
    [204, '', {}, 'accepted'],
    [401, {}, {}, 'refused'],
    [403, {}, {}, 'refused'],
    [403, {}, { refused: [401] }, 'unclear'],
    [404, {}, {}, 'unclear'],
    [200, { error: { code: 190 } }, { refusedWhen: NEGATIVE }, 'refused'],
    [400, { error: { code: 190 } }, { refusedWhen: NEGATIVE }, 'refused'],
    [200, { error: { code: 1 } }, { refusedWhen: NEGATIVE }, 'accepted'],
    [401, { name: 'restricted' }, { acceptedWhen: LIMITED }, 'accepted'],
    [401, { name: 'wrong' }, { acceptedWhen: LIMITED }, 'refused'],
    [401, '<html>', { acceptedWhen: LIMITED }, 'refused'],
    [429, {}, {}, 'unreachable'],
    [503, {}, {}, 'unreachable'],
  ])('after status %i with %j is judged by %j: %s', async (status, body, more, verdict) => {
    expect(await prove(status, body, { probe: { ...PROBE, ...more } })).toMatchObject({ verdict });
  });

  it('that is refused comes with the words of the provider, short and without the credential', async () => {
    const proof = await prove(401, { message: `No such key: ${KEY} ${'x'.repeat(5_000)}` }, { probe: PROBE });
    expect(proof).toMatchObject({ status: 401, words: expect.stringMatching(/^No such key: … x{100,}$/) });
    expect(proof?.verdict === 'refused' && proof.words?.length).toBe(200);
  });

  it('is not proved where nobody answers', async () => {
    const provider = providerWith({ probe: { url: 'http://127.0.0.1:1/ping' } });
    expect(await proveCredential({ outbound }, provider, { apiKey: KEY })).toEqual({
      verdict: 'unreachable',
    });
  });

  it('is proved by the account call where no probe is declared, of which a 401 alone refuses', async () => {
    const account = { id: { from: 'request', path: 'id' }, request: { url: `${server.origin}/me` } };
    expect(await prove(401, {}, { account })).toMatchObject({ verdict: 'refused' });
    expect(await prove(403, {}, { account })).toMatchObject({ verdict: 'unclear' });
    const body = { id: 7 };
    expect(await prove(200, body, { account })).toEqual({ verdict: 'accepted', account: { ok: true, body } });
  });

  it('of a provider with neither is not asked about', async () => {
    expect(await prove(200, {}, {})).toBeUndefined();
  });
});

describe('a built-in provider whose credentials people type', () => {
  const typed = loadCatalog({ allowPrivateNetworks: false })
    .list()
    .filter(({ auth }) => auth === 'api-key' || auth === 'basic');

  it.each(typed.map((provider) => [provider.id, provider] as const))(
    '%s says how a credential is proved, or why it cannot be',
    (_id, provider) => {
      expect(probeOf(provider)?.url ?? provider.noProbe).toEqual(expect.any(String));
    },
  );
});
