import { connect } from 'node:net';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { PREFIX, USER_TOKEN } from '../support/proxy-harness.ts';
import { closeStage, startStage } from '../support/proxy-stage.ts';
import { until } from '../support/until.ts';
import { untilClosed } from '../support/until-closed.ts';
import { okAnswer } from '../support/upstream.ts';

/** Sends bytes in one piece and gathers what comes until the gateway closes the connection. */
async function tell(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.write(Buffer.from(bytes, 'latin1'));
  await untilClosed(socket);
  return Buffer.concat(received).toString('latin1');
}

/** Requests that are refused and whose connection is closed, by what is wrong with them. */
const CLOSING: Readonly<Record<string, (target: string, fields: string) => string>> = {
  'a transfer coding in HTTP/1.0': (target, fields) =>
    `POST ${target} HTTP/1.0\r\nHost: g\r\nTransfer-Encoding: chunked\r\n${fields}\r\n0\r\n\r\n`,
  'two Hosts': (target, fields) => `GET ${target} HTTP/1.1\r\nHost: g\r\nHost: h\r\n${fields}\r\n`,
  'a Host that is none': (target, fields) => `GET ${target} HTTP/1.1\r\nHost: a/b\r\n${fields}\r\n`,
  'another version': (target, fields) => `GET ${target} HTTP/2.0\r\nHost: g\r\n${fields}\r\n`,
};
const ROUNDS = 10;

describe('what stands behind a refusal that closes the connection', () => {
  afterEach(closeStage);

  const token = `Authorization: Bearer ${USER_TOKEN}\r\n`;
  const behind = (method: string, name: string) =>
    `${method} ${PREFIX}/${name} HTTP/1.1\r\nHost: g\r\n${token}Content-Length: 0\r\n\r\n`;

  it.each(
    Object.keys(CLOSING).flatMap((fault) => [
      ['at once', fault] as const,
      ['after a look-up', fault] as const,
    ]),
  )('never reaches a provider (decided %s: %s)', async (when, fault) => {
    const { upstream, gateway } = await startStage(okAnswer('ok'), {
      ...(when === 'after a look-up' && {
        deps: {
          callerCredentials: () => new Promise((resolve) => setTimeout(resolve, 5, [])),
        },
      }),
    });
    const refused = CLOSING[fault]?.(`${PREFIX}/refused`, token) ?? '';
    for (let round = 0; round < ROUNDS; round += 1) {
      const answer = await tell(gateway.port, refused + behind('GET', 'behind') + behind('POST', 'behind'));
      expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual([expect.stringMatching(/ (400|505)$/)]);
      expect(answer).toMatch(/^connection: close\r$/im);
    }
    const last = await gateway.call('GET', '/last');
    expect(last.status).toBe(200);
    expect(upstream.requests.map(({ requestLine }) => requestLine)).toEqual(['GET /last HTTP/1.1']);
  });

  it('is begun in its turn where the connection stays', async () => {
    const { upstream, gateway } = await startStage(okAnswer('ok'));
    const missing = `GET ${PREFIX}/first HTTP/1.1\r\nHost: g\r\n\r\n`;
    const closing = `GET ${PREFIX}/last HTTP/1.1\r\nHost: g\r\n${token}Connection: close\r\n\r\n`;
    const answer = await tell(
      gateway.port,
      missing + behind('GET', 'second') + behind('POST', 'third') + closing + behind('GET', 'never'),
    );
    expect(answer.match(/HTTP\/1\.1 \d{3}/g)).toEqual(['HTTP/1.1 401', ...Array(3).fill('HTTP/1.1 200')]);
    expect(upstream.requests.map(({ requestLine }) => requestLine)).toEqual([
      'GET /second HTTP/1.1',
      'POST /third HTTP/1.1',
      'GET /last HTTP/1.1',
    ]);
  });
});

describe('at a whole gateway', () => {
  let gateway: Gateway;
  let project: Project;
  beforeAll(async () => {
    gateway = await startGateway();
    project = await provision(gateway);
  });
  afterAll(() => gateway.stop());

  it.each(Object.keys(CLOSING))('a write of the API behind a refusal is not made: %s', async (fault) => {
    const body = JSON.stringify({ name: 'smuggled' });
    const fields = `Authorization: Bearer ${project.personalAccessToken}\r\n`;
    const write = `POST /v1/projects HTTP/1.1\r\nHost: g\r\n${fields}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const refused = CLOSING[fault]?.('/v1/projects', fields) ?? '';
    for (let round = 0; round < ROUNDS; round += 1) {
      expect((await tell(gateway.port, refused + write)).match(/HTTP\/1\.1 \d{3}/g)).toHaveLength(1);
    }
    const { projects } = await callApiOk(gateway.url, 'GET', '/v1/projects', {
      bearer: project.personalAccessToken,
    });
    expect(projects).toHaveLength(1);
  });

  it('malformed requests leave no line of level error', async () => {
    const id = project.id;
    const targets = [
      '/',
      '/docs',
      '/sign-in',
      '/v1/projects',
      '/connect/x',
      '/oauth/callback',
      `/webhooks/${id}`,
      `/projects/${id}/proxy/x/y`,
    ];
    const lines = [
      'Transfer-Encoding: identity',
      'Transfer-Encoding: chunked, identity',
      'Content-Length: -1',
    ];
    const messages = targets.flatMap((target) => [
      ...lines.map((line) => `GET ${target} HTTP/1.1\r\nHost: g\r\n${line}\r\n\r\nx\r\n\r\n`),
      `GET ${target} HTTP/9.9\r\nHost: g\r\n\r\n`,
      `GET ${target} HTTP/2.0\r\nHost: g\r\n\r\n`,
      `GET ${target} HTTP/1.1\nHost: g\n\n`,
      ...Object.values(CLOSING).map((message) => message(target, '')),
    ]);
    for (const message of messages)
      expect(await tell(gateway.port, message)).toMatch(/^HTTP\/1\.1 [45]\d\d /);
    const marker = `/v1/projects/${project.id}`;
    await callApiOk(gateway.url, 'GET', marker, { bearer: project.apiKey });
    await until(() => gateway.logs().includes('"route":"/v1/projects/{projectId}"'));
    const errors = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes('"level":"error"') || line.includes('"level":"fatal"'));
    expect(errors).toEqual([]);
  });
});
