import { createCatalogDir } from '../../test/support/catalog-dir.ts';
import { callApiOk, type Project } from '../../test/support/gateway.ts';
import { createEncryptionKey } from '../../test/support/gateway-environment.ts';
import { plainProviderFile } from '../../test/support/held-provider.ts';
import { findFreePort } from '../../test/support/ports.ts';
import { createTestDatabase, type TestDatabase } from '../../test/support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../test/support/spawn-gateway.ts';
import { until } from '../../test/support/until.ts';
import { type OwnServer, startNats, startValkey } from '../servers.ts';
import { connectUser, USER } from './connected-user.ts';
import { isShed, startCountingProvider } from './steady-load.ts';

const PER_MINUTE = 240;
const REPLICAS = 3;
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

type Stage = {
  readonly replicas: SpawnedGateway[];
  /** Where their metrics are. */
  readonly metricsUrls: string[];
  readonly project: Project;
  readonly database: TestDatabase;
};

/** Replicas of one installation, whose users may make so many calls a minute, and one connected user. */
async function startReplicas(env: Record<string, string>): Promise<Stage> {
  const database = await createTestDatabase();
  const provider = await startCountingProvider();
  const catalog = await createCatalogDir({ counting: plainProviderFile('counting', provider.url) });
  const shared = { ENCRYPTION_KEYS: createEncryptionKey(), RATE_LIMIT_PROXY_PER_MINUTE: String(PER_MINUTE) };
  cleanUps.push(
    () => database.drop(),
    provider.close,
    () => catalog.remove(),
  );
  const replicas: SpawnedGateway[] = [];
  const metricsUrls: string[] = [];
  for (let count = 0; count < REPLICAS; count += 1) {
    const metricsPort = String(await findFreePort());
    metricsUrls.push(`http://127.0.0.1:${metricsPort}/metrics`);
    const gateway = await spawnGateway({
      databaseUrl: database.url,
      catalogDir: catalog.path,
      env: { ...shared, ...env, METRICS_PORT: metricsPort },
    });
    replicas.push(gateway);
    cleanUps.push(() => gateway.stop().catch(() => undefined));
  }
  const [first] = replicas;
  if (first === undefined) throw new Error('no replica');
  return { replicas, metricsUrls, project: await connectUser(first, 'counting'), database };
}

/** Statuses of calls of a user at one replica. */
async function call(
  gateway: SpawnedGateway | undefined,
  project: Project,
  count: number,
  token = project.userToken(USER),
) {
  const url = `${gateway?.url}/projects/${project.id}/proxy/counting/things`;
  const headers = { authorization: `Bearer ${token}` };
  return Promise.all(
    Array.from({ length: count }, async () => {
      let outcome = '';
      do {
        const response = await fetch(url, { headers });
        outcome = `${response.status} ${await response.text()}`;
      } while (isShed(outcome));
      return Number.parseInt(outcome, 10);
    }),
  );
}

const countOk = (statuses: readonly number[]): number => statuses.filter((status) => status === 200).length;

/** Another user of the project, with a connection of the same integration. */
async function connectAnother({ replicas, project }: Stage, userId: string): Promise<void> {
  const url = replicas[0]?.url ?? '';
  const bearer = project.apiKey;
  const { integrations } = await callApiOk(url, 'GET', '/v1/integrations', { bearer });
  await callApiOk(url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId: integrations[0].id, userId, credentials: { accessToken: 'other-token' } },
  });
}

/** Until every replica has seen the others. */
async function untilShared({ metricsUrls }: Stage): Promise<void> {
  for (const url of metricsUrls)
    await until(async () => (await (await fetch(url)).text()).includes(`\ngateway_processes ${REPLICAS}\n`));
}

