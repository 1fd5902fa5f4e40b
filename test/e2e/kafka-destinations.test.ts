import { Webhook } from 'standardwebhooks';
import { TEST_CERTIFICATE } from '../support/certificate.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { type KafkaBroker, startKafkaBroker } from '../support/kafka-broker.ts';
import { findLeaks } from '../support/leaks.ts';
import { until } from '../support/until.ts';

const USER = { name: 'gateway', password: 'the-password-of-the-brokers' };

let gateway: Gateway;
let project: Project;
let broker: KafkaBroker;
let integrationId: string;

beforeAll(async () => {
  gateway = await startGateway({ env: { LOG_LEVEL: 'trace' } });
  project = await provision(gateway);
  broker = await startKafkaBroker({ tls: true, user: USER, topics: { events: 6 } });
  const fields = { serviceProvider: 'hubspot', clientId: 'c', clientSecret: 's', scopes: ['oauth'] };
  ({ id: integrationId } = await apiOk('POST', '/integrations', fields));
});
afterAll(async () => {
  await gateway?.stop();
  await broker?.close();
});
beforeEach(() => {
  broker.records.length = 0;
});

const api = (method: string, path: string, body?: object) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });
const apiOk = (method: string, path: string, body?: object) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });

const topicOf = (changes: object = {}) => ({
  brokers: [broker.address],
  topic: 'events',
  tls: { ca: TEST_CERTIFICATE },
  sasl: { mechanism: 'scram-sha-512', username: USER.name, password: USER.password },
  ...changes,
});
const createDestination = (changes: object = {}, fields: object = {}) =>
  apiOk('POST', '/event-destinations', {
    kind: 'kafka',
    kafka: topicOf(changes),
    types: ['integration.updated'],
    ...fields,
  });

let changes = 0;
const changeIntegration = () => {
  changes += 1;
  return apiOk('PATCH', `/integrations/${integrationId}`, { clientId: `client ${changes}` });
};

