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
