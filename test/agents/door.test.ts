import { once } from 'node:events';
import http from 'node:http';
import express from 'express';
import { createMcpRouter } from '../../src/agents/mcp.router.ts';
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
