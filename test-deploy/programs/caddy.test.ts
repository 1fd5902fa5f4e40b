import { createServer } from 'node:http';
import { request } from 'undici';
import { createCatalogDir } from '../../test/support/catalog-dir.ts';
import { createEncryptionKey } from '../../test/support/gateway-environment.ts';
import { plainProviderFile } from '../../test/support/held-provider.ts';
import { findFreePort } from '../../test/support/ports.ts';
import { createTestDatabase } from '../../test/support/postgres.ts';
import { type SpawnedGateway, spawnGateway } from '../../test/support/spawn-gateway.ts';
import { until } from '../../test/support/until.ts';
import { startCaddy } from './caddy-server.ts';
import { connectUser, USER } from './connected-user.ts';
import { startCountingProvider, startSteadyLoad } from './steady-load.ts';

const CALLS_PER_SECOND = 500;

it('Caddy tells browsers to come to each of the three hosts by https alone', async () => {
  const hosts = ['gateway.localhost', 'proxy.localhost', 'hooks.localhost'];
  const [port, own] = [await findFreePort(), await findFreePort()];
  const behind = createServer((_request, response) => response.end()).listen(own, '127.0.0.1');
  const caddy = await startCaddy(port, hosts, [own]);
  try {
    for (const host of hosts) {
      const { headers, body } = await request(`https://${host}:${port}/`, { dispatcher: caddy.agent });
      await body.dump();
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
    }
  } finally {
    await caddy.stop();
    behind.close();
  }
});

it('three gateways behind Caddy are restarted one after the other without a lost call', async () => {
  const provider = await startCountingProvider();
  const catalog = await createCatalogDir({ counting: plainProviderFile('counting', provider.url) });
  const database = await createTestDatabase();
  const port = await findFreePort();
  const hosts = ['gateway.localhost', 'proxy.localhost', 'hooks.localhost'];
  const ports = [await findFreePort(), await findFreePort(), await findFreePort()];
  const env = {
    ENCRYPTION_KEYS: createEncryptionKey(),
    SHUTDOWN_DELAY_MS: '5000',
    TRUST_PROXY: '1',
    PUBLIC_URL: `https://${hosts[0]}:${port}`,
    PROXY_URL: `https://${hosts[1]}:${port}`,
    WEBHOOK_URL: `https://${hosts[2]}:${port}`,
    RATE_LIMIT_PROXY_PER_MINUTE: '1000000',
  };
  const start = (one: number) =>
    spawnGateway({ databaseUrl: database.url, catalogDir: catalog.path, port: one, env });
  const gateways = await Promise.all(ports.map(start));
  const caddy = await startCaddy(port, hosts, ports);
  try {
    const project = await connectUser(gateways[0] as SpawnedGateway, 'counting');
    const load = startSteadyLoad({
      dispatcher: caddy.agent,
      origin: `https://${hosts[1]}:${port}`,
      path: `/projects/${project.id}/proxy/counting/things`,
      headers: { authorization: `Bearer ${project.userToken(USER)}` },
      callsPerSecond: CALLS_PER_SECOND,
    });
    await until(async () => (load.outcomes.get('200') ?? 0) > CALLS_PER_SECOND);
    for (const [index, one] of ports.entries()) {
      await gateways[index]?.stop();
      gateways[index] = await start(one);
      const seen = load.outcomes.get('200') ?? 0;
      // Caddy looks each second: a second's calls later it has seen this one again.
      await until(async () => (load.outcomes.get('200') ?? 0) > seen + 3 * CALLS_PER_SECOND);
    }
    await load.stop();
    process.stderr.write(
      `${load.outcomes.get('200')} calls, at ${CALLS_PER_SECOND} a second at most, ${load.shed()} sent again\n`,
    );
    expect([...load.outcomes.keys()]).toEqual(['200']);
    const arrivals = load.answeredPosts.map((id) => provider.posts.get(id));
    expect(arrivals.length).toBeGreaterThan(CALLS_PER_SECOND);
    expect(arrivals.filter((count) => count !== 1)).toEqual([]);
  } finally {
    await caddy.stop();
    for (const gateway of gateways) await gateway.stop();
    await database.drop();
    await catalog.remove();
    await provider.close();
  }
});
