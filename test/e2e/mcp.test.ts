import { createServer } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type LoggingMessageNotification,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import pg from 'pg';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { closeServer, listen } from '../support/listen.ts';
import { MCP_SCOPES, type McpStage, startMcpStage } from '../support/mcp-stage.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';

let vendor: McpStage;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  vendor = await startMcpStage();
  catalog = await createCatalogDir({
    'acme-mcp': `id: acme-mcp\nname: Acme MCP\nmcp:\n  url: ${vendor.server.url}\n`,
  });
  // Event streams are silent for longer than this.
  gateway = await startGateway({ catalogDir: catalog.path, env: { PROXY_IDLE_TIMEOUT_MS: '1000' } });
  project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  await vendor?.close();
});

const apiOk = (method: string, path: string, body?: unknown) =>
  callApiOk(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });

/** Authorizes as a browser would; answers the connection. */
async function connect(userId: string, integrationId: string) {
  const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
    bearer: project.userToken(userId),
    headers: { origin: APP_ORIGIN },
    body: { integrationId },
  });
  const browser = createHttpBrowser({ origins: [gateway.url, vendor.authorization.origin] });
  const outcome = readOutcome(await browser.open(session.url));
  expect(outcome.message).toMatchObject({ status: 'success' });
  return callApiOk(gateway.url, 'POST', `/v1/connect-sessions/${outcome.message.sessionId}/complete`, {
    bearer: project.userToken(userId),
    body: { completionCode: outcome.message.completionCode },
  });
}

const addressOf = (provider: string) =>
  new URL(`${gateway.proxyUrl}/projects/${project.id}/proxy/${provider}/mcp`);

/** The official SDK's client, which knows nothing of the gateway but an address and a token. */
async function openClient(userId: string, provider: string, token = project.userToken(userId)) {
  const transport = new StreamableHTTPClientTransport(addressOf(provider), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const messages: LoggingMessageNotification['params'][] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void messages.push(params));
  await client.connect(transport);
  return { client, transport, messages };
}

/** One call of a tool in a session of its own. */
async function callTool(userId: string, provider: string) {
  const { client } = await openClient(userId, provider);
  try {
    return (await client.callTool({ name: 'count', arguments: { to: 1 } })).content;
  } finally {
    await client.close();
  }
}

