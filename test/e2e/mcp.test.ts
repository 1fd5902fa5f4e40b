import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  type LoggingMessageNotification,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { createHttpBrowser } from '../examples/http-browser.ts';
import { createCatalogDir } from '../support/catalog-dir.ts';
import { callApi, callApiOk, type Gateway, type Project, provision, startGateway } from '../support/gateway.ts';
import { type McpStage, startMcpStage } from '../support/mcp-stage.ts';
import { APP_ORIGIN, readOutcome } from '../support/stage.ts';
import { until } from '../support/until.ts';

const debug = (step: string) => process.stderr.write(`${new Date().toISOString()} ${step}\n`);
let vendor: McpStage;
let catalog: Awaited<ReturnType<typeof createCatalogDir>>;
let gateway: Gateway;
let project: Project;

beforeAll(async () => {
  debug('begin'); vendor = await startMcpStage(); debug('vendor');
  catalog = await createCatalogDir({
    'acme-mcp': `id: acme-mcp\nname: Acme MCP\nmcp:\n  url: ${vendor.server.url}\n`,
  });
  // Event streams are silent for longer than this.
  gateway = await startGateway({ catalogDir: catalog.path, env: { PROXY_IDLE_TIMEOUT_MS: '1000' } });
  debug('gateway'); project = await provision(gateway, { allowedOrigins: [APP_ORIGIN] });
});

afterAll(async () => {
  await gateway?.stop();
  await catalog?.remove();
  await vendor?.close();
});

const api = (method: string, path: string, body?: unknown) =>
  callApi(gateway.url, method, `/v1${path}`, { bearer: project.apiKey, body });
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
async function openClient(userId: string, provider: string) {
  const transport = new StreamableHTTPClientTransport(addressOf(provider), {
    requestInit: { headers: { Authorization: `Bearer ${project.userToken(userId)}` } },
  });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  const messages: LoggingMessageNotification['params'][] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void messages.push(params));
  await client.connect(transport);
  return { client, transport, messages };
}

describe('an MCP server of the catalog', () => {
  it('is used by an unmodified client: tools, progress, notifications, resuming, and the end of its session', async () => {
   try {
    const made = await apiOk('POST', '/integrations', { serviceProvider: 'acme-mcp' });
    expect(made).toMatchObject({
      clientId: null,
      authorizationServer: null,
      redirectUrl: `${gateway.url}/oauth/callback/${made.id}`,
    });
    debug('integration'); const connection = await connect('ada', made.id);
    expect(connection).toMatchObject({ status: 'active', grantedScopes: ['tools.list', 'tools.call', 'offline_access'] });
    const found = await apiOk('GET', `/integrations/${made.id}`);
    expect(found).toMatchObject({
      clientId: expect.any(String),
      authorizationServer: {
        issuer: vendor.authorization.origin,
        resource: vendor.server.url,
        clientBy: 'registration',
      },
    });

    debug('connected'); const { client, transport, messages } = await openClient('ada', 'acme-mcp');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['count']);
    const progress: number[] = [];
    const result = await client.callTool({ name: 'count', arguments: { to: 3 } }, undefined, {
      onprogress: (step) => void progress.push(step.progress),
    });
    expect([progress, result.content]).toEqual([[1, 2, 3], [{ type: 'text', text: 'counted to 3' }]]);

    debug('called'); const { mcp } = vendor.server.sessions.get(transport.sessionId ?? '') ?? {};
    await until(() => vendor.server.seen.some(({ method }) => method === 'GET'));
    await mcp?.server.sendLoggingMessage({ level: 'info', data: 'over the open stream' });
    await until(() => messages.length > 0);
    expect(messages).toEqual([{ level: 'info', data: 'over the open stream' }]);
    const posted = vendor.server.seen.find(({ body }) => body.includes('tools/call'));
    expect(posted?.headers).toMatchObject({
      'mcp-session-id': transport.sessionId,
      'mcp-protocol-version': expect.stringMatching(/^20/),
    });

    debug('noted'); const sessionId = transport.sessionId ?? '';
    await transport.terminateSession();
    expect(vendor.server.sessions.has(sessionId)).toBe(false);
    await client.close();
   } catch (error) { debug(String((error as Error).stack)); debug(gateway.logs().slice(-6000)); throw error; }
  });
});
