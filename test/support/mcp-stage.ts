import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Provider as OidcProvider } from 'oidc-provider';
import { z } from 'zod';
import { readBody, type SeenRequest } from './authorization-server.ts';
import { closeServer, listen } from './listen.ts';

export type McpStage = Awaited<ReturnType<typeof startMcpStage>>;

/** Scopes that the MCP server's metadata names. */
export const MCP_SCOPES = ['tools.list', 'tools.call'];

export type McpStageOptions = {
  /** Lets clients register themselves. */
  readonly isRegistrationOpen?: boolean;
};

/**
 * A vendor with an MCP server (the official SDK's, with sessions and a store of events) that takes tokens for itself
 * alone, and with an authorization server (oidc-provider) that clients must find by metadata.
 */
export async function startMcpStage({ isRegistrationOpen = true }: McpStageOptions = {}) {
  const authorization = await startMcpAuthorizationServer(isRegistrationOpen);
  const resource = await startMcpServer(authorization.origin);
  return {
    authorization,
    server: resource,
    async close() {
      await resource.close();
      await authorization.close();
    },
  };
}

async function startMcpAuthorizationServer(isRegistrationOpen: boolean) {
  const seen: SeenRequest[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) =>
    response.end();
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body: '' });
    handle(request, response);
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const forms: Map<string, string | undefined>[] = [];
  const provider = new OidcProvider(origin, {
    clients: [],
    cookies: { keys: ['test'] },
    scopes: ['openid', 'offline_access', ...MCP_SCOPES],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: 3600,
      Grant: 86400,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86400,
      Session: 86400,
    },
    issueRefreshToken: async () => true,
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      registration: { enabled: isRegistrationOpen },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: async (_context: unknown, indicator: string) => ({
          scope: MCP_SCOPES.join(' '),
          audience: indicator,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
        useGrantedResource: async () => true,
      },
    },
    interactions: {
      url: (_context: unknown, interaction: { uid: string }) => `/interaction/${interaction.uid}`,
    },
    findAccount: async (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: async () => ({ sub }),
    }),
  });
  provider.use(async (context, next) => {
    await next();
    const { route, params = {} } = context.oidc ?? {};
    if (route === 'token') forms.push(new Map(Object.entries(params)));
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return callback(request, response);
    agree(provider, request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  };
  return {
    origin,
    /** Requests in order, without their bodies. */
    seen,
    /** Bodies of token requests in order. */
    forms,
    async forgetClient(clientId: string): Promise<void> {
      await provider.Client.adapter.destroy(clientId);
    },
    close: () => closeServer(server),
  };
}

async function agree(
  provider: OidcProvider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'account-1' } });
  }
  const grant = new provider.Grant({ accountId: 'account-1', clientId: String(params.client_id) });
  grant.addOIDCScope(String(params.scope ?? ''));
  grant.addResourceScope(String(params.resource), String(params.scope ?? ''));
  await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

type Session = { readonly transport: StreamableHTTPServerTransport; readonly mcp: McpServer };

async function startMcpServer(issuer: string) {
  const sessions = new Map<string, Session>();
  const seen: SeenRequest[] = [];
  const streams: ServerResponse[] = [];
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));
  /** What the next requests with a token are answered with, in place of the tools. */
  let refusal: { status: number; challenge: string } | undefined;
  const state = { metadata: true, issuer };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  const url = `${origin}/mcp`;
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/.well-known/oauth-protected-resource/mcp' && state.metadata) {
      response.writeHead(200, { 'content-type': 'application/json' });
      const document = { resource: url, authorization_servers: [state.issuer], scopes_supported: MCP_SCOPES };
      response.end(JSON.stringify(document));
      return;
    }
    if (request.url === '/silent') {
      response.writeHead(200, { 'content-type': 'text/plain' }).flushHeaders();
      return;
    }
    if (request.url !== '/mcp') return void response.writeHead(404).end();
    const body = request.method === 'POST' ? await readBody(request) : '';
    seen.push({ method: request.method ?? '', url: request.url, headers: request.headers, body });
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const isGood =
      token !== undefined &&
      (await jwtVerify(token, keys, { audience: url, issuer: state.issuer }).then(
        () => true,
        () => false,
      ));
    if (!isGood) {
      response.writeHead(401, { 'www-authenticate': `Bearer resource_metadata="${metadataUrl}"` }).end();
      return;
    }
    if (refusal !== undefined) {
      response.writeHead(refusal.status, { 'www-authenticate': refusal.challenge }).end();
      refusal = undefined;
      return;
    }
    if (request.method === 'GET') streams.push(response);
    const session = await sessionOf(request);
    await session.transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body));
  }

  async function sessionOf(request: IncomingMessage): Promise<Session> {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known;
    const mcp = createTools();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: createEventStore(),
      onsessioninitialized: (id) => void sessions.set(id, { transport, mcp }),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await mcp.connect(transport);
    return { transport, mcp };
  }

  return {
    origin,
    url,
    metadataUrl,
    state,
    seen,
    sessions,
    /** How many streams have been opened by GET. */
    countStreams: () => streams.filter(({ headersSent }) => headersSent).length,
    /** Answers the next request that has a good token with a refusal. */
    refuseNext(status: number, challenge: string): void {
      refusal = { status, challenge };
    },
    async close() {
      for (const { mcp } of sessions.values()) await mcp.close();
      await closeServer(server);
    },
  };
}

function createTools(): McpServer {
  const mcp = new McpServer({ name: 'vendor', version: '1.0.0' }, { capabilities: { logging: {} } });
  mcp.registerTool(
    'count',
    { description: 'Counts, and tells how far it is.', inputSchema: { to: z.number() } },
    async ({ to }, { sendNotification, _meta }) => {
      for (let progress = 1; progress <= to; progress += 1) {
        const progressToken = _meta?.progressToken ?? 0;
        await sendNotification({
          method: 'notifications/progress',
          params: { progress, total: to, progressToken },
        });
      }
      return { content: [{ type: 'text', text: `counted to ${to}` }] };
    },
  );
  return mcp;
}

/** Keeps what streams have sent, so that a client can resume. */
function createEventStore(): EventStore {
  const events: { id: string; streamId: string; message: Parameters<EventStore['storeEvent']>[1] }[] = [];
  return {
    async storeEvent(streamId, message) {
      const id = `${streamId}_${events.length}`;
      events.push({ id, streamId, message });
      return id;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const from = events.findIndex(({ id }) => id === lastEventId);
      const streamId = events[from]?.streamId ?? '';
      for (const event of events.slice(from + 1)) {
        if (event.streamId === streamId) await send(event.id, event.message);
      }
      return streamId;
    },
  };
}
