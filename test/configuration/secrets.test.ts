import { randomBytes } from 'node:crypto';
import { dumpDatabase, findLeaks } from '../support/leaks.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { type ConfigurationStage, FILE, startConfigurationStage } from './configuration-stage.ts';

const COUNT = 50;

let database: TestDatabase;
let stage: ConfigurationStage;
const planted = new Map<string, string>();

beforeAll(async () => {
  database = await createTestDatabase();
  const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  stage = await startConfigurationStage({
    databaseUrl: database.url,
    env: { ENCRYPTION_KEYS, LOG_LEVEL: 'trace' },
  });
});
afterAll(async () => {
  await stage?.gateway.stop();
  await database?.drop();
});

const plant = (name: string) => {
  const value = `planted-${name}-${randomBytes(12).toString('hex')}`;
  planted.set(`${name} ${planted.size}`, value);
  return value;
};

it('fifty secrets of a file stand neither in the store, nor in logs, nor in any answer', async () => {
  const [integration] = FILE.integrations;
  const integrations = Array.from({ length: COUNT }, (_, at) => ({
    ...integration,
    name: `crm-${at}`,
    clientSecret: `\${env:SECRET_${at}}`,
  }));
  const file = { version: 1, integrations };
  const fill = (round: string) =>
    Object.fromEntries(integrations.map((_, at) => [`SECRET_${at}`, plant(`${round}${at}`)]));
  const first = fill('first');
  const second = fill('second');
  const answers: string[] = [];
  const keep = async (answer: Promise<{ readonly status: number; readonly text: string }>, status = 200) => {
    const { status: given, text } = await answer;
    answers.push(text);
    expect([given, given === status ? '' : text]).toEqual([status, '']);
  };
  const { api } = stage;
  await keep(api.plan(file, { secrets: first }));
  await keep(api.apply(file, { secrets: first }));
  await keep(api.plan(file, { secrets: second }));
  await keep(api.apply(file, { secrets: second }));
  await keep(api.drift());
  await keep(api.drift({ configuration: file, secrets: first }));
  await keep(api.export());
  await keep(api.get('/v1/activity?limit=200'));
  await keep(api.get('/v1/integrations?limit=200'));
  // What is refused is repeated to nobody either.
  const inPlain = integrations.map((one) => ({ ...one, clientSecret: plant('plain') }));
  await keep(api.plan({ integrations: inPlain }), 400);
  await keep(api.plan(`integrations:\n  - clientSecret: "${plant('broken')}\n`), 400);
  const misplaced = { ...integration, serviceProvider: `\${env:MISPLACED}` };
  await keep(api.plan({ integrations: [misplaced] }, { secrets: { MISPLACED: plant('misplaced') } }), 400);
  const places = [
    { where: 'the store', text: await dumpDatabase(database.knex) },
    { where: 'the log', text: stage.gateway.logs() },
    ...answers.map((text, at) => ({ where: `answer ${at}`, text })),
  ];
  expect(places.map(({ text }) => text.length).every((length) => length > 100)).toBe(true);
  expect(
    places.flatMap(({ where, text }) => findLeaks(text, planted).map((name) => `${name} in ${where}`)),
  ).toEqual([]);
});

it('the password of a topic stands in none of them either, and follows the file', async () => {
  const { api } = stage;
  const kafka = {
    brokers: ['broker.example.com:9093'],
    topic: 'events',
    sasl: { mechanism: 'plain', username: 'gateway', password: `\${env:KAFKA_PASSWORD}` },
  };
  const file = (changes: object = {}) => ({
    version: 1,
    destinations: [{ name: 'stream', kind: 'kafka', kafka: { ...kafka, ...changes }, types: ['*'] }],
  });
  const secretsBy = (name: string) => ({ secrets: { KAFKA_PASSWORD: plant(name) } });
  const first = secretsBy('kafka-first');
  const applied = await api.apply(file(), first);
  expect([applied.status, applied.status === 200 ? '' : applied.text]).toEqual([200, '']);
  const planned = async (configuration: object, more: object) =>
    (await api.plan(configuration, more)).body.changes.map(
      ({ action, fields }: { action: string; fields: { path: string }[] }) => [
        action,
        ...fields.map(({ path }) => path),
      ],
    );
  expect(await planned(file(), first)).toEqual([]);
  const second = secretsBy('kafka-second');
  expect(await planned(file(), second)).toEqual([['update', 'kafka.sasl.password']]);
  expect((await api.apply(file({ brokers: ['other.example.com:9093'] }), second)).status).toBe(200);
  expect(await planned(file({ brokers: ['other.example.com:9093'] }), second)).toEqual([]);
  const exported = (await api.export()).text;
  expect(exported).toContain(`"\${env:KAFKA_PASSWORD}"`);
  const asHttp = { version: 1, destinations: [{ name: 'stream', url: 'https://a.example/', types: ['*'] }] };
  expect((await api.plan(asHttp, {})).body.errors).toEqual([
    expect.objectContaining({ message: expect.stringContaining('The kind of a destination stays') }),
  ]);
  const inPlain = { sasl: { ...kafka.sasl, password: plant('kafka-plain') } };
  const refused = await api.plan(file(inPlain), {});
  expect(refused.status).toBe(400);
  const all = [await dumpDatabase(database.knex), stage.gateway.logs(), exported, refused.text];
  expect(all.flatMap((text) => findLeaks(text, planted))).toEqual([]);
});
