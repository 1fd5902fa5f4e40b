import { createServer } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { createKafkaSender } from '../../src/events/sending/kafka-sender.ts';
import type { KafkaTarget } from '../../src/events/sending/sender.ts';
import { createSigningSecret } from '../../src/events/sending/standard-webhooks.ts';
import { createLookup, type ResolveName } from '../../src/platform/address-guard.ts';
import { createResolver } from '../../src/platform/resolver.ts';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import {
  type BrokerOptions,
  KAFKA_ERRORS,
  type KafkaBroker,
  startKafkaBroker,
} from '../support/kafka-broker.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';

const secrets = [createSigningSecret()];
const message = {
  id: '01890000-0000-7000-8000-000000000001',
  contentType: 'application/json',
  body: '{"a":1}',
  key: '01890000-0000-7000-8000-00000000000c',
  secrets,
};
const NEVER = new AbortController().signal;
const USER = { name: 'gate,way=1', password: 'korrekt-Pferd-ü' };

const closings: (() => unknown)[] = [];
let count = 0;

async function brokerWith(options?: BrokerOptions): Promise<KafkaBroker> {
  const broker = await startKafkaBroker(options);
  closings.push(broker.close);
  return broker;
}

function senderBy(
  options: { allowPrivateNetworks?: boolean; resolveName?: ResolveName; attemptLimitMs?: number } = {},
) {
  const { allowPrivateNetworks = true, resolveName = createResolver(), attemptLimitMs = 10_000 } = options;
  const lookup = createLookup(resolveName, allowPrivateNetworks);
  const sender = createKafkaSender({ lookup, allowPrivateNetworks, now: Date.now, attemptLimitMs });
  closings.push(sender.stop);
  return sender;
}

function targetAt(brokers: string | readonly string[], changes: Partial<KafkaTarget> = {}) {
  count += 1;
  const kafka = { brokers: [brokers].flat(), topic: 'events', tls: null, sasl: null, ...changes };
  return { key: `destination ${count}`, url: 'kafka://…/events', kafka };
}

const saslBy = (mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512', password = USER.password) => ({
  sasl: { mechanism, username: USER.name, password },
});

afterAll(async () => {
  for (const close of closings.toReversed()) await close();
});

describe('what is sent', () => {
  it('is the body and the signed headers of HTTP, which the library of Standard Webhooks verifies', async () => {
    const broker = await brokerWith();
    const sent = await senderBy().send(targetAt(broker.address), message, NEVER);
    expect(sent).toEqual({
      answer: expect.stringMatching(/^partition \d, offset 0$/),
      durationMs: expect.any(Number),
    });
    const [record] = broker.records;
    expect(record).toMatchObject({ topic: 'events', key: message.key, value: message.body });
    expect(record?.headers['content-type']).toBe('application/json');
    expect(new Webhook(secrets[0] ?? '').verify(record?.value ?? '', record?.headers ?? {})).toEqual({
      a: 1,
    });
    expect([...broker.acks]).toEqual([-1]);
  });

  it('has its partition by its key, as other producers would have it', async () => {
    const broker = await brokerWith({ topics: { events: 12 } });
    const sender = senderBy();
    const target = targetAt(broker.address);
    for (const key of ['a', 'b', 'a', 'c', 'b', 'a']) await sender.send(target, { ...message, key }, NEVER);
    const partitionsOf = (wanted: string) =>
      new Set(broker.records.filter(({ key }) => key === wanted).map(({ partition }) => partition));
    for (const key of ['a', 'b', 'c']) expect(partitionsOf(key).size).toBe(1);
    expect(broker.connections.size).toBeLessThanOrEqual(2);
  });

  it('is taken by brokers that want a password, over TLS, by each mechanism', async () => {
    const broker = await brokerWith({ tls: true, user: USER });
    for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
      const target = targetAt(broker.address, { tls: { ca: TEST_CERTIFICATE }, ...saslBy(mechanism) });
      expect(await senderBy().send(target, message, NEVER)).not.toHaveProperty('error');
    }
    expect(broker.records).toHaveLength(3);
  });

  it('goes on by other brokers of the list, and closes connections that nothing uses', async () => {
    const broker = await brokerWith();
    const gone = await brokerWith();
    await gone.close();
    const sent = await senderBy().send(targetAt([gone.address, broker.address]), message, NEVER);
    expect(sent).not.toHaveProperty('error');
    await until(() => broker.connections.size === 0);
  });

  it('finds a leader that has moved, within the attempt', async () => {
    const broker = await brokerWith();
    broker.refusals.push(KAFKA_ERRORS.notLeader);
    expect(await senderBy().send(targetAt(broker.address), message, NEVER)).not.toHaveProperty('error');
    expect(broker.records).toHaveLength(1);
  });
});

