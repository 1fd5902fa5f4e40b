import { readMultipart } from '../provider-apis/parts.ts';
import type { ApiCall, ProviderApi } from '../provider-apis/server.ts';
import { startClientStage } from '../provider-apis/stage.ts';
import type { Access, Refusal, TriedClient } from './tried-client.ts';

export type TriedStage = Awaited<ReturnType<typeof startTriedClients>>;

/** A gateway with the catalog's own entries led to local servers, and a user connected to every provider. */
export async function startTriedClients(clients: readonly TriedClient[]) {
  const providers = clients.map(({ provider: id, credentials }, index) => ({
    id,
    credentials,
    apisAt: () => (index === 0 ? apisOf(clients) : []),
  }));
  const stage = await startClientStage(providers);
  return {
    close: stage.close,
    strayTokens: () => stage.apis.strayTokens,
    accessOf: ({ provider }: TriedClient): Access => ({
      proxyUrl: stage.proxyUrl(provider),
      token: stage.userToken,
    }),
    refusedAccessOf: ({ provider }: TriedClient, refusal: Refusal): Access => ({
      proxyUrl: stage.proxyUrl(provider),
      token: refusal === 'token_invalid' ? 'not-a-token' : stage.strangerToken,
    }),
    callsTo: ({ arrivesAs }: TriedClient): readonly ApiCall[] =>
      stage.apis.calls.filter(({ method, host, path }) => `${method} ${host}${path}` === arrivesAs),
  };
}

/** One server for each host, which takes the credentials of every client that calls it. */
function apisOf(clients: readonly TriedClient[]): ProviderApi[] {
  const byHost = Map.groupBy(clients, ({ arrivesAs }) => placeOf(arrivesAs).host);
  return [...byHost].map(([host, tried]) => ({
    host,
    isAuthorized: (headers) => tried.some(({ credential: [field, value] }) => headers[field] === value),
    unauthorized: { status: 401, body: { error: 'the provider refuses this credential' } },
    notFound: { status: 404, body: { error: 'the provider has no such path' } },
    routes: Object.fromEntries(
      tried.map(({ arrivesAs, answer }) => {
        const { method, path } = placeOf(arrivesAs);
        return [`${method} ${path}`, () => answer];
      }),
    ),
  }));
}

function placeOf(arrivesAs: string): { method: string; host: string; path: string } {
  const [method = '', address] = arrivesAs.split(' ');
  const { host, pathname } = new URL(`https://${address}`);
  return { method, host, path: pathname };
}

/** The members of a body of any of the usual types. */
export async function readBody(call: ApiCall): Promise<unknown> {
  const type = call.headers['content-type'] ?? '';
  const text = call.body.toString('utf8');
  if (type.startsWith('multipart/')) return Object.fromEntries(await readMultipart(call));
  return type.includes('urlencoded') ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
}

/** What the gateway writes into every refusal for people: read by a plain request with the same token. */
export async function readRefusal({ proxyUrl, token }: Access): Promise<{ code: string; message: string }> {
  const response = await fetch(proxyUrl, { headers: { authorization: `Bearer ${token}` } });
  const { code, message } = await response.json();
  return { code, message };
}
