import { createServer, type IncomingMessage } from 'node:http';
import type { Provider } from '../../src/catalog/schema/provider.schema.ts';
import { createOutbound, type Outbound } from '../../src/platform/outbound.ts';
import { readBody } from '../support/authorization-server.ts';
import { closeServer, listen } from '../support/listen.ts';
import type { AuthorizationAnswer } from './fake-authorization.ts';
import type { Call, Reply } from './fake-call.ts';
import { Conduct, type Stage } from './fake-conduct.ts';

/** One provider that behaves as its file says and complains of everything that the real one would refuse. */
export type FakeProvider = {
  /** Reaches the fake under every address of the provider file. */
  readonly outbound: Outbound;
  readonly complaints: readonly string[];
  readonly clientSecret: string;
  /** The browser at the authorization page: what comes back to the redirect URI. */
  visit(url: string): AuthorizationAnswer;
  expect(stage: Stage): void;
};

export type FakeProviders = { of(provider: Provider): FakeProvider; close(): Promise<void> };

/** One server for all of them: the first segment of the path says which provider is called. */
export async function startFakeProviders(): Promise<FakeProviders> {
  const conducts = new Map<string, Conduct>();
  const server = createServer((request, response) => {
    callOf(request)
      .then(([id, call]) => conducts.get(id)?.answer(call) ?? { status: 404 })
      .catch((error: unknown): Reply => ({ status: 599, body: { fault: String(error) } }))
      .then(({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(body === undefined ? '' : JSON.stringify(body));
      });
  });
  const port = await listen(server);
  const real = createOutbound({ allowPrivateNetworks: true });
  return {
    of(provider) {
      const conduct = new Conduct(provider);
      conducts.set(provider.id, conduct);
      const outbound: Outbound = {
        request(request) {
          const { protocol, host, pathname, search } = new URL(request.url);
          if (protocol !== 'https:') throw new Error(`not https: ${request.url}`);
          const url = `http://127.0.0.1:${port}/${provider.id}/${host}${pathname}${search}`;
          return real.request({ ...request, url });
        },
      };
      const { complaints, clientSecret } = conduct;
      return {
        outbound,
        complaints,
        clientSecret,
        visit: (url) => conduct.authorize(url),
        expect: (stage) => conduct.expect(stage),
      };
    },
    close: () => closeServer(server),
  };
}

async function callOf(request: IncomingMessage): Promise<[id: string, call: Call]> {
  const [, id = '', target = ''] = /^\/([^/]+)\/(.*)$/.exec(request.url ?? '') ?? [];
  const body = await readBody(request);
  const { method = '', headers } = request;
  return [id, { method, url: new URL(`https://${target}`), headers, body }];
}