describe('a failure says what is wrong', () => {
  const failureOf = async (
    broker: Pick<KafkaBroker, 'address'>,
    changes: Partial<KafkaTarget> = {},
    options?: Parameters<typeof senderBy>[0],
  ) => {
    const sent = await senderBy(options).send(targetAt(broker.address, changes), message, NEVER);
    return { error: sent?.error, code: sent?.code, answer: sent?.answer };
  };

  it('of a wrong password, by each mechanism', async () => {
    const broker = await brokerWith({ user: USER });
    for (const mechanism of ['plain', 'scram-sha-256', 'scram-sha-512'] as const) {
      const failure = await failureOf(broker, saslBy(mechanism, 'wrong'));
      expect(failure).toMatchObject({ error: 'authentication_failed', code: 'SASL_AUTHENTICATION_FAILED' });
    }
    expect(broker.records).toEqual([]);
  });

  it('of a broker that wants the password hashed without end, which it is not', async () => {
    const broker = await brokerWith({ user: { ...USER, iterations: 2_000_000_000 } });
    expect(await failureOf(broker, saslBy('scram-sha-512'))).toMatchObject({
      error: 'authentication_failed',
    });
  });

  it('of brokers that know no password', async () => {
    const broker = await brokerWith();
    expect(await failureOf(broker, saslBy('plain'))).toMatchObject({ error: 'authentication_failed' });
  });

  it('of a topic that is not there', async () => {
    const broker = await brokerWith();
    const failure = await failureOf(broker, { topic: 'other' });
    expect(failure).toMatchObject({ error: 'topic_not_found', code: 'UNKNOWN_TOPIC_OR_PARTITION' });
  });

  it('of a message that the topic is too small for, and the next one arrives by the same connection', async () => {
    const broker = await brokerWith({ valueBytesMax: 10 });
    const sender = senderBy();
    const target = targetAt(broker.address);
    const large = await sender.send(target, { ...message, body: '{"a":"too long"}' }, NEVER);
    expect(large).toMatchObject({ error: 'message_too_large', code: 'MESSAGE_TOO_LARGE' });
    expect(await sender.send(target, message, NEVER)).not.toHaveProperty('error');
  });

  it('of replicas that are not enough, by Kafka’s own name', async () => {
    const broker = await brokerWith();
    broker.refusals.push(19, 19, 19);
    expect(await failureOf(broker)).toMatchObject({
      error: 'refused_by_receiver',
      code: 'NOT_ENOUGH_REPLICAS',
    });
  });

  it('of a broker that is away', async () => {
    const broker = await brokerWith();
    await broker.close();
    const failure = await failureOf(broker);
    expect(failure).toEqual({ error: 'connection_failed', code: 'ECONNREFUSED', answer: broker.address });
  });

  it('of a broker that never answers', async () => {
    const broker = await brokerWith();
    broker.isSilent = true;
    expect(await failureOf(broker, {}, { attemptLimitMs: 500 })).toMatchObject({ error: 'timeout' });
    await until(() => broker.connections.size === 0);
  });

  it.each([
    ['another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['a length below zero', Buffer.from([0xff, 0xff, 0xff, 0xfc, 0, 0, 0, 0])],
    ['a length too short', Buffer.from([0, 0, 0, 1, 7])],
    ['the start of gigabytes', Buffer.from([0x7f, 0xff, 0xff, 0xff, 0, 0])],
  ])('of a broker that says %s', async (_title, nonsense) => {
    const broker = await brokerWith();
    broker.nonsense = nonsense;
    expect(await failureOf(broker)).toMatchObject({ error: 'answer_invalid', answer: broker.address });
  });

  it.each([
    ['an answer that was not asked for', Buffer.from([0, 0, 0, 8, 0, 0, 9, 9, 0, 0, 0, 0])],
    ['an answer that ends early', Buffer.from([0, 0, 0, 6, 0, 0, 0, 0, 0, 0])],
    ['a list without end', Buffer.from([0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff])],
  ])('of a broker that says %s', async (_title, nonsense) => {
    const broker = await brokerWith();
    broker.nonsense = nonsense;
    const failure = await failureOf(broker, {}, { attemptLimitMs: 1_000 });
    expect(['answer_invalid', 'timeout']).toContain(failure.error);
  });

  it('of TLS with an authority that is not named, and of brokers without TLS', async () => {
    const broker = await brokerWith({ tls: true });
    const failure = await failureOf(broker, { tls: { ca: null } });
    expect(failure).toMatchObject({ error: 'tls_failed', code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const plain = createServer((socket) => socket.on('error', () => undefined).end('no TLS here'));
    const address = `127.0.0.1:${await listen(plain)}`;
    closings.push(() => plain.close());
    expect(await failureOf({ address }, { tls: { ca: null } })).toMatchObject({ error: 'tls_failed' });
  });

  it('of a name without an address', async () => {
    const failure = await failureOf({ address: 'broker.invalid:9092' });
    expect(failure).toMatchObject({ error: 'name_not_found', answer: 'broker.invalid:9092' });
  });
});

describe('addresses that are not public', () => {
  const GUARDED = { allowPrivateNetworks: false };

  it('are refused in the list of brokers, as literals and behind names', async () => {
    const broker = await brokerWith();
    const literal = await senderBy(GUARDED).send(targetAt(broker.address), message, NEVER);
    expect(literal).toMatchObject({ error: 'address_refused', answer: broker.address });
    const resolveName: ResolveName = (_name, callback) =>
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    const named = targetAt(`inside.example.com:${broker.port}`);
    const sent = await senderBy({ ...GUARDED, resolveName }).send(named, message, NEVER);
    expect(sent).toMatchObject({ error: 'address_refused' });
    expect(broker.requests).toEqual([]);
  });

  it.each(['127.0.0.1', '169.254.169.254', '10.0.0.7', 'localhost'])(
    'are refused where the cluster names %s, and no connection is made',
    async (host) => {
      const inside = createServer();
      const port = await listen(inside);
      closings.push(() => inside.close());
      let connections = 0;
      inside.on('connection', () => (connections += 1));
      const broker = await brokerWith({ advertised: { host, port } });
      // The first broker passes as public would, so that what it names is judged by itself.
      const lookup = createLookup(createResolver(), false);
      const guard = {
        lookup: (...[name, options, callback]: Parameters<typeof lookup>) =>
          name === 'public.example.com'
            ? callback(null, options.all ? [{ address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4)
            : lookup(name, options, callback),
        allowPrivateNetworks: false,
        now: Date.now,
        attemptLimitMs: 10_000,
      };
      const sender = createKafkaSender(guard);
      closings.push(sender.stop);
      const sent = await sender.send(targetAt(`public.example.com:${broker.port}`), message, NEVER);
      expect(sent).toMatchObject({ error: 'address_refused', answer: `${host}:${port}` });
      expect(connections).toBe(0);
      expect(broker.records).toEqual([]);
    },
  );
});

describe('an attempt', () => {
  it('that is given up because of the signal says nothing', async () => {
    const broker = await brokerWith();
    broker.isSilent = true;
    const ending = new AbortController();
    const sending = senderBy().send(targetAt(broker.address), message, ending.signal);
    await until(() => broker.connections.size > 0);
    ending.abort();
    expect(await sending).toBeUndefined();
    await until(() => broker.connections.size === 0);
  });

  it('that was given up is not made after all, once the brokers answer again', async () => {
    const broker = await brokerWith();
    const sender = senderBy();
    const target = targetAt(broker.address);
    await sender.send(target, message, NEVER);
    broker.isSilent = true;
    const ending = new AbortController();
    const sending = sender.send(target, { ...message, body: '"given up"' }, ending.signal);
    ending.abort();
    expect(await sending).toBeUndefined();
    await until(() => broker.connections.size === 0);
    broker.isSilent = false;
    await senderBy().send(targetAt(broker.address), { ...message, body: '"later"' }, NEVER);
    await until(() => broker.connections.size === 0);
    expect(broker.records.map(({ value }) => value)).toEqual([message.body, '"later"']);
  });

  it('after brokers that broke their connections makes new ones', async () => {
    const broker = await brokerWith();
    const sender = senderBy();
    const target = targetAt(broker.address);
    await sender.send(target, message, NEVER);
    broker.closeConnections();
    await until(async () => (await sender.send(target, message, NEVER))?.error === undefined);
  });
});
