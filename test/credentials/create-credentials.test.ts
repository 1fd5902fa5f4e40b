import { buildRefreshTarget } from '../../src/credentials/refreshing/refresh-target.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';

let provider: TokenProvider;
let stage: TestRooms;
beforeAll(async () => {
  provider = await startTokenProvider();
  stage = await startRooms(acmeProviderAt(provider.url));
});
afterAll(async () => {
  await stage?.stop();
  await provider?.close();
});

/** A connection whose access token has expired, with a refresh token that the provider takes, unless another is given. */
async function connect(refreshToken = provider.issue().refresh_token) {
  const owner = await stage.insertConnection('acme', {
    credentials: { values: { accessToken: 'old' }, refreshToken },
  });
  const target = buildRefreshTarget(acmeProviderAt(provider.url), { ...owner, version: 1 });
  const { accessTokens, readCredentials } = stage.rooms.credentials;
  return {
    refresh: () => accessTokens.refresh(target),
    read: () => readCredentials(owner.connectionId, owner.projectId),
  };
}

describe('the credentials of a connection', () => {
  it('are refreshed once at its provider, and stored', async () => {
    const { refresh, read } = await connect();
    const sentBefore = provider.refreshes.length;
    await Promise.all([refresh(), refresh()]);
    expect(provider.refreshes).toHaveLength(sentBefore + 1);
    const state = await read();
    expect(state).toMatchObject({ status: 'active', version: 2 });
    expect(JSON.stringify(state)).not.toContain('"old"');
  });

  it('are marked as refused, in the audit log as well, where the provider has ended the grant', async () => {
    const { refresh, read } = await connect('spent');
    await refresh();
    expect(await read()).toMatchObject({ status: 'reauthorization_required' });
    expect(await stage.db('activity').pluck('action')).toEqual(['connection.reauthorization_required']);
  });
});