/** What the proxy answers to a message, as it is. */
const send = (userId: string, provider: string, path = '/mcp') =>
  fetch(`${gateway.proxyUrl}/projects/${project.id}/proxy/${provider}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${project.userToken(userId)}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });

/** The vendor refuses the next access token, whereupon the gateway refreshes it: once a minute for a connection. */
const refuseToken = () =>
  vendor.server.refuseNext(
    401,
    `Bearer error="invalid_token", resource_metadata="${vendor.server.metadataUrl}"`,
  );

async function query(sql: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
  await client.connect();
  await client.query(sql, [...values]);
  await client.end();
}

describe('an MCP server of the catalog', () => {
  let integration: string;

  it('gets a client of its own when the first user authorizes', async () => {
    const made = await apiOk('POST', '/integrations', { serviceProvider: 'acme-mcp' });
    expect(made).toMatchObject({
      clientId: null,
      authorizationServer: null,
      redirectUrl: `${gateway.url}/oauth/callback/${made.id}`,
    });
    integration = made.id;
    const connected = await connect('ada', integration);
    expect(connected).toMatchObject({ status: 'active', grantedScopes: MCP_SCOPES });
    expect(await apiOk('GET', `/integrations/${integration}`)).toMatchObject({
      clientId: expect.any(String),
      authorizationServer: {
        issuer: vendor.authorization.origin,
        resource: vendor.server.url,
        scopes: [...MCP_SCOPES, 'offline_access'],
        clientBy: 'registration',
      },
    });
    expect(vendor.authorization.forms.at(-1)?.get('resource')).toBe(vendor.server.url);
  });

  it('is used by an unmodified client: tools, progress, notifications, and the end of its session', async () => {
    const { client, transport, messages } = await openClient('ada', 'acme-mcp');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['count']);
    const progress: number[] = [];
    const result = await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: (step) => void progress.push(step.progress),
    });
    expect([progress, result.content]).toEqual([[1, 2, 3], [{ type: 'text', text: 'counted to 3' }]]);
    const posted = vendor.server.seen.find(({ body }) => body.includes('tools/call'));
    expect(posted?.headers).toMatchObject({
      'mcp-session-id': transport.sessionId,
      'mcp-protocol-version': expect.stringMatching(/^20/),
    });

    await until(() => streamsOpened() === 1);
    // Another call of this silence is cut off meanwhile.
    await expect(send('ada', 'acme-mcp', '/silent').then((answer) => answer.text())).rejects.toThrow();
    await sessionOf(transport)?.mcp.server.sendLoggingMessage({
      level: 'info',
      data: 'after a long silence',
    });
    await until(() => messages.length === 1);
    expect([messages, streamsOpened()]).toEqual([[{ level: 'info', data: 'after a long silence' }], 1]);

    const sessionId = transport.sessionId ?? '';
    await transport.terminateSession();
    expect(vendor.server.sessions.has(sessionId)).toBe(false);
    await client.close();
  });

  it('may be listed by a token that reads alone, which calls the tools that the operator marks as reading', async () => {
    const { token } = await apiOk('POST', '/user-tokens', {
      userId: 'ada',
      authorizationDetails: [{ type: 'gateway_access', provider: 'acme-mcp', access: 'read' }],
    });
    const { client } = await openClient('ada', 'acme-mcp', token);
    const count = () => client.callTool({ name: 'count', arguments: { to: 1 } });
    expect((await client.listTools()).tools).toHaveLength(1);
    await expect(count()).rejects.toThrow(/mandate_denied/);
    const called = vendor.server.seen.filter(({ body }) => body.includes('tools/call')).length;
    const path = `/integrations/${integration}`;
    const explain = async (more: object = {}) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count' } };
      const entries = [{ type: 'gateway_access', provider: 'acme-mcp', access: 'read' }];
      const asked = { entries, provider: 'acme-mcp', method: 'POST', path: '/mcp', body, ...more };
      return (await apiOk('POST', '/mandates/explain', asked)).allowed;
    };
    expect([await explain(), await explain({ readingTools: ['count'] })]).toEqual([false, true]);
    await apiOk('PATCH', path, { settings: { readingTools: ['count'] } });
    expect((await count()).content).toEqual([{ type: 'text', text: 'counted to 1' }]);
    expect([await explain(), await explain({ readingTools: [] })]).toEqual([true, false]);
    await apiOk('PATCH', path, { settings: { readingTools: ['Count'] } });
    await expect(count()).rejects.toThrow(/mandate_denied/);
    expect(vendor.server.seen.filter(({ body }) => body.includes('tools/call'))).toHaveLength(called + 1);
    await apiOk('PATCH', path, { settings: {} });
    await client.close();
  });

  it('lets a client resume a stream that has ended', async () => {
    const before = streamsOpened();
    const { client, transport, messages } = await openClient('ada', 'acme-mcp');
    await until(() => streamsOpened() > before);
    const session = sessionOf(transport);
    await session?.mcp.server.sendLoggingMessage({ level: 'info', data: 'one' });
    await until(() => messages.length === 1);
    session?.transport.closeStandaloneSSEStream();
    await session?.mcp.server.sendLoggingMessage({ level: 'info', data: 'two' });
    await until(() => messages.length === 2);
    const resumed = vendor.server.seen.findLast(({ method }) => method === 'GET');
    expect(resumed?.headers['last-event-id']).toEqual(expect.any(String));
    await client.close();
  });

  it('counts no stream that its client left as an error', async () => {
    const before = streamsOpened();
    const { client } = await openClient('ada', 'acme-mcp');
    await until(() => streamsOpened() > before);
    await client.close();
    const errors = () =>
      gateway.logs().includes('"method":"GET","route":"/projects/{projectId}/proxy/{provider}"');
    await until(errors);
    const lines = gateway
      .logs()
      .split('\n')
      .filter((line) => line.includes('"method":"GET"') && line.includes('/proxy/'));
    expect(lines.filter((line) => line.includes('errorCode'))).toEqual([]);
  });

  it('is refreshed with the resource that its token is for', async () => {
    refuseToken();
    expect(await callTool('ada', 'acme-mcp')).toEqual([{ type: 'text', text: 'counted to 1' }]);
    const form = vendor.authorization.forms.at(-1);
    expect([form?.get('grant_type'), form?.get('resource')]).toEqual(['refresh_token', vendor.server.url]);
  });

  it('tells which scope is missing, and not where to authorize without the gateway', async () => {
    vendor.server.refuseNext(
      403,
      `Bearer error="insufficient_scope", resource_metadata="${vendor.server.metadataUrl}", scope="tools.admin"`,
    );
    const answer = await send('ada', 'acme-mcp');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="tools.admin"',
    ]);
  });

  it('ends a connection whose client the server has forgotten, and registers another for the next', async () => {
    const connection = await connect('carl', integration);
    const before = (await apiOk('GET', `/integrations/${integration}`)).clientId;
    await vendor.authorization.forgetClient(before);
    refuseToken();
    expect((await send('carl', 'acme-mcp')).status).toBe(424);
    const shown = await apiOk('GET', `/connections/${connection.id}`);
    expect(shown).toMatchObject({ status: 'reauthorization_required' });
    await connect('carl', integration);
    expect((await apiOk('GET', `/integrations/${integration}`)).clientId).not.toBe(before);
    expect(await callTool('carl', 'acme-mcp')).toEqual([{ type: 'text', text: 'counted to 1' }]);
  });

  it('never gets a refresh token of another authorization server', async () => {
    await connect('bob', integration);
    await query(
      `UPDATE integrations SET authorization_server = jsonb_set(authorization_server, '{issuer}', '"https://other.example"') WHERE id = $1`,
      [integration],
    );
    refuseToken();
    const asked = vendor.authorization.forms.length;
    expect((await send('bob', 'acme-mcp')).status).toBe(424);
    expect(vendor.authorization.forms).toHaveLength(asked);
  });
});

describe('an MCP server by its address alone', () => {
  it('is a provider of the project that users connect', async () => {
    const made = await apiOk('POST', '/providers', { name: 'Vendor Tools', mcp: { url: vendor.server.url } });
    expect(made).toMatchObject({
      id: 'custom:vendor-tools',
      auth: 'oauth2',
      apiBaseUrl: vendor.server.origin,
    });
    const { id } = await apiOk('POST', '/integrations', { serviceProvider: made.id });
    await connect('eve', id);
    expect(await callTool('eve', made.id)).toEqual([{ type: 'text', text: 'counted to 1' }]);
  });
});

describe('a dry run of an MCP server', () => {
  it('shows what the server answered, and every request that follows', async () => {
    const seen = vendor.authorization.seen.length;
    const run = await apiOk('POST', '/providers?dryRun=true', {
      name: 'Trial',
      mcp: { url: vendor.server.url },
    });
    expect(run.discovery).toMatchObject({
      fault: null,
      issuer: vendor.authorization.origin,
      resource: vendor.server.url,
      scopes: [...MCP_SCOPES, 'offline_access'],
      clientBy: 'registration',
      steps: [
        { method: 'POST', url: vendor.server.url, status: 401, result: 'challenge' },
        { method: 'GET', url: vendor.server.metadataUrl, status: 200, result: 'ok' },
        { method: 'GET', status: 200, result: 'ok' },
      ],
    });
    expect(JSON.parse(run.requests.registration.body)).toMatchObject({
      redirect_uris: [`${gateway.url}/oauth/callback/<integration id>`],
      token_endpoint_auth_method: 'client_secret_basic',
    });
    expect(new URL(run.requests.authorization.url).searchParams.get('resource')).toBe(vendor.server.url);
    expect(vendor.authorization.seen.slice(seen).map(({ method }) => method)).not.toContain('POST');
  });
});

describe('an authorization server that reads metadata documents', () => {
  it('gets the address of a document that describes the client of the integration', async () => {
    const server = createServer((_request, response) => {
      const metadata = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata));
    });
    const issuer = `http://127.0.0.1:${await listen(server)}`;
    vendor.server.state.issuer = issuer;
    try {
      const provider = await apiOk('POST', '/providers', {
        name: 'Readers',
        mcp: { url: vendor.server.url },
      });
      const integration = await apiOk('POST', '/integrations', { serviceProvider: provider.id });
      const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
        bearer: project.userToken('ada'),
        headers: { origin: APP_ORIGIN },
        body: { integrationId: integration.id },
      });
      const page = await createHttpBrowser({ origins: [gateway.url] }).open(session.url);
      const asked = new URL(page.url);
      const clientId = `${gateway.url}/oauth/clients/${integration.id}`;
      expect([asked.origin, asked.searchParams.get('client_id')]).toEqual([issuer, clientId]);
      const document = await fetch(clientId);
      expect([document.headers.get('cache-control'), await document.json()]).toEqual([
        'public, max-age=3600',
        {
          client_id: clientId,
          client_name: expect.any(String),
          client_uri: gateway.url,
          redirect_uris: [asked.searchParams.get('redirect_uri')],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          token_endpoint_auth_method: 'none',
        },
      ]);
      expect((await fetch(`${gateway.url}/oauth/clients/${crypto.randomUUID()}`)).status).toBe(404);
    } finally {
      vendor.server.state.issuer = vendor.authorization.origin;
      await closeServer(server);
    }
  });

  it('never sees the client of an operator that belongs to another', async () => {
    const provider = await apiOk('POST', '/providers', { name: 'Owned', mcp: { url: vendor.server.url } });
    const { id } = await apiOk('POST', '/integrations', {
      serviceProvider: provider.id,
      clientId: 'own-client',
      clientSecret: 'own-secret',
    });
    const open = async () => {
      const session = await callApiOk(gateway.url, 'POST', '/v1/connect-sessions', {
        bearer: project.userToken('ada'),
        headers: { origin: APP_ORIGIN },
        body: { integrationId: id },
      });
      return createHttpBrowser({ origins: [gateway.url] }).open(session.url);
    };
    expect((await open()).url).toContain('client_id=own-client');
    await query(
      `UPDATE integrations SET authorization_server = authorization_server || '{"issuer": "https://other.example", "discoveredAt": "2026-01-01T00:00:00Z"}' WHERE id = $1`,
      [id],
    );
    const { message } = readOutcome(await open());
    expect(message).toMatchObject({ status: 'error', error: 'integration_misconfigured' });
  });
});

const streamsOpened = () => vendor.server.countStreams();
const sessionOf = (transport: StreamableHTTPClientTransport) =>
  vendor.server.sessions.get(transport.sessionId ?? '');
