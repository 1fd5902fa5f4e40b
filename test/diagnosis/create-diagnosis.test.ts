import request from 'supertest';
import { createTestApp, PROJECT_ID } from '../http/support.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertIntegration } from '../support/rows.ts';
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

describe('the diagnosis', () => {
  it('asks the provider of an integration, and says what is wrong with its client', async () => {
    provider.answerWith((call) => call.reply(401, { error: 'invalid_client' }));
    await stage.db('projects').insert({ id: PROJECT_ID, name: 'Project' });
    const id = await insertIntegration(stage.db, stage.vault, PROJECT_ID, 'acme');
    const { access } = stage.rooms.identity;
    const { app } = createTestApp(
      stage.rooms.diagnosis.endpoints({
        access,
        listTroubledDestinations: stage.rooms.deliveries.listTroubled,
        listRecentCalls: stage.rooms.callLog.listRecent,
      }),
    );
    const { body } = await request(app)
      .get(`/v1/integrations/${id}/diagnosis?refresh=true`)
      .set('Authorization', 'Bearer key')
      .expect(200);
    const codes = body.findings.map(({ code }: { code: string }) => code);
    expect(codes).toContain('client_refused');
    expect(provider.refreshes.length).toBeGreaterThan(0);
  });
});
