import { once } from 'node:events';
import http from 'node:http';
import express from 'express';
import { createKnownMetas } from '../../src/agents/known-metas.ts';
import { createMcpRouter } from '../../src/agents/mcp.router.ts';
import { createQuickDoor } from '../../src/agents/quick-door.ts';
import { createErrorHandler, HttpError } from '../../src/http/errors.ts';
import { createRequestLog } from '../../src/http/request-log.ts';
import { newId } from '../../src/lib/ids.ts';
import { captureLog } from '../http/support.ts';
import { type AgentClient, openEarlierClient, openModernClient } from '../support/agent-clients.ts';
import { closeServer, listen } from '../support/listen.ts';
import { CONTACTS, connectAccount, PROVIDER, type Stage, startStage } from '../support/stage.ts';
import { until } from '../support/until.ts';

let stage: Stage;
const clients: AgentClient[] = [];

beforeAll(async () => {
  stage = await startStage();
  await connectAccount(stage, { userId: 'ada' });
});
afterAll(async () => {
  for (const client of clients) await client.close();
  await stage.close();
});

const address = () => `${stage.gateway.url}/projects/${stage.project.id}/mcp`;

async function open(openClient: typeof openModernClient, userId = 'ada', claims?: Record<string, unknown>) {
  const token = stage.project.userToken(userId, claims && { claims });
  const client = await openClient({ address: address(), token });
  clients.push(client);
  return client;
}

describe.each([
  ['2026-07-28', openModernClient],
  ['2025-11-25', openEarlierClient],
])('an agent whose client speaks %s', (_revision, openClient) => {
  it('reads with the connection of its user', async () => {
    const client = await open(openClient);
    const answer = await client.callTool('read', { provider: PROVIDER, path: CONTACTS, query: 'limit=2' });
    expect(answer.structuredContent).toMatchObject({ source: 'provider', provider: PROVIDER, status: 200 });
    expect(answer.structuredContent).toHaveProperty('body.results.length', 2);
  });

  it('gets the same five tools in the same bytes, whoever its user is', async () => {
    const [ada, ben] = await Promise.all([open(openClient), open(openClient, 'ben')]);
    const [ofAda, ofBen] = await Promise.all([ada.listTools(), ben.listTools()]);
    expect(ofAda.tools.map(({ name }) => name)).toEqual([
      'list_connections',
      'connect',
      'find_operations',
      'read',
      'write',
    ]);
    expect(JSON.stringify(ofBen.tools)).toBe(JSON.stringify(ofAda.tools));
  });
});

it.each([
  ['is taken', false, 1],
  ['is refused where its token was revoked meanwhile', true, 0],
])('a message whose body comes after its head %s', async (_what, isRevokedMeanwhile, messages) => {
  let verified = 0;
  let isRevoked = false;
  let answered = 0;
  const { log } = captureLog();
  const app = express().use(
    createRequestLog({ log }),
    createMcpRouter({
      verifyUserToken(projectId) {
        verified += 1;
        if (isRevoked) throw new HttpError('token_revoked');
        return { projectId, subject: 'ada', mandate: undefined };
      },
      challengeOf: () => 'Bearer',
      isAllowedOrigin: () => false,
      async answerMcp() {
        answered += 1;
        return new Response('{}');
      },
    }),
    createErrorHandler({ publicUrl: 'http://gateway.test', log }),
  );
  const server = http.createServer(app);
  const headers = { authorization: 'Bearer token', 'content-type': 'application/json' };
  const path = `/projects/${newId()}/mcp`;
  const call = http.request({ port: await listen(server), method: 'POST', path, headers });
  const response = once(call, 'response');
  call.write('{"jsonrpc":"2.0",');
  await until(() => verified === 1);
  isRevoked = isRevokedMeanwhile;
  call.end('"id":1,"method":"tools/list"}');
  const [answer] = await response;
  answer.resume();
  await closeServer(server);
  expect([answer.statusCode, answered]).toEqual([isRevokedMeanwhile ? 401 : 200, messages]);
});

it.each([
  ['of the usual form', 'application/json'],
  ['of another form', 'application/json; charset=utf-8'],
])('a call %s whose client leaves while its token is verified is not carried out', async (_what, type) => {
  const { log } = captureLog();
  const verified = Promise.withResolvers<void>();
  let verifications = 0;
  let calls = 0;
  const door = {
    async verifyUserToken(projectId: string) {
      verifications += 1;
      await verified.promise;
      return { projectId, subject: 'ada', mandate: undefined };
    },
    challengeOf: () => 'Bearer',
    isAllowedOrigin: () => false,
    async answerMcp() {
      calls += 1;
      return new Response('{}');
    },
  };
  const quickDoor = createQuickDoor({
    ...door,
    async runTool() {
      calls += 1;
      return { content: [], structuredContent: {} };
    },
    knownMetas: createKnownMetas(),
    requestLog: { log },
    publicUrl: 'http://gateway.test',
    log,
    networkOf: () => '127.0.0.1',
    watchProxies: () => undefined,
  });
  const app = express().use(createRequestLog({ log }), createMcpRouter(door));
  let isLeft = false;
  const server = http.createServer((request, response) => {
    response.on('close', () => {
      isLeft = true;
    });
    quickDoor(request, response, () => app(request, response));
  });
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'write', arguments: { provider: 'notes', path: '/', method: 'POST' } },
  });
  const headers = {
    authorization: 'Bearer token',
    accept: 'application/json, text/event-stream',
    'content-type': type,
    'content-length': body.length,
    'mcp-protocol-version': '2025-11-25',
  };
  const path = `/projects/${newId()}/mcp`;
  const address = { port: await listen(server), method: 'POST', path, headers };
  const left = http.request(address);
  left.on('error', () => undefined);
  left.end(body);
  await until(() => verifications === 1);
  left.destroy();
  await until(() => isLeft);
  verified.resolve();
  const next = http.request(address);
  next.end(body);
  const [answer] = await once(next, 'response');
  answer.resume();
  await closeServer(server);
  expect([answer.statusCode, calls]).toEqual([200, 1]);
});
