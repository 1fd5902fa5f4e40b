import { findInstallation } from '../../src/oauth/installation.ts';
import { listTenants } from '../../src/oauth/tenants.ts';
import type { Outbound } from '../../src/platform/outbound.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { longestTurnMs } from '../support/event-loop.ts';

const MIB = 1024 * 1024;
const provider = acmeProvider({
  apiBaseUrl: 'https://api.acme.example/{site}',
  variables: { site: { from: 'tenant', path: 'id' } },
  tenants: { kind: 'site', request: { url: 'https://api.acme.example/list' }, id: 'id' },
});

function listAgainst(body: string) {
  const outbound: Outbound = { request: async () => ({ status: 400, headers: {}, body: Buffer.from(body) }) };
  return listTenants({ outbound }, provider, { accessToken: 'at' });
}

describe('a list of installations', () => {
  it('of brackets alone does not hold the event loop', async () => {
    const list = {
      ...{ url: 'https://api.acme.example/list', headers: {}, itemsPath: 'items' },
      ...{ id: 'id', pageParameter: 'page' },
    };
    const installing = { ...acmeProvider(), installation: { variable: 'installation', list } };
    const body = Buffer.from('['.repeat(MIB / 2) + ']'.repeat(MIB / 2));
    const outbound: Outbound = { request: async () => ({ status: 200, headers: {}, body }) };
    const find = async () =>
      expect(
        await findInstallation({ outbound }, installing as typeof provider, { installation: '1' }, 'at'),
      ).toBe('unknown');
    await find();
    expect(await longestTurnMs(find)).toBeLessThan(30);
  });
});

describe('a refusal of the list of tenants', () => {
  it('is quoted where the provider says why', async () => {
    const listed = await listAgainst('{"error":"no_sites","error_description":"This account has no sites."}');
    expect(listed).toMatchObject({ kind: 'list_refused', words: expect.stringContaining('no sites') });
  });

  it('of brackets alone does not hold the event loop', async () => {
    const body = '['.repeat(MIB) + ']'.repeat(MIB);
    const list = async () => expect(await listAgainst(body)).toEqual({ ok: false, kind: 'list_refused' });
    await list();
    expect(await longestTurnMs(list)).toBeLessThan(50);
  });
});
