import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { createKafkaSender } from '../../src/events/sending/kafka-sender.ts';
import { createSigningSecret } from '../../src/events/sending/standard-webhooks.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLookup } from '../../src/platform/address-guard.ts';
import { createResolver } from '../../src/platform/resolver.ts';
import { TEST_CERTIFICATE } from '../../test/support/certificate.ts';
import { KAFKA_CONSUMER } from '../../test/support/event-receivers.ts';
import { startKafkaBroker } from '../../test/support/kafka-broker.ts';
import { createTestDatabase } from '../../test/support/postgres.ts';
import { until } from '../../test/support/until.ts';

/** kcat is librdkafka: a client and a mock cluster of Kafka's protocol by other hands than those of the gateway's client. */
const TOPIC = 'events';
const COUNT = 500;
const KEYS = 7;

const secret = createSigningSecret();
const children: ChildProcess[] = [];
const closings: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closings.toReversed()) await close();
  for (const child of children.toReversed()) {
    if (child.exitCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'close');
  }
});

function start(command: string, parameters: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(command, parameters, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const printed = { out: '', log: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.log += text));
  return printed;
}

/** Three brokers within a kcat that reads the topic, and prints each record as a line of JSON. */
async function startCluster() {
  const parameters = ['-b', 'replaced', '-X', 'test.mock.num.brokers=3', '-d', 'mock'];
  const printed = start('kcat', [...parameters, '-C', '-t', TOPIC, '-J', '-u']);
  const addresses = /bootstrap\.servers=([\d.:,]+)/;
  await until(() => addresses.test(printed.log));
  const brokers = (addresses.exec(printed.log)?.[1] ?? '').split(',');
  return { brokers, read: () => readRecords(printed.out) };
}

type Line = {
  readonly partition: number;
  readonly key: string;
  readonly payload: string;
  readonly headers: readonly string[];
};

function readRecords(text: string) {
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => {
    const { partition, key, payload, headers }: Line = JSON.parse(line);
    const names = headers.filter((_, index) => index % 2 === 0);
    const fields = Object.fromEntries(names.map((name, index) => [name, headers[index * 2 + 1] ?? '']));
    return { partition, key, payload, fields };
  });
}

const createMessage = (at: number) => ({
  id: newId(),
  contentType: 'application/json',
  body: `{"at":${at},"n":12345678901234567890,"note":"Zoë"}`,
  key: `connection ${at % KEYS}`,
  secrets: [secret],
});

function createSender() {
  const lookup = createLookup(createResolver(), true);
  const sender = createKafkaSender({ lookup, allowPrivateNetworks: true, now: Date.now });
  closings.push(sender.stop);
  return sender;
}

describe('librdkafka', () => {
  it('reads each record once, in the order of its key, as signed, and so does the consumer of the documents', async () => {
    const cluster = await startCluster();
    const sender = createSender();
    const kafka = { brokers: cluster.brokers, topic: TOPIC, tls: null, sasl: null };
    const target = { key: 'a destination', url: 'kafka://…', kafka };
    const messages = Array.from({ length: COUNT }, (_, at) => createMessage(at));
    const never = new AbortController().signal;
    const sendKey = async (key: string) => {
      for (const message of messages.filter((one) => one.key === key))
        expect(await sender.send(target, message, never)).not.toHaveProperty('error');
    };
    await Promise.all([...new Set(messages.map(({ key }) => key))].map(sendKey));

    await until(() => cluster.read().length >= COUNT);
    const records = cluster.read();
    expect(records.map(({ fields }) => fields['webhook-id']).toSorted()).toEqual(
      messages.map(({ id }) => id).toSorted(),
    );
    for (const { payload, fields } of records)
      expect(new Webhook(secret).verify(payload, fields)).toHaveProperty('at');
    const byKey = Map.groupBy(records, ({ key }) => key);
    expect(byKey.size).toBe(KEYS);
    for (const [key, ofKey] of byKey) {
      expect(new Set(ofKey.map(({ partition }) => partition)).size).toBe(1);
      const sent = messages.filter((one) => one.key === key);
      expect(ofKey.map(({ payload }) => payload)).toEqual(sent.map(({ body }) => body));
    }

    const database = await createTestDatabase({ empty: true });
    closings.push(() => database.drop());
    await database.knex.raw('CREATE TABLE inbox (id text PRIMARY KEY, body text NOT NULL)');
    const [command = '', ...parameters] = KAFKA_CONSUMER;
    const printed = start(command, parameters, {
      KAFKA_BROKERS: cluster.brokers.join(','),
      KAFKA_TOPIC: TOPIC,
      EVENT_SECRETS: secret,
      DATABASE_URL: database.url,
    });
    await sender.send(target, { ...createMessage(0), secrets: [createSigningSecret()] }, never);
    await sender.send(target, messages[0] ?? createMessage(0), never);
    await until(
      () => printed.out.includes('not signed for us') && printed.out.split('stored ').length > COUNT,
    );
    const rows = await database.knex<{ id: string; body: string }>('inbox').orderBy('id');
    expect(rows).toEqual(
      messages.map(({ id, body }) => ({ id, body })).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    );
  });

  it('takes the broker of the tests for one, with TLS and each way to prove who it is', async () => {
    const user = { name: 'gateway', password: 'a password' };
    const broker = await startKafkaBroker({ tls: true, user });
    closings.push(broker.close);
    const folder = await mkdtemp(join(tmpdir(), 'kcat-'));
    closings.push(() => rm(folder, { recursive: true }));
    const [file, ca] = [join(folder, 'record'), join(folder, 'ca.pem')];
    await writeFile(file, '{"a":1}');
    await writeFile(ca, TEST_CERTIFICATE);
    for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512']) {
      const settings = {
        'security.protocol': 'SASL_SSL',
        'sasl.mechanism': mechanism,
        'sasl.username': user.name,
        'sasl.password': user.password,
        'ssl.ca.location': ca,
      };
      const given = Object.entries(settings).flatMap(([name, value]) => ['-X', `${name}=${value}`]);
      const parameters = [
        '-b',
        broker.address,
        ...given,
        '-P',
        '-t',
        TOPIC,
        '-k',
        mechanism,
        '-H',
        'a=b',
        file,
      ];
      await promisify(execFile)('kcat', parameters);
    }
    expect(broker.records).toEqual(
      ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'].map((key) =>
        expect.objectContaining({ topic: TOPIC, key, value: '{"a":1}', headers: { a: 'b' } }),
      ),
    );
  });
});
