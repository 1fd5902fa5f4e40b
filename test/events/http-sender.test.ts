import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Dispatcher } from 'undici';
import { createHttpSender } from '../../src/events/sending/http-sender.ts';
import { createSigningSecret } from '../../src/events/sending/standard-webhooks.ts';
import { createLookup, type ResolveName } from '../../src/platform/address-guard.ts';
import { createDispatcher } from '../../src/platform/dispatcher.ts';
import { createHandshakeFailures } from '../../src/platform/handshake-failures.ts';
import { createResolver } from '../../src/platform/resolver.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { closeServer, listen } from '../support/listen.ts';
import { type Answer, type Receiver, reply, startReceiver } from '../support/receiver.ts';

const ATTEMPT_LIMIT_MS = 400;
const secrets = [createSigningSecret()];
const message = {
  id: '01890000-0000-7000-8000-000000000001',
  contentType: 'application/json',
  body: '{"a":1}',
  key: 'k',
};
const NEVER = new AbortController().signal;

let receiver: Receiver;
const dispatchers: Dispatcher[] = [];

function senderBy(options: { allowPrivateNetworks?: boolean; resolveName?: ResolveName } = {}) {
  const { allowPrivateNetworks = true, resolveName = createResolver() } = options;
  const dispatcher = createDispatcher({
    allowPrivateNetworks,
    maxSockets: 4,
    lookup: createLookup(resolveName, allowPrivateNetworks),
    failures: createHandshakeFailures(Date.now),
    idleTimeoutMs: 4_000,
  });
  dispatchers.push(dispatcher);
  return createHttpSender({ dispatcher, now: Date.now, attemptLimitMs: ATTEMPT_LIMIT_MS });
}

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  for (const dispatcher of dispatchers) await dispatcher.destroy();
  await receiver.close();
});

async function sendTo(url: string, options?: Parameters<typeof senderBy>[0]) {
  return senderBy(options).send(url, { ...message, secrets }, NEVER);
}

async function answeredBy(answer: Answer) {
  receiver.answer = answer;
  return sendTo(receiver.url);
}

describe('what is sent', () => {
  it('is verified by the library of Standard Webhooks with each of the secrets, and with no other one', async () => {
    const [older, newer, strange] = [createSigningSecret(), createSigningSecret(), createSigningSecret()];
    receiver.answer = reply(204);
    const sent = await senderBy().send(receiver.url, { ...message, secrets: [newer, older] }, NEVER);
    expect(sent).toEqual(expect.objectContaining({ status: 204, error: undefined }));
    const last = receiver.received.at(-1);
    const fields = {
      'webhook-id': String(last?.headers['webhook-id']),
      'webhook-timestamp': String(last?.headers['webhook-timestamp']),
      'webhook-signature': String(last?.headers['webhook-signature']),
    };
    for (const secret of [older, newer]) {
      expect(new Webhook(secret).verify(last?.body ?? '', fields)).toEqual({ a: 1 });
    }
    expect(() => new Webhook(strange).verify(last?.body ?? '', fields)).toThrow('No matching signature');
    expect(last?.headers).toEqual(
      expect.objectContaining({
        'content-type': 'application/json',
        'user-agent': 'integration-gateway',
        'webhook-id': message.id,
      }),
    );
  });
});

