import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { UsernameToken } from 'wsse';
import { createCatalogDir } from '../test/support/catalog-dir.ts';
import { callApiOk, provision, startGateway } from '../test/support/gateway.ts';
import { closeServer, listen } from '../test/support/listen.ts';

const USER = { apiUser: 'acme001', apiSecret: 'LkWvsMAf3R7j2nB' };
const faults: string[] = [];

/** Emarsys, for whom a field is good that another library writes of the same nonce, time and secret. */
const server = createServer((request, response) => {
  const field = String(request.headers['x-wsse']);
  const [, nonce = '', created = ''] = /Nonce="(.+)", Created="(.+)"$/.exec(field) ?? [];
  const token = new UsernameToken({
    username: USER.apiUser,
    password: USER.apiSecret,
    nonce,
    created,
    sha1encoding: 'hex',
  });
  const isGood = nonce !== '' && field === token.getWSSEHeader();
  if (!isGood) faults.push(field);
  response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ replyCode: 0, replyText: 'OK', data: { name: 'Acme' } }));
});
const origin = `http://127.0.0.1:${await listen(server)}`;
const entry = await readFile(join(import.meta.dirname, '../src/catalog/providers/emarsys.yaml'), 'utf8');
const catalog = await createCatalogDir({
  emarsys: entry.replaceAll('https://api.emarsys.net', origin),
});
const gateway = await startGateway({ catalogDir: catalog.path });

afterAll(async () => {
  await gateway.stop();
  await catalog.remove();
  await closeServer(server);
});

it('the library wsse writes the field that the gateway sends to Emarsys', async () => {
  const project = await provision(gateway);
  const bearer = project.apiKey;
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: 'emarsys', authMethod: 'wsse' },
  });
  const imported = await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: 'mia', credentials: { variables: USER } },
  });
  expect(imported.status).toBe('active');
  const answer = await fetch(`${gateway.url}/projects/${project.id}/proxy/emarsys/api/v2/field`, {
    headers: { authorization: `Bearer ${project.userToken('mia')}` },
  });
  expect([answer.status, faults]).toEqual([200, []]);
});
