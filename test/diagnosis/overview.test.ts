import request from 'supertest';
import { newId } from '../../src/lib/ids.ts';
import { createTestApp, PROJECT_ID } from '../http/support.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { insertIntegration } from '../support/rows.ts';

let stage: TestRooms;
let integrationId: string;

beforeAll(async () => {
  stage = await startRooms(acmeProviderAt('http://127.0.0.1:9'));
  await stage.db('projects').insert({ id: PROJECT_ID, name: 'Project' });
  integrationId = await insertIntegration(stage.db, stage.vault, PROJECT_ID, 'acme');
});
afterAll(() => stage?.stop());

async function readOverview() {
  const { app } = createTestApp(
    stage.rooms.diagnosis.endpoints({
      access: stage.rooms.identity.access,
      listTroubledDestinations: stage.rooms.deliveries.listTroubled,
      listRecentCalls: stage.rooms.callLog.listRecent,
    }),
  );
  const { body } = await request(app)
    .get(`/v1/projects/${PROJECT_ID}/overview`)
    .set('Authorization', 'Bearer key')
    .expect(200);
  return body;
}

const insertCall = (subject: string | null, origin: 'none' | 'gateway' | 'provider') =>
  stage.db('recent_calls').insert({
    ...{ request_id: newId(), project_id: PROJECT_ID, is_sample: false, at: new Date(), subject, origin },
    ...{ method: 'GET', path: '/', provider: 'acme', status: 200, attempts: 1 },
    ...{ duration_ms: 1, provider_ms: 1, request_bytes: 0, response_bytes: 0 },
  });

const insertDestination = (url: string, reason: 'operator' | 'gone') =>
  stage.db('event_destinations').insert({
    ...{ id: newId(), project_id: PROJECT_ID, url, types: ['*'], ordered: 'none', format: 'standard' },
    ...{ secret_sealed: 'sealed', position: 0, created_by: newId() },
    ...{ disabled_reason: reason, disabled_at: new Date() },
  });

describe('the overview of a project', () => {
  it('has a state for each integration, and nothing that needs a person in a new project', async () => {
    expect(await readOverview()).toEqual({
      states: [expect.objectContaining({ integrationId, finding: null })],
      endingSecrets: [],
      destinations: [],
      firstSteps: { testProvider: null, called: false, calledForUser: false },
    });
  });

  it('names secrets that end soon, and destinations that take nothing unless an operator wants it so', async () => {
    await stage
      .db('integration_secrets')
      .where({ integration_id: integrationId, kind: 'client' })
      .update({ expires_at: new Date(Date.now() + 86_400_000) });
    await insertDestination('https://gone.example/hook', 'gone');
    await insertDestination('https://off.example/hook', 'operator');
    const { endingSecrets, destinations, states } = await readOverview();
    expect(states).toMatchObject([{ integrationId, finding: { code: 'client_secret_expires_soon' } }]);
    expect(endingSecrets).toEqual([
      { integrationId, finding: expect.objectContaining({ code: 'client_secret_expires_soon' }) },
    ]);
    expect(destinations).toEqual([
      { id: expect.any(String), url: 'https://gone.example/hook', state: 'disabled' },
    ]);
  });

  it('keeps what strangers send, and what concerns the whole project, out of the states', async () => {
    await stage
      .db('integration_secrets')
      .where({ integration_id: integrationId })
      .update({ expires_at: null });
    await stage.db('webhook_numbers').insert({
      ...{ integration_id: integrationId, project_id: PROJECT_ID, failures: 1, rejected: 1 },
      last_failure_at: new Date(),
    });
    await stage
      .db('event_destinations')
      .where({ project_id: PROJECT_ID, disabled_reason: 'gone' })
      .update({ last_failure_at: new Date() });
    expect((await readOverview()).states).toMatchObject([{ integrationId, finding: null }]);
    await stage.db('webhook_numbers').where({ integration_id: integrationId }).update({ failures: 9 });
    expect((await readOverview()).states).toMatchObject([
      { integrationId, finding: { code: 'webhook_secret_wrong', severity: 'warning' } },
    ]);
  });

  it('counts a call that the gateway refused for none, and an operator’s for none of the application', async () => {
    await insertCall('user-1', 'gateway');
    expect((await readOverview()).firstSteps).toMatchObject({ called: false, calledForUser: false });
    await insertCall(`operator:${newId()}`, 'none');
    expect((await readOverview()).firstSteps).toMatchObject({ called: true, calledForUser: false });
    await insertCall('user-1', 'provider');
    expect((await readOverview()).firstSteps).toMatchObject({ called: true, calledForUser: true });
  });
});
