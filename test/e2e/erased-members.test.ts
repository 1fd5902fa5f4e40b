import { callApi, callApiOk } from '../support/gateway.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { authorize, PROVIDER, readOutcome, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';
import { callAs, callProxy, connectAs, MANAGER, type Member, readAsKey } from './organizations-stage.ts';

let stage: Stage;
let receiver: Receiver;
beforeAll(async () => {
  [stage, receiver] = [await startStage(), await startReceiver()];
});
afterAll(async () => {
  await stage?.close();
  await receiver?.close();
});

const read = (path: string) => readAsKey(stage, path);
const ofProject = (path: string) => `/v1/projects/${stage.project.id}${path}`;
const asKey = (method: string, path: string, body?: Record<string, unknown>) =>
  callApi(stage.gateway.url, method, path, { bearer: stage.project.apiKey, ...(body && { body }) });
const ada = { userId: 'ada', claims: MANAGER };
const kim = { userId: 'kim', claims: MANAGER };

async function erase(userId: string): Promise<void> {
  const { body } = await asKey('DELETE', ofProject(`/users/${userId}`));
  await until(async () => (await read(ofProject(`/user-erasures/${body.id}`))).state === 'done');
}

async function exportOf(userId: string): Promise<{ kind: string; [field: string]: unknown }[]> {
  const { text } = await asKey('GET', ofProject(`/users/${userId}/export`));
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const readTypes = async (id: string, types: string): Promise<string[]> =>
  (await read(`/v1/events?connectionId=${id}&types=${types}`)).events.map(
    ({ type }: { type: string }) => type,
  );
const readDeliveries = async (id: string): Promise<{ eventType: string }[]> =>
  (await read('/v1/deliveries?limit=100')).deliveries.filter(
    ({ connectionId }: { connectionId: string }) => connectionId === id,
  );
const countCalls = async (id: string): Promise<number> =>
  (await read(ofProject(`/calls?connectionId=${id}`))).calls.length;

describe('a member of an organization', () => {
  it('has in the export the authorizations that they began for it', async () => {
    const begun = await callAs(stage, kim, 'POST', '/v1/connect-sessions', {
      ...{ provider: PROVIDER, owner: 'organization' },
    });
    const sessions = (await exportOf('kim')).filter(({ kind }) => kind === 'connect_session');
    expect(sessions.map(({ id }) => id)).toEqual([begun.body.id]);
  });

  it('leaves, when erased, what it has of connections that they used or made', async () => {
    await callApiOk(stage.gateway.url, 'POST', '/v1/event-destinations', {
      bearer: stage.project.apiKey,
      body: { url: receiver.url, types: ['connection.*', 'activity.connection.*'] },
    });
    const { id: lives } = await connectAs(stage, ada);
    const former: Member = { userId: 'kim', claims: { ...MANAGER, org: 'globex' } };
    const { id: gone } = await connectAs(stage, former, { owner: 'organization' }, 'ben@northwind.test');
    expect((await callAs(stage, former, 'DELETE', `/v1/connections/${gone}`)).status).toBe(204);
    for (const member of [ada, kim]) expect(await callProxy(stage, member)).toMatchObject({ status: 200 });
    await until(async () => (await readTypes(lives, 'activity.connection.used')).length === 2);
    await until(async () => (await countCalls(lives)) === 2);
    await until(async () => (await readDeliveries(lives)).length === 4);
    await erase('kim');
    expect(await readTypes(lives, 'connection.*,activity.*')).toEqual(
      expect.arrayContaining(['connection.created', 'activity.connection.created']),
    );
    expect(await readTypes(lives, 'activity.connection.used')).toHaveLength(1);
    expect(await countCalls(lives)).toBe(1);
    expect((await readDeliveries(lives)).map(({ eventType }) => eventType)).toContain('connection.created');
    expect(await readTypes(gone, 'connection.*')).toEqual(['connection.created', 'connection.deleted']);
    expect(await readTypes(gone, 'activity.connection.created,activity.connection.deleted')).toEqual([]);
  });

  it('is named by no event of the audit log, when erased, whose backend connected for them', async () => {
    const begun = await asKey('POST', '/v1/connect-sessions', {
      ...{ provider: PROVIDER, owner: 'organization', organizationId: 'initech', userId: 'lou' },
    });
    const { message } = readOutcome(await authorize(stage, begun.body.url, { email: 'ben@northwind.test' }));
    const { completionCode } = message;
    const ended = await asKey('POST', `/v1/connect-sessions/${message.sessionId}/complete`, {
      completionCode,
    });
    const { users } = await read(ofProject('/users?userId=lou'));
    const readCreated = () => readTypes(ended.body.id, 'connection.created,activity.connection.created');
    await until(async () => (await readCreated()).length === 2);
    await erase('lou');
    expect(await readCreated()).toEqual(['connection.created']);
    const { events } = await read('/v1/events?limit=1000&types=activity.*');
    expect(JSON.stringify(events)).not.toContain(users[0].id);
  });
});
