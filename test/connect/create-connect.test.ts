import { acmeProviderAt } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertOwner } from '../support/rows.ts';
import { startTokenProvider, type TokenProvider } from '../support/token-provider.ts';

let provider: TokenProvider;
let stage: TestRooms;
beforeAll(async () => {
  provider = await startTokenProvider();
  const byClient = { auth: 'oauth2-client-credentials', authorizationUrl: undefined };
  stage = await startRooms(acmeProviderAt(provider.url, byClient));
});
afterAll(async () => {
  await stage?.stop();
  await provider?.close();
});

async function logIn() {
  const { projectId, integrationId: id } = await insertOwner(stage.db, stage.vault, 'acme');
  return stage.rooms.connect.logIn({ id, projectId }, { variables: {}, secrets: {} });
}

describe('connecting without a browser', () => {
  it("obtains the tokens of the integration's own client", async () => {
    provider.answerWith((request) => {
      const isByClient = request.form.get('grant_type') === 'client_credentials';
      request.reply(isByClient ? 200 : 400, { access_token: 'access-2', token_type: 'bearer' });
    });
    expect(await logIn()).toMatchObject({
      ok: true,
      grant: { credentials: { values: { accessToken: 'access-2' }, refreshToken: null } },
    });
  });

  it('gives the refusal of the provider, and what it said', async () => {
    provider.answerWith((request) =>
      request.reply(401, { error: 'invalid_client', error_description: 'No such client' }),
    );
    expect(await logIn()).toMatchObject({ ok: false, words: expect.stringContaining('No such client') });
  });
});
