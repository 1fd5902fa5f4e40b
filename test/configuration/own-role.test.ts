import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { callApi, callApiOk, OPERATOR, seedMember, seedOperator } from '../support/gateway.ts';
import { type ConfigurationStage, startConfigurationStage } from './configuration-stage.ts';

let stage: ConfigurationStage;
beforeAll(async () => {
  stage = await startConfigurationStage();
});
afterAll(() => stage?.gateway.stop());

const cookiesOf = ({ headers }: { headers: Headers }) =>
  headers
    .getSetCookie()
    .map((field) => field.split(';', 1)[0])
    .join('; ');

/** So that the first one may give its own role up. */
async function addOwner(): Promise<string> {
  const { databaseUrl = '', url } = stage.gateway;
  const bearer = await seedOperator(databaseUrl);
  const { id, email } = await callApiOk(url, 'GET', '/v1/operators/me', { bearer });
  const client = new pg.Client(connectionSettings(databaseUrl));
  await client.connect();
  await seedMember(client, { projectId: stage.project.id, operatorId: id, role: 'owner' });
  await client.end();
  return email;
}

it('a file that changes the role of who applies it in a browser leaves them signed in there', async () => {
  const { url } = stage.gateway;
  const members = [
    { email: await addOwner(), role: 'owner' },
    { email: OPERATOR.email, role: 'admin' },
  ];
  const signedIn = await callApi(url, 'POST', '/v1/sessions', {
    body: { email: OPERATOR.email, password: OPERATOR.password },
  });
  const send = (operation: string, body: object) =>
    callApi(url, 'POST', `/v1/projects/${stage.project.id}/configuration/${operation}`, {
      headers: { cookie: cookiesOf(signedIn), origin: url },
      body: { configuration: { version: 1, members }, ...body },
    });
  const { stateHash } = (await send('plan', {})).body;
  const applied = await send('apply', { stateHash });
  expect([applied.status, applied.body.summary]).toEqual([200, expect.objectContaining({ update: 1 })]);
  const me = await callApi(url, 'GET', '/v1/operators/me', { headers: { cookie: cookiesOf(applied) } });
  expect([me.status, me.body.email]).toEqual([200, OPERATOR.email]);
});
