import { createHash } from 'node:crypto';
import express from 'express';
import request from 'supertest';
import { acmeProvider } from '../support/acme-provider.ts';
import { startRooms, type TestRooms } from '../support/rooms.ts';
import { until } from '../support/until.ts';

const BODY = '{"type":"contact.created","id":"7","account":"account-1"}';
const WEBHOOKS = {
  supported: true,
  docsUrl: 'https://acme.example/docs',
  scope: 'application',
  signature: { scheme: 'digest', at: 'header:X-Signature', signed: ['{secret}', '{body}'] },
  secret: { from: 'client' },
  payload: { eventType: '{type}', objectId: '{id}', account: '{account}', dedupe: 'none' },
};

let stage: TestRooms;
let owner: Awaited<ReturnType<TestRooms['insertConnection']>>;
beforeAll(async () => {
  stage = await startRooms(acmeProvider({ webhooks: WEBHOOKS }));
  owner = await stage.insertConnection('acme', { accountId: 'account-1' });
});
afterAll(() => stage?.stop());

const sign = (secret: string) => createHash('sha256').update(`${secret}${BODY}`).digest('hex');

const send = (secret: string) =>
  request(express().use('/webhooks', stage.rooms.webhooks.receiver))
    .post(`/webhooks/${owner.integrationId}`)
    .set('Content-Type', 'application/json')
    .set('X-Signature', sign(secret))
    .send(BODY);

const readFacts = () =>
  stage.rooms.webhooks.readWebhookFacts({ id: owner.integrationId, projectId: owner.projectId });

describe('a webhook of a provider', () => {
  it('becomes an event of the connection that it is about', async () => {
    await send('client-secret-1').expect(200);
    const list = () =>
      stage.db('events').where({ project_id: owner.projectId }).select('type', 'connection_id');
    await until(async () => (await list()).length > 0);
    expect(await list()).toEqual([{ type: 'acme.contact.created', connection_id: owner.connectionId }]);
  });

  it('with a wrong signature is refused, and counted for the diagnosis', async () => {
    await send('wrong').expect(({ status }) => expect(status).toBeGreaterThanOrEqual(400));
    expect(await readFacts()).toMatchObject({ signatureFailures: { count: 1 } });
  });
});