describe('an answer', () => {
  const LARGE = Buffer.alloc(1024 * 1024, 'x');
  const cases: readonly [string, Answer, object][] = [
    ['2xx is success', reply(202), { status: 202, error: undefined }],
    ['3xx is a failure', reply(307, { location: '/elsewhere' }), { status: 307, error: 'redirect' }],
    ['4xx is a failure', reply(404), { status: 404, error: 'refused_by_receiver' }],
    ['410 ends the destination', reply(410), { status: 410, error: 'gone' }],
    [
      'abort-message ends the message',
      reply(400, { 'webhook-delivery': 'abort-message' }),
      { status: 400, error: 'aborted_by_receiver' },
    ],
    [
      'abort-message ends the message with 2xx, too',
      reply(200, { 'webhook-delivery': 'abort-message' }),
      { status: 200, error: 'aborted_by_receiver' },
    ],
    [
      'abort-message with 410 ends the destination',
      reply(410, { 'webhook-delivery': 'abort-message' }),
      { status: 410, error: 'gone' },
    ],
    [
      'Retry-After in seconds is read',
      reply(429, { 'retry-after': '120' }),
      { error: 'refused_by_receiver', retryAfterMs: 120_000 },
    ],
    ['no answer at all is a timeout', () => undefined, { error: 'timeout' }],
    [
      'a head that drips is a timeout',
      (response) => {
        const { socket } = response;
        const timer = setInterval(() => socket?.write('H'), 50);
        socket?.once('close', () => clearInterval(timer)).on('error', () => undefined);
        socket?.write('HTTP/1.1 200 O');
      },
      { error: expect.stringMatching(/timeout|connection_failed/) },
    ],
    [
      'a body that drips forever does not undo its status',
      (response) => {
        response.writeHead(200).write('begun');
        const timer = setInterval(() => response.write('.'), 50);
        response.once('close', () => clearInterval(timer)).on('error', () => undefined);
      },
      { status: 200, error: undefined, answer: expect.stringMatching(/^begun/) },
    ],
    [
      'a connection that is reset is a failure',
      (_response, _received, request) => request.socket.resetAndDestroy(),
      { error: 'connection_failed' },
    ],
  ];
  it.each(cases)('%s', async (_title, answer, expected) => {
    expect(await answeredBy(answer)).toEqual(expect.objectContaining(expected));
  });

  it('asks for a pause by a date as well', async () => {
    const at = new Date(Date.now() + 3_600_000).toUTCString();
    const sent = await answeredBy(reply(503, { 'retry-after': at }));
    expect(sent?.retryAfterMs).toBeGreaterThan(3_500_000);
    expect(sent?.retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  it('of a gigabyte is cut after some kilobytes', async () => {
    let written = 0;
    const sent = await answeredBy((response) => {
      response.on('error', () => undefined).writeHead(500, { 'content-length': 1024 * LARGE.length });
      const more = () => {
        while (!response.destroyed && written < 1024 && response.write(LARGE)) written += 1;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(sent).toEqual(expect.objectContaining({ status: 500, answer: 'x'.repeat(1024) }));
    expect(written).toBeLessThan(64);
  });

  it('is never followed to where a redirect points', async () => {
    const before = receiver.received.length;
    await answeredBy(reply(302, { location: receiver.url }));
    expect(receiver.received.length).toBe(before + 1);
  });
});

describe('a destination that cannot be reached', () => {
  it('says that its name does not exist', async () => {
    expect(await sendTo('http://no-such-name.invalid/')).toEqual(
      expect.objectContaining({ error: 'name_not_found', code: 'ENOTFOUND' }),
    );
  });

  it('says that nothing listens there', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const sent = await sendTo(`http://127.0.0.1:${port}/`);
    expect(sent).toEqual(expect.objectContaining({ error: 'connection_failed', code: 'ECONNREFUSED' }));
  });

  it('says that its certificate is not trusted', async () => {
    const server = createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (_request, response) =>
      response.end(),
    );
    const port = await listen(server);
    const sent = await sendTo(`https://127.0.0.1:${port}/`);
    await closeServer(server);
    expect(sent).toEqual(expect.objectContaining({ error: 'tls_failed' }));
  });

  it('is refused at a private address, whether its URL or its name says so, and nothing reaches it', async () => {
    receiver.answer = reply(200);
    const before = receiver.received.length;
    const { port } = new URL(receiver.url);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '169.254.169.254']) {
      const sent = await sendTo(`http://${host}:${port}/`, { allowPrivateNetworks: false });
      expect([host, sent?.error]).toEqual([host, 'address_refused']);
    }
    expect(receiver.received.length).toBe(before);
  });

  it('is refused once its name resolves to a private address, also beside a public one', async () => {
    const answers = [['127.0.0.1'], ['203.0.113.7', '127.0.0.1'], ['10.0.0.1']];
    const before = receiver.received.length;
    const { port } = new URL(receiver.url);
    for (const addresses of answers) {
      const resolveName: ResolveName = (_name, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        );
      const sent = await sendTo(`http://rebinding.test:${port}/`, {
        allowPrivateNetworks: false,
        resolveName,
      });
      expect(sent?.error).toBe('address_refused');
    }
    expect(receiver.received.length).toBe(before);
  });

  it('tells nothing where the sender was stopped', async () => {
    receiver.answer = () => undefined;
    const stopping = new AbortController();
    const sending = senderBy().send(receiver.url, { ...message, secrets }, stopping.signal);
    stopping.abort();
    expect(await sending).toBeUndefined();
  });
});
