import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AgentClient, type AgentClientOptions, openModernClient } from './agent-clients.ts';
import { createCatalogDir } from './catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from './gateway.ts';
import type { GatewayOptions } from './gateway-environment.ts';
import { plainProviderFile } from './held-provider.ts';
import { closeServer, listen } from './listen.ts';

export const NOTES = 'notes';
export const APPLICATION = 'http://127.0.0.1:9';

type Seen = { readonly line: string; readonly fields: string; readonly body: string };
type Answer = {
  readonly status?: number;
  readonly type?: string;
  readonly links?: readonly string[];
  readonly body: string | Buffer;
  /** Called once the gateway has left; there is no answer then. */
  readonly onLeft?: () => void;
};

export type AgentStage = Awaited<ReturnType<typeof startAgentStage>>;

/** A provider whose answers the test chooses, a gateway that knows it, and one user, `mia`, who has connected it. */
export async function startAgentStage(
  options: { readonly extra?: string; readonly gateway?: GatewayOptions } = {},
) {
  const seen: Seen[] = [];
  let answer: Answer = { body: '{}' };
  const server = createServer(async (request, response) => {
    seen.push(await read(request));
    const { status = 200, type = 'application/json', links = [], body, onLeft } = answer;
    if (onLeft) request.socket.once('close', onLeft);
    else response.writeHead(status, { 'content-type': type, link: [...links] }).end(body);
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const catalog = await createCatalogDir({
    [NOTES]: `${plainProviderFile(NOTES, url)}${options.extra ?? ''}`,
  });
  const gateway: Gateway = await startGateway({ catalogDir: catalog.path, ...options.gateway });
  const project: Project = await provision(gateway, { allowedOrigins: [APPLICATION] });
  const bearer = project.apiKey;
  const integration = await callApiOk(gateway.url, 'POST', '/v1/integrations', {
    bearer,
    body: { serviceProvider: NOTES, clientId: 'id', clientSecret: 'secret', scopes: ['read'] },
  });
  const connect = (userId: string) =>
    callApiOk(gateway.url, 'POST', '/v1/connections', {
      bearer,
      body: { integrationId: integration.id, userId, credentials: { accessToken: `token-of-${userId}` } },
    });
  await connect('mia');
  const clients: AgentClient[] = [];
  const address = `${gateway.url}/projects/${project.id}/mcp`;

  return {
    gateway,
    project,
    integrationId: String(integration.id),
    address,
    seen,
    connect,
    answerWith(next: Answer): void {
      answer = next;
    },
    async open(
      given: Partial<Omit<AgentClientOptions, 'address'>> = {},
      openClient: (options: AgentClientOptions) => Promise<AgentClient> = openModernClient,
    ): Promise<AgentClient> {
      const token = given.token ?? project.userToken('mia');
      const client = await openClient({ address, ...given, token });
      clients.push(client);
      return client;
    },
    async close(): Promise<void> {
      for (const client of clients) await client.close();
      await gateway.stop();
      await closeServer(server);
      await catalog.remove();
    },
  };
}

async function read(request: IncomingMessage): Promise<Seen> {
  return {
    line: `${request.method} ${request.url}`,
    fields: request.rawHeaders.join('\n'),
    body: await text(request),
  };
}