describe.each([
  ['Postgres', async (): Promise<Record<string, string>> => ({})],
  [
    'Valkey',
    async (): Promise<Record<string, string>> => {
      const valkey = await startValkey();
      if (valkey === undefined) throw new Error('neither valkey-server nor redis-server is installed');
      cleanUps.push(valkey.kill);
      return { VALKEY_URL: valkey.url };
    },
  ],
])('three replicas that share limits by %s', (_name, prepare) => {
  it('let a user make no more calls than the limit, none of them starves, and other users are not held up', async () => {
    const stage = await startReplicas(await prepare());
    const { replicas, project } = stage;
    await untilShared(stage);
    const other = project.userToken('ada');
    await connectAnother(stage, 'ada');
    const startedAt = performance.now();
    const allowed = Array<number>(REPLICAS).fill(0);
    const others: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const rounds = await Promise.all(replicas.map((replica) => call(replica, project, 15)));
      for (const [index, statuses] of rounds.entries())
        allowed[index] = (allowed[index] ?? 0) + countOk(statuses);
      others.push(...(await call(replicas[round % REPLICAS], project, 2, other)));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const sum = allowed.reduce((total, count) => total + count, 0);
    // The limit fills again while the calls go on; three calls were made before.
    expect(sum).toBeLessThanOrEqual(PER_MINUTE + Math.ceil((seconds * PER_MINUTE) / 60));
    expect(sum).toBeGreaterThan(PER_MINUTE * 0.8);
    expect(Math.min(...allowed)).toBeGreaterThan(10);
    expect(countOk(others)).toBe(others.length);
  });

  it('go on with what a killed one had set aside', async () => {
    const stage = await startReplicas(await prepare());
    const { replicas, project } = stage;
    await untilShared(stage);
    const [first, second, third] = replicas;
    await call(first, project, 60);
    await first?.kill();
    await until(async () => countOk(await call(second, project, 10)) > 0);
    const rest = countOk((await Promise.all([call(second, project, 150), call(third, project, 150)])).flat());
    expect(rest).toBeGreaterThan(80);
  });
});

it('calls go on while Valkey is away, by shares, and the limit holds again when it is back', async () => {
  const valkey = (await startValkey()) as OwnServer;
  cleanUps.push(valkey.kill);
  const stage = await startReplicas({ VALKEY_URL: valkey.url });
  const { replicas, project } = stage;
  await untilShared(stage);
  await valkey.kill();
  for (const replica of replicas) {
    const allowed = countOk(await call(replica, project, 120));
    expect(allowed).toBeGreaterThan(0);
    expect(allowed).toBeLessThanOrEqual(PER_MINUTE / REPLICAS + 20);
  }
  await valkey.start();
  await until(() => replicas.every((replica) => replica.logs().includes('shared limits are back')));
  const sum = countOk((await Promise.all(replicas.map((replica) => call(replica, project, 60)))).flat());
  expect(sum).toBeLessThan(60);
});

describe.each([
  ['Valkey', startValkey, 'VALKEY_URL'],
  ['NATS', startNats, 'NATS_URL'],
])('changes that %s carries', (_name, startServer, variable) => {
  it('reach every replica, also while it is away and after it is back', async () => {
    const server = (await startServer()) as OwnServer;
    cleanUps.push(server.kill);
    const stage = await startReplicas({ [variable]: server.url, RATE_LIMIT_PROXY_PER_MINUTE: '100000' });
    const { replicas, project, database } = stage;
    const isRelayed = async (): Promise<boolean> => {
      const { rows } = await database.knex.raw('SELECT relayed_until > now() AS yes FROM change_carrier');
      return rows[0]?.yes === true;
    };
    await until(isRelayed);
    await expectRevocationsToArrive(replicas, project);
    expect((await database.knex('change_notices').count())[0]?.count).toBe(0);

    await server.kill();
    await expectRevocationsToArrive(replicas, project);
    await until(async () => !(await isRelayed()));
    await expectRevocationsToArrive(replicas, project);

    await server.start();
    await until(isRelayed);
    await expectRevocationsToArrive(replicas, project);
  });
});

/** A user is warm at every replica, is revoked at one, and refused by all soon. */
async function expectRevocationsToArrive(replicas: SpawnedGateway[], project: Project): Promise<void> {
  const token = project.userToken(USER);
  for (const replica of replicas) expect(countOk(await call(replica, project, 2, token))).toBe(2);
  const bearer = project.personalAccessToken;
  const made = await callApiOk(replicas[0]?.url ?? '', 'POST', `/v1/projects/${project.id}/revocations`, {
    bearer,
    body: { everyone: true },
  });
  for (const replica of replicas)
    await until(async () => (await call(replica, project, 1, token))[0] === 401);
  await callApiOk(replicas[0]?.url ?? '', 'DELETE', `/v1/projects/${project.id}/revocations/${made.id}`, {
    bearer,
  });
  for (const replica of replicas)
    await until(async () => (await call(replica, project, 1, token))[0] === 200);
}
