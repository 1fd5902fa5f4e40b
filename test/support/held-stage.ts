import { createCatalogDir } from './catalog-dir.ts';
import { callApi, callApiOk, type Gateway, type Project, provision, startGateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-environment.ts';
import { type HeldProvider, startHeldProvider } from './held-provider.ts';
import { type SpawnedGateway, spawnGateway } from './spawn-gateway.ts';

/** The one user of every project that `provisionConnected` makes. */
export const USER = 'mia';

export type HeldStage = {
  readonly provider: HeldProvider;
  /** A gateway that knows the provider, stopped by `close` at the latest. */
  readonly start: (options?: GatewayOptions) => Promise<Gateway>;
  /** The same in a process of its own. */
  readonly spawn: (options?: GatewayOptions) => Promise<SpawnedGateway>;
  readonly close: () => Promise<void>;
};

/** A provider that answers when the test lets it, for gateways that the test starts and ends in its own ways. */
export async function startHeldStage(): Promise<HeldStage> {
  const provider = await startHeldProvider();
  const catalog = await createCatalogDir({ held: provider.providerFile });
  const started: Pick<Gateway, 'stop'>[] = [];
  const note = <Started extends Gateway>(gateway: Started): Started => {
    started.push(gateway);
    return gateway;
  };
  return {
    provider,
    start: async (options = {}) => note(await startGateway({ catalogDir: catalog.path, ...options })),
    spawn: async (options = {}) => note(await spawnGateway({ catalogDir: catalog.path, ...options })),
    close: async () => {
      for (const gateway of started) await gateway.stop();
      await provider.close();
      await catalog.remove();
    },
  };
}

/** A project with one user whose connection was brought along. */
export async function provisionConnected(gateway: Gateway): Promise<Project> {
  const project = await provision(gateway);
  const bearer = project.apiKey;
  const body = { serviceProvider: 'held', clientId: 'id', clientSecret: 'secret', scopes: ['read'] };
  const { id: integrationId } = await callApiOk(gateway.url, 'POST', '/v1/integrations', { bearer, body });
  const credentials = { accessToken: 'access-token' };
  await callApiOk(gateway.url, 'POST', '/v1/connections', {
    bearer,
    body: { integrationId, userId: USER, credentials },
  });
  return project;
}

/** A call of the provider's own API by that user. */
export function callProvider(gateway: Pick<Gateway, 'url'>, project: Project, path: string) {
  return fetch(`${gateway.url}/projects/${project.id}/proxy/held${path}`, {
    headers: { authorization: `Bearer ${project.userToken(USER)}` },
  });
}

/** Calls until the answer is the one wanted; -1 stands for none at all. Throws after three minutes. */
export async function until(call: () => Promise<number>, wanted: number): Promise<void> {
  const deadlineMs = Date.now() + 180_000;
  for (;;) {
    const status = await call().catch(() => -1);
    if (status === wanted) return;
    if (Date.now() > deadlineMs) throw new Error(`Still ${status} instead of ${wanted}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const readiness = async ({ url }: Gateway) => (await callApi(url, 'GET', '/readyz')).status;
