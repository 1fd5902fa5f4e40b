import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '../support/certificate.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import type { Project } from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { callPatiently } from './patient-calls.ts';

export const TRANSPORTS = ['plain', 'tls'] as const;
export type Transport = (typeof TRANSPORTS)[number];
/** More than one write of the provider, and with its head more than any fault lets through. */
export const BODY = 'provider body '.repeat(4_000);
export const SECRET = 'very-secret-access-token-of-a-user';
export const HEALTHY = 'healthy';

export type FaultyProviders = Awaited<ReturnType<typeof startFaultyProviders>>;

/**
 * One provider's API, plain and over TLS, and in front of it a proxy of its own for each of `names`; `healthy` is reached without one. The
 * catalog has an entry for each.
 */
export async function startFaultyProviders(names: readonly string[]) {
  /** How often each call reached the provider, by its `call` in the query. */
  const seen = new Map<string, number>();
  const answer: RequestListener = (request, response) => {
    const call = new URL(request.url ?? '', 'http://provider.test').searchParams.get('call') ?? '';
    seen.set(call, (seen.get(call) ?? 0) + 1);
    request.resume().once('end', () => {
      // Chunked, so that a connection that ends leaves an answer that is visibly not whole.
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write(BODY.slice(0, 1_000));
      response.end(BODY.slice(1_000));
    });
  };
  const servers = {
    plain: createServer(answer),
    tls: createTlsServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, answer),
  };
  const ports = { plain: await listen(servers.plain), tls: await listen(servers.tls) };
  const proxies = new Map<string, FaultProxy>();
  const files: Record<string, string> = { [HEALTHY]: describeProvider(HEALTHY, 'plain', ports.plain) };
  for (const transport of TRANSPORTS) {
    for (const name of names) {
      const proxy = await startFaultProxy({ host: '127.0.0.1', port: ports[transport] });
      const id = `${transport}-${name}`;
      proxies.set(id, proxy);
      files[id] = describeProvider(id, transport, proxy.port);
    }
  }
  const catalog = await createCatalogDir(files);
  return {
    catalogDir: catalog.path,
    ids: Object.keys(files),
    timesSeen: (call: string) => seen.get(call) ?? 0,
    proxy: (id: string): FaultProxy => {
      const found = proxies.get(id);
      if (found === undefined) throw new Error(`no proxy ${id}`);
      return found;
    },
    async close() {
      for (const proxy of proxies.values()) await proxy.close();
      for (const server of Object.values(servers)) await closeServer(server);
      await catalog.remove();
    },
  };
}

function describeProvider(id: string, transport: Transport, port: number): string {
  const origin = transport === 'tls' ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return JSON.stringify({
    id,
    name: id,
    auth: 'oauth2',
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
    apiBaseUrl: origin,
  });
}

/** An integration of each provider, with a connection of one user that never has to be refreshed. */
export async function connectAll(url: string, project: Project, ids: readonly string[], userId: string) {
  for (const serviceProvider of ids) {
    const body = { serviceProvider, clientId: 'client', clientSecret: 'secret', scopes: ['read'] };
    const { id } = await callPatiently(url, 'POST', '/v1/integrations', { bearer: project.apiKey, body });
    const connection = { integrationId: id, userId, credentials: { accessToken: SECRET } };
    await callPatiently(url, 'POST', '/v1/connections', { bearer: project.apiKey, body: connection });
  }
}
