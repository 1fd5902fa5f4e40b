import { Agent } from 'undici';
import { createCatalogDir } from '../../test/support/catalog-dir.ts';
import { callApi } from '../../test/support/gateway.ts';
import { createEncryptionKey } from '../../test/support/gateway-environment.ts';
import { plainProviderFile } from '../../test/support/held-provider.ts';
import { spawnGateway } from '../../test/support/spawn-gateway.ts';
import { startTcpRelay } from '../../test/support/tcp-relay.ts';
import { until } from '../../test/support/until.ts';
import { connectUser, USER } from './connected-user.ts';
import { startReplicatedPostgres } from './replicated-postgres.ts';
import { startCountingProvider, startSteadyLoad } from './steady-load.ts';

const CALLS_PER_SECOND = 500;
const CONNECTIONS = 64;

it('a standby is promoted under load without a lost call, and what was written before is there', async () => {
  const postgres = await startReplicatedPostgres();
  const provider = await startCountingProvider();
  const catalog = await createCatalogDir({ counting: plainProviderFile('counting', provider.url) });
  // As a name that leads to another machine from one second to the next.
  const address = { host: '127.0.0.1', port: postgres.primaryPort };
  const relay = await startTcpRelay(address);
  const gateway = await spawnGateway({
    databaseUrl: `postgresql://gateway@127.0.0.1:${relay.port}/gateway`,
    catalogDir: catalog.path,
    env: { ENCRYPTION_KEYS: createEncryptionKey(), RATE_LIMIT_PROXY_PER_MINUTE: '1000000' },
  });
  const agent = new Agent({ connections: CONNECTIONS });
  try {
    const project = await connectUser(gateway, 'counting');
    const load = startSteadyLoad({
      dispatcher: agent,
      origin: gateway.url,
      path: `/projects/${project.id}/proxy/counting/things`,
      headers: { authorization: `Bearer ${project.userToken(USER)}` },
      callsPerSecond: CALLS_PER_SECOND,
    });
    const answered = () => load.outcomes.get('200') ?? 0;
    await until(async () => answered() > CALLS_PER_SECOND);
    const bearer = project.personalAccessToken;
    const rename = (name: string) =>
      callApi(gateway.url, 'PATCH', `/v1/projects/${project.id}`, { bearer, body: { name } });
    expect((await rename('Before the failover')).status).toBe(200);

    // What the change took out of memory is read again before there is no store to read it from.
    const renamed = answered();
    await until(async () => answered() > renamed + CALLS_PER_SECOND);

    await postgres.killPrimary();
    await relay.cut();
    const away = answered();
    expect((await rename('While there is none')).status).toBe(503);
    await until(async () => answered() > away + CALLS_PER_SECOND);
    await postgres.promoteStandby();
    address.port = postgres.standbyPort;
    await relay.mend();

    let read = await callApi(gateway.url, 'GET', `/v1/projects/${project.id}`, { bearer });
    await until(async () => {
      read = await callApi(gateway.url, 'GET', `/v1/projects/${project.id}`, { bearer });
      return read.status === 200;
    });
    expect(read.body).toMatchObject({ name: 'Before the failover' });
    await until(async () => (await rename('After the failover')).status === 200);
    await load.stop();
    process.stderr.write(`${answered()} calls, at ${CALLS_PER_SECOND} a second\n`);
    expect([...load.outcomes.keys()]).toEqual(['200']);
    expect(load.answeredPosts.filter((id) => provider.posts.get(id) !== 1)).toEqual([]);
  } finally {
    await agent.destroy();
    await gateway.stop();
    await relay.close();
    await catalog.remove();
    await provider.close();
    await postgres.close();
  }
});