describe('a topic of Kafka', () => {
  it('receives what happens, signed and keyed, and its password is shown nowhere', async () => {
    const { secret, ...made } = await createDestination();
    const path = `/event-destinations/${made.id}`;
    expect(made).toMatchObject({
      kind: 'kafka',
      url: `kafka://${broker.address}/events`,
      kafka: { topic: 'events', sasl: { mechanism: 'scram-sha-512', username: USER.name } },
    });
    expect(await apiOk('GET', path)).toEqual(made);
    const tested = await apiOk('POST', `${path}/test`);
    expect(tested).toMatchObject({
      delivered: true,
      status: null,
      answer: expect.stringMatching(/^partition \d, offset 0$/),
    });
    await changeIntegration();
    await until(() => broker.records.length === 2);
    const [test, event] = broker.records;
    expect(new Webhook(secret).verify(test?.value ?? '', test?.headers ?? {})).toMatchObject({
      id: tested.eventId,
    });
    expect(new Webhook(secret).verify(event?.value ?? '', event?.headers ?? {})).toMatchObject({
      id: event?.headers['webhook-id'],
      type: 'integration.updated',
    });
    expect(event?.key).toBe(project.id);
    await until(async () => (await apiOk('GET', path)).lastSuccessAt !== null);
    const shown = JSON.stringify([
      made,
      await apiOk('GET', '/event-destinations'),
      await apiOk('GET', `/activity?subjectId=${made.id}`),
      gateway.logs(),
    ]);
    expect(findLeaks(shown, new Map([['password', USER.password]]))).toEqual([]);
    await apiOk('POST', `${path}/disable`);
    expect((await api('DELETE', path)).status).toBe(204);
  });

  it('shows what is wrong with it, keeps what waits, and goes on once it is mended', async () => {
    const made = await createDestination({
      sasl: { mechanism: 'plain', username: USER.name, password: 'wrong' },
    });
    const path = `/event-destinations/${made.id}`;
    expect(await apiOk('POST', `${path}/test`)).toMatchObject({
      delivered: false,
      error: 'authentication_failed',
      code: 'SASL_AUTHENTICATION_FAILED',
    });
    await changeIntegration();
    await until(async () => (await apiOk('GET', path)).lastFailure === 'authentication_failed');
    const { deliveries } = await apiOk('GET', `/deliveries?destinationId=${made.id}`);
    expect(deliveries).toEqual([expect.objectContaining({ state: 'failed', lastStatus: null })]);
    expect((await apiOk('GET', '/deliveries/causes')).causes).toEqual([
      expect.objectContaining({ error: 'authentication_failed', failed: 1 }),
    ]);
    await apiOk('PATCH', path, {
      kafka: topicOf({ sasl: { mechanism: 'plain', username: USER.name, password: USER.password } }),
    });
    await apiOk('POST', `${path}/enable`);
    await until(() => broker.records.length === 1);
    expect(broker.records[0]?.headers['webhook-id']).toBe(deliveries[0].eventId);
    const replay = await apiOk('POST', `${path}/replay`, {
      from: new Date(Date.now() - 60_000).toISOString(),
    });
    expect(replay.id).toEqual(expect.any(String));
    await until(() => broker.records.length >= 2);
    await apiOk('DELETE', path);
  });

  it('says that the topic takes no message of this size, and counts as one that takes others', async () => {
    const narrow = await startKafkaBroker({ valueBytesMax: 20 });
    const made = await createDestination({ brokers: [narrow.address], tls: null, sasl: null });
    await changeIntegration();
    const read = () => apiOk('GET', `/event-destinations/${made.id}`);
    await until(async () => (await read()).lastFailure === 'message_too_large');
    expect(await read()).toMatchObject({ state: 'healthy', failingSince: null, queue: { waiting: 1 } });
    await apiOk('DELETE', `/event-destinations/${made.id}`);
    await narrow.close();
  });

  it('keeps its password where nothing but the topic changes, and wants it for other brokers', async () => {
    const made = await createDestination();
    const path = `/event-destinations/${made.id}`;
    const sasl = { mechanism: 'scram-sha-512', username: USER.name };
    const changed = await apiOk('PATCH', path, { kafka: topicOf({ topic: 'events.of-crm', sasl }) });
    expect(changed.kafka.topic).toBe('events.of-crm');
    expect(await apiOk('POST', `${path}/test`)).toMatchObject({ error: 'topic_not_found' });
    for (const other of [
      { brokers: ['127.0.0.1:1'], sasl },
      { tls: null, sasl },
      { tls: { ca: null }, sasl },
      { sasl: { ...sasl, username: 'another' } },
      { sasl: { ...sasl, mechanism: 'plain' } },
    ]) {
      const answer = await api('PATCH', path, { kafka: topicOf(other) });
      expect([answer.status, answer.body.code, answer.body.errors?.[0]?.path]).toEqual([
        422,
        'destination_kafka_invalid',
        'body.kafka.sasl.password',
      ]);
    }
    await apiOk('DELETE', path);
  });

  it('is refused where it is half of one kind and half of the other', async () => {
    const url = 'https://a.test/events';
    const types = ['*'];
    for (const body of [
      { types },
      { kind: 'kafka', types },
      { kind: 'kafka', url, kafka: topicOf(), types },
      { url, kafka: topicOf(), types },
      { kind: 'kafka', kafka: topicOf({ brokers: [] }), types },
      { kind: 'kafka', kafka: topicOf({ brokers: ['[::1]:9092'] }), types },
      { kind: 'kafka', kafka: topicOf({ brokers: ['a.test:70000'] }), types },
      { kind: 'kafka', kafka: topicOf({ topic: 'no/topic' }), types },
    ]) {
      const { status, body: problem } = await api('POST', '/event-destinations', body);
      expect([status, problem.code]).toEqual([400, 'invalid_request']);
    }
    const bad = await api('POST', '/event-destinations', {
      kind: 'kafka',
      kafka: topicOf({ tls: { ca: 'none' } }),
      types,
    });
    expect(bad.body.errors).toEqual([{ path: 'body.kafka.tls.ca', message: 'no certificate in PEM' }]);
    const topic = await createDestination();
    const http = await apiOk('POST', '/event-destinations', { url: 'http://127.0.0.1:9/', types });
    expect(http).toMatchObject({ kind: 'http', kafka: null });
    const crossed = await api('PATCH', `/event-destinations/${topic.id}`, { url });
    expect(crossed.body.code).toBe('destination_url_invalid');
    const other = await api('PATCH', `/event-destinations/${http.id}`, { kafka: topicOf() });
    expect(other.body.code).toBe('destination_kafka_invalid');
    for (const { id } of [topic, http]) await apiOk('DELETE', `/event-destinations/${id}`);
  });

  it('is refused at private brokers and without TLS, where private networks are not allowed', async () => {
    const strict = await startGateway({ env: { ALLOW_PRIVATE_NETWORKS: 'false' } });
    const { apiKey } = await provision(strict);
    const faultsOf = async (kafka: object) => {
      const body = { kind: 'kafka', kafka, types: ['*'] };
      const answer = await callApi(strict.url, 'POST', '/v1/event-destinations', { bearer: apiKey, body });
      expect([answer.status, answer.body.code]).toEqual([422, 'destination_kafka_invalid']);
      return answer.body.errors.map(({ path }: { path: string }) => path);
    };
    const brokers = ['broker.example.com:9093', '10.0.0.1:9093', 'localhost:9093'];
    expect(await faultsOf(topicOf({ brokers }))).toEqual(['body.kafka.brokers.1', 'body.kafka.brokers.2']);
    expect(await faultsOf(topicOf({ brokers: ['broker.example.com:9093'], tls: null }))).toEqual([
      'body.kafka.tls',
    ]);
    await strict.stop();
  });
});
