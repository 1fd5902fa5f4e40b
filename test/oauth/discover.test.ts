import { createServer } from 'node:http';
import { discoverServer } from '../../src/oauth/discover.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { closeServer, listen } from '../support/listen.ts';

type Answer = {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
};

/** What the server answers, by path; 404 to all others. */
let answers: Record<string, Answer> = {};
let asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  const { status = 200, headers = {}, body = '' } = answers[request.url ?? ''] ?? { status: 404 };
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
});
const origin = `http://127.0.0.1:${await listen(server)}`;
const outbound = createOutbound({ allowPrivateNetworks: true });
afterAll(async () => {
  await outbound.stop();
  await closeServer(server);
});

const PRM = '/.well-known/oauth-protected-resource';
const METADATA = '/.well-known/oauth-authorization-server';
const challenge = (parameters: string): Answer => ({
  status: 401,
  headers: { 'www-authenticate': `Bearer ${parameters}` },
});
const resource = (more: object = {}): Answer => ({
  body: { resource: `${origin}/mcp`, authorization_servers: [origin], scopes_supported: ['read'], ...more },
});
const metadata = (more: object = {}): Answer => ({
  body: {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    code_challenge_methods_supported: ['S256'],
    ...more,
  },
});

function discover(given: Record<string, Answer>, stated = {}) {
  answers = given;
  asked = [];
  return discoverServer({ outbound, allowHttp: true }, `${origin}/mcp`, stated);
}

describe('the authorization server of an MCP server', () => {
  it('is the one that the metadata names to which its challenge leads, with the scopes of the challenge', async () => {
    const found = await discover({
      '/mcp': challenge(`realm="x, y", resource_metadata="${origin}/elsewhere", scope="read write"`),
      '/elsewhere': resource(),
      [METADATA]: metadata({ scopes_supported: ['offline_access'], registration_endpoint: `${origin}/reg` }),
    });
    expect(found).toMatchObject({
      ok: true,
      server: {
        issuer: origin,
        resource: `${origin}/mcp`,
        registrationEndpoint: `${origin}/reg`,
        scopes: ['read', 'write', 'offline_access'],
      },
    });
  });

  it('is found by the well-known places, the more specific ones first', async () => {
    const found = await discover({
      '/mcp': { status: 401 },
      [PRM]: resource({ resource: origin, authorization_servers: [`${origin}/tenant`] }),
      '/tenant/.well-known/openid-configuration': metadata({ issuer: `${origin}/tenant` }),
    });
    expect(found).toMatchObject({ ok: true, server: { issuer: `${origin}/tenant`, scopes: ['read'] } });
    expect(asked).toEqual([
      'POST /mcp',
      `GET ${PRM}/mcp`,
      `GET ${PRM}`,
      `GET ${METADATA}/tenant`,
      'GET /.well-known/openid-configuration/tenant',
      'GET /tenant/.well-known/openid-configuration',
    ]);
  });

  it('is the server itself where it has no metadata of a resource', async () => {
    const found = await discover({ '/mcp': { status: 401 }, [METADATA]: metadata() });
    expect(found).toMatchObject({ ok: true, server: { hasMetadata: true, resource: `${origin}/mcp` } });
  });

  it('has the stated endpoints, else the usual paths, where nothing is published', async () => {
    const stated = { authorizationUrl: `${origin}/a`, tokenUrl: `${origin}/t` };
    expect(await discover({ '/mcp': { status: 401 } }, stated)).toMatchObject({
      server: { hasMetadata: false, authorizationEndpoint: `${origin}/a`, registrationEndpoint: null },
    });
    expect(await discover({ '/mcp': { status: 401 } })).toMatchObject({
      server: { tokenEndpoint: `${origin}/token`, registrationEndpoint: `${origin}/register` },
    });
  });

  it.each<[string, string, Record<string, Answer>]>([
    ['asks for no authorization', 'no_authorization', { '/mcp': { status: 400 } }],
    ['fails for the moment', 'unreachable', { '/mcp': { status: 401 }, [`${PRM}/mcp`]: { status: 503 } }],
    [
      'fails for the moment at its authorization server',
      'unreachable',
      { '/mcp': { status: 401 }, [PRM]: resource(), [METADATA]: { status: 500 } },
    ],
    [
      'speaks of another resource',
      'other_resource',
      { '/mcp': { status: 401 }, [PRM]: resource({ resource: 'https://other.example/mcp' }) },
    ],
    [
      'speaks of a resource beside it',
      'other_resource',
      { '/mcp': { status: 401 }, [PRM]: resource({ resource: `${origin}/mc` }) },
    ],
    [
      'names an authorization server that says it is another',
      'other_issuer',
      {
        '/mcp': { status: 401 },
        [PRM]: resource(),
        [METADATA]: metadata({ issuer: 'https://other.example' }),
      },
    ],
    [
      'names one without PKCE',
      'no_pkce',
      {
        '/mcp': { status: 401 },
        [PRM]: resource(),
        [METADATA]: metadata({ code_challenge_methods_supported: ['plain'] }),
      },
    ],
    [
      'names an endpoint that is no web address',
      'address_refused',
      {
        '/mcp': { status: 401 },
        [PRM]: resource(),
        [METADATA]: metadata({ authorization_endpoint: 'javascript:alert(1)' }),
      },
    ],
    [
      'names an endpoint that a template would fill',
      'address_refused',
      {
        '/mcp': { status: 401 },
        [PRM]: resource(),
        [METADATA]: metadata({ token_endpoint: `${origin}/{clientSecret}` }),
      },
    ],
    [
      'names one with a password',
      'address_refused',
      { '/mcp': { status: 401 }, [PRM]: resource({ authorization_servers: ['https://a:b@other.example'] }) },
    ],
  ])('is not found where the server %s', async (_what, fault, given) => {
    expect(await discover(given)).toMatchObject({ ok: false, fault });
  });

  it('is not looked for at private addresses, nor over http, unless both are allowed', async () => {
    const guarded = createOutbound({ allowPrivateNetworks: false });
    const found = await discoverServer({ outbound: guarded, allowHttp: false }, `${origin}/mcp`);
    await guarded.stop();
    expect(found).toMatchObject({ ok: false, fault: 'unreachable' });
    answers = { '/mcp': { status: 401 }, [PRM]: resource(), [METADATA]: metadata() };
    expect(await discoverServer({ outbound, allowHttp: false }, `${origin}/mcp`)).toMatchObject({
      ok: false,
    });
  });
});
