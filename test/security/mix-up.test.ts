import { createServer, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { CLIENT, type ConnectingStage, startConnectingStage } from '../e2e/connecting-stage.ts';
import { callApiOk, createProject, type Project } from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';

/**
 * Two projects on one gateway that do not trust each other. An authorization server of the attacker's sends the victim
 * on to an honest one with the client of the other project, which answers at the attacker's callback (servers that take
 * any address below the registered one do) or at the shared one (RFC 9700 4.4).
 */

let stage: ConnectingStage;
let attacking: Project;
let evil: Server;
const harvested: string[] = [];

beforeAll(async () => {
  stage = await startConnectingStage(['scripted']);
  attacking = await createProject(stage.gateway.url, stage.project.personalAccessToken);
  evil = createServer(async (request, response) => {
    harvested.push(new URLSearchParams(await text(request)).get('code') ?? '');
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
  });
  const url = `http://127.0.0.1:${await listen(evil)}`;
  const description = { id: 'evil', name: 'Evil', auth: 'oauth2', apiBaseUrl: url };
  await asAttacker('POST', '/v1/providers', {
    ...description,
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/token`,
  });
  await asAttacker('POST', '/v1/integrations', {
    serviceProvider: 'custom:evil',
    ...CLIENT,
    scopes: ['read'],
  });
});
afterAll(async () => {
  if (evil) await closeServer(evil);
  await stage?.close();
});

const asAttacker = (method: string, path: string, body: unknown) =>
  callApiOk(stage.gateway.url, method, path, { bearer: attacking.apiKey, body });

it('a code that was harvested by one project’s provider buys nothing in a session of another project', async () => {
  const code = 'what-the-honest-server-gave-the-victim';

  const lure = await asAttacker('POST', '/v1/connect-sessions', {
    provider: 'custom:evil',
    userId: 'mallory',
  });
  const victim = stage.openBrowser();
  const luring = await stage.follow(lure, victim);
  await stage.answer(luring, victim, { code });
  expect(harvested).toEqual([code]);

  const mallory = stage.openBrowser();
  const session = await stage.start('mallory');
  const request = await stage.follow(session, mallory);
  const before = stage.provider.tokenCalls.length;
  const { message, origin } = readOutcome(await stage.answer(request, mallory, { code }));
  expect([message.status, message.error, origin]).toEqual(['error', 'invalid_callback', APP_ORIGIN]);
  expect(stage.provider.tokenCalls.length).toBe(before);
});

it('a code of its own works in a session of the same project all the while', async () => {
  expect((await stage.connect('mia', 'north')).status).toBe(200);
});
