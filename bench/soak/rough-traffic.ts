import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { callApi, callApiOk } from '../../test/support/gateway.ts';
import { authorize, CONTACTS, PROVIDER, type Stage, startConnectSession } from '../../test/support/stage.ts';
import type { Kind } from './kinds.ts';

const REVISION = '2025-11-25';
const LEFT_AFTER_MS_MAX = 20;
const ANNOUNCED_BYTES = 9_000_000;
const SENT_BYTES = 200_000;

/** What callers do that do not behave, and what is begun and never ended: each leaves something behind where the gateway forgets it. */
export function listRough(stage: Stage): Kind[] {
  const { gateway, project } = stage;
  const proxied = `/projects/${project.id}/proxy/${PROVIDER}`;
  const path = `${proxied}${CONTACTS}?limit=1`;
  const tokenOf = (userId: string, claims: object = {}) =>
    project.userToken(userId, { expiresInSeconds: 60, claims: { ...claims } });
  const user = (index: number) => `user-${index % 20}`;
  const expect = async (status: number, method: string, url: string, bearer: string, body?: object) => {
    const answer = await callApi(gateway.url, method, url, { bearer, body });
    if (answer.status !== status)
      throw new Error(`${method} ${url} gave ${answer.status}: ${answer.text.slice(0, 300)}`);
  };
  const head = (method: string, url: string, token: string, more = '') =>
    `${method} ${url} HTTP/1.1\r\nHost: soak\r\nAuthorization: Bearer ${token}\r\n${more}\r\n`;

  return [
    [
      'tokens that are used once',
      200,
      (index) => expect(200, 'GET', path, tokenOf(user(index), { jti: randomUUID() })),
    ],
    [
      'refused tokens',
      500,
      (index) =>
        expect(401, 'GET', path, `${tokenOf(user(index), { jti: randomUUID() }).slice(0, -6)}AAAAAA`),
    ],
    [
      'users who have connected nothing',
      1_000,
      () => expect(404, 'GET', path, tokenOf(`stranger-${randomUUID()}`)),
    ],
    [
      'paths that are used once',
      500,
      (index) => expect(404, 'GET', `${proxied}/${randomUUID()}`, tokenOf(user(index))),
    ],
    ['callers who leave', 500, (index) => leave(gateway.port, head('GET', path, tokenOf(user(index))))],
    [
      'bodies that end in the middle',
      2_000,
      (index) => {
        const announced = `Content-Type: application/json\r\nContent-Length: ${ANNOUNCED_BYTES}\r\n`;
        const sent = head('POST', `${proxied}${CONTACTS}/search`, tokenOf(user(index)), announced);
        return leave(gateway.port, sent + 'x'.repeat(SENT_BYTES));
      },
    ],
    [
      'connects that are left',
      5_000,
      async () => void (await startConnectSession(stage, `gone-${randomUUID()}`)),
    ],
    [
      'connects that are not completed',
      10_000,
      async () => {
        const { url } = await startConnectSession(stage, `gone-${randomUUID()}`);
        await authorize(stage, url);
      },
    ],
    ['sessions of agents', 2_000, (index) => openAgent(gateway.url, project.id, tokenOf(user(index)))],
  ];
}

/** Sends the bytes and closes the connection shortly after, whatever has come until then. */
function leave(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('data', () => undefined);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') reject(error);
    });
    socket.once('close', () => resolve());
    socket.write(bytes, () => setTimeout(() => socket.destroy(), Math.random() * LEFT_AFTER_MS_MAX));
  });
}

async function openAgent(url: string, projectId: string, bearer: string): Promise<void> {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': REVISION };
  const send = (id: number, method: string, params: object) =>
    callApiOk(url, 'POST', `/projects/${projectId}/mcp`, {
      bearer,
      headers,
      body: { jsonrpc: '2.0', id, method, params },
    });
  const clientInfo = { name: 'soak', version: '1' };
  await send(1, 'initialize', { protocolVersion: REVISION, capabilities: {}, clientInfo });
  await send(2, 'tools/list', {});
}
