import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Page } from 'playwright-core';
import { type Call, toText } from './call.ts';
import { listenOnLoopback } from './loopback-server.ts';

const SITES = [
  'Aalborg plant',
  'Bergen',
  'Córdoba, headquarters of Adventure Works Cycles in South America',
  'Durban',
  'Espoo',
  'Fukuoka',
  'Göteborg',
  'Hobart',
];
const SCOPES = ['tools.list', 'tools.call'];
const CLIENT = { clientId: 'client-4711', clientSecret: 'the secret of no client' };

export type SeededProviders = {
  readonly mcpIntegration: string;
  /** Connects an account that reaches several sites, in this window. Gives back the connection. */
  connectSite(page: Page): Promise<string>;
  /** A link for a user to connect with this provider; without one, to choose among all. */
  createConnectLink(provider?: string): Promise<string>;
  close(): void;
};

/** Providers of the project's own: one whose grants reach several sites, one of API keys, and an MCP server. */
export async function seedProviders(call: Call, apiKey: Call, projectId: string): Promise<SeededProviders> {
  const vendor = await listenOnLoopback(answerAsVendor);
  for (const description of descriptionsOf(vendor.url))
    await call('POST', '/v1/providers', { projectId, ...description });
  const fieldworks = await call('POST', '/v1/integrations', {
    projectId,
    serviceProvider: 'custom:fieldworks',
    scopes: ['read'],
    ...CLIENT,
  });
  await call('POST', '/v1/integrations', { projectId, serviceProvider: 'custom:parcelbox' });
  const mcp = await call('POST', '/v1/integrations', { projectId, serviceProvider: 'custom:vendor-tools' });
  let users = 0;
  const createConnectLink = async (provider?: string) => {
    // A user who comes again would not be asked which site.
    users += 1;
    const body = {
      userId: `visitor-${users}`,
      completion: 'link',
      ...(provider !== undefined && { provider }),
    };
    return toText((await apiKey('POST', '/v1/connect-sessions', body)).url);
  };
  return {
    mcpIntegration: toText(mcp.id),
    createConnectLink,
    async connectSite(page) {
      await page.goto(await createConnectLink('custom:fieldworks'));
      await page.getByRole('listitem').getByRole('button').nth(1).click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      const filter = `?integrationId=${fieldworks.id}`;
      const { connections } = await call('GET', `/v1/projects/${projectId}/connections${filter}`);
      const [made] = connections as { id: string }[];
      if (made === undefined) throw new Error('The account with several sites is not connected');
      return made.id;
    },
    close: vendor.close,
  };
}

function descriptionsOf(url: string): object[] {
  return [
    {
      id: 'fieldworks',
      name: 'Fieldworks',
      category: 'project-management',
      auth: 'oauth2',
      authorizationUrl: `${url}/authorize`,
      tokenUrl: `${url}/token`,
      revocationUrl: `${url}/revoke`,
      apiBaseUrl: `${url}/api/{siteId}`,
      defaultScopes: ['read'],
      variables: { siteId: { from: 'tenant', path: 'id', pattern: '[a-z0-9-]{1,40}' } },
      tenants: {
        kind: 'site',
        request: { url: `${url}/sites` },
        items: 'list',
        id: 'id',
        name: 'title',
        detail: 'address',
      },
    },
    {
      id: 'parcelbox',
      name: 'Parcelbox',
      category: 'commerce',
      auth: 'api-key',
      apiBaseUrl: `${url}/api/{region}`,
      apiKey: { in: 'header', name: 'X-Api-Key', template: '{apiKey}' },
      credentialHint: 'In Parcelbox under Settings, API access. It begins with pb_live_.',
      variables: {
        region: {
          title: 'Region',
          options: [
            { value: 'eu', title: 'Europe' },
            { value: 'us', title: 'United States' },
          ],
        },
      },
      probe: { url: `${url}/sites` },
    },
    { id: 'vendor-tools', name: 'Vendor tools', mcp: { url: `${url}/mcp` } },
  ];
}

function answerAsVendor(request: IncomingMessage, response: ServerResponse, url: string): void {
  const asked = new URL(request.url ?? '/', url);
  const json = (body: unknown, status = 200, headers = {}) =>
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
  request.resume();
  switch (asked.pathname) {
    case '/authorize': {
      const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
      back.searchParams.set('code', 'code');
      back.searchParams.set('state', asked.searchParams.get('state') ?? '');
      return void response.writeHead(302, { location: back.href }).end();
    }
    case '/token':
      return void json({ access_token: 'token', refresh_token: 'refresh', expires_in: 3600 });
    case '/register':
      return void json({ client_id: 'registered', token_endpoint_auth_method: 'none' }, 201);
    case '/sites':
      return void json({ list: SITES.map(siteOf) });
    case '/mcp':
      return void json({}, 401, {
        'www-authenticate': `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
      });
    case '/.well-known/oauth-protected-resource/mcp':
      return void json({ resource: `${url}/mcp`, authorization_servers: [url], scopes_supported: SCOPES });
    case '/.well-known/oauth-authorization-server':
      return void json(authorizationServerOf(url));
    default:
      return void json({ error: 'not found' }, 404);
  }
}

function siteOf(title: string, index: number) {
  const word = title.split(/\W/)[0]?.toLowerCase();
  return { id: `site-${index}`, title, address: `https://${word}.fieldworks.example` };
}

function authorizationServerOf(url: string) {
  return {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    registration_endpoint: `${url}/register`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
  };
}
