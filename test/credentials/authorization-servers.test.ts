import { createServer } from 'node:http';
import type { IntegrationTarget } from '../../src/credentials/client/integration-client.ts';
import { createAuthorizationServers } from '../../src/credentials/mcp-servers/authorization-servers.ts';
import { createTokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { acmeIntegration, acmeProvider } from '../support/acme-provider.ts';
import { closeServer, listen } from '../support/listen.ts';
import { type McpStage, startMcpStage } from '../support/mcp-stage.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 0, 1);

type Deps = Parameters<typeof createAuthorizationServers>[0];

const outbound = createOutbound({ allowPrivateNetworks: true });

/** One integration of an MCP server, kept in memory, and a clock that the test sets. */
function startServers(
  vendor: { readonly server: Pick<McpStage['server'], 'origin' | 'url'> },
  more: Partial<IntegrationTarget['integration']> = {},
  facts: object = {},
) {
  let nowMs = START_MS;
  let kept = acmeIntegration({ clientId: null, ...more });
  let secret: string | null = null;
  const provider = acmeProvider(
    {
      auth: 'oauth2',
      authorizationUrl: undefined,
      tokenUrl: undefined,
      apiBaseUrl: vendor.server.origin,
      mcp: { url: vendor.server.url },
      ...facts,
    },
    true,
  );
  const activity: string[] = [];
  const logged: (readonly [fields: object, message: string])[] = [];
  const note = (fields: object, message: string) => void logged.push([fields, message]);
  const integrations = {
    find: async () => kept,
    setAuthorizationServer: async (
      _db: unknown,
      before: typeof kept,
      authorizationServer: (typeof kept)['authorizationServer'],
      client?: { clientId: string; clientSecret: string | null },
    ) => {
      if (before.version !== kept.version) return undefined;
      if (client) secret = client.clientSecret;
      kept = {
        ...kept,
        authorizationServer,
        version: kept.version + 1,
        ...(client && { clientId: client.clientId }),
      };
      return kept;
    },
  };
  const servers = createAuthorizationServers({
    db: { transaction: (work: (trx: object) => unknown) => work({}) } as unknown as Deps['db'],
    integrations: integrations as unknown as Deps['integrations'],
    client: {
      readTarget: async () => ({ provider, integration: kept }),
      clientOf: async ({ clientId }) => ({
        clientId: clientId ?? '',
        clientSecrets: secret === null ? [] : [secret],
        secretVariables: {},
      }),
    },
    outbound,
    tokenEndpoint: createTokenEndpoint({ outbound }),
    findName: async () => 'Mail app',
    recordActivity: async (_db, changes) =>
      void activity.push(...[changes].flat().map(({ action }) => action)),
    publicUrl: 'https://gateway.example',
    allowHttp: true,
    now: () => nowMs,
    log: { warn: note, info: note },
  });
  const target = () => ({ provider, integration: kept });
  return {
    activity,
    wait: (ms: number) => {
      nowMs += ms;
    },
    authorize: () => servers.prepareAuthorization(target()),
    refresh: () => servers.prepareRefresh(target()),
    noteRefusal: (kind: string, errorCode: string) =>
      servers.noteRefusal(kept.id, kept.projectId, { kind, errorCode }),
    kept: () => kept,
    logged,
    /** As a server does whose clients do not live for ever (RFC 7591 section 3.2.1). */
    limitClient: (expiresAtMs: number) => {
      const { authorizationServer: server } = kept;
      const expiresAt = new Date(expiresAtMs).toISOString();
      if (server?.client)
        kept = { ...kept, authorizationServer: { ...server, client: { ...server.client, expiresAt } } };
    },
  };
}

const countOf = ({ authorization }: McpStage, path: string) =>
  authorization.seen.filter(({ url }) => url.startsWith(path)).length;
const discoveries = (vendor: McpStage) => countOf(vendor, '/.well-known/');
const registrations = (vendor: McpStage) => countOf(vendor, '/reg');

let vendor: McpStage;
beforeEach(async () => {
  vendor = await startMcpStage();
});
afterEach(() => vendor.close());

describe('a user who is sent to an authorization server', () => {
  it('finds what was discovered in the last ten minutes, then what the server says now', async () => {
    const stage = startServers(vendor);
    expect(await stage.authorize()).toMatchObject({ ok: true });
    const first = discoveries(vendor);
    stage.wait(10 * MINUTE_MS - 1);
    await stage.authorize();
    expect(discoveries(vendor)).toBe(first);
    stage.wait(1);
    await stage.authorize();
    expect(discoveries(vendor)).toBeGreaterThan(first);
    expect(stage.kept().authorizationServer?.discoveredAt).toBe(
      new Date(START_MS + 10 * MINUTE_MS).toISOString(),
    );
  });

  it('shares the discovery and the client with those who are sent at the same time', async () => {
    const stage = startServers(vendor);
    const both = await Promise.all([stage.authorize(), stage.authorize()]);
    expect(both[0]).toBe(both[1]);
    expect(registrations(vendor)).toBe(1);
    expect(stage.activity).toEqual(['integration.updated']);
  });

  it('keeps the client, which is proved once an hour', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { clientId } = stage.kept();
    stage.wait(HOUR_MS - 1);
    await stage.authorize();
    expect(vendor.authorization.forms).toHaveLength(0);
    stage.wait(1);
    await stage.authorize();
    expect(vendor.authorization.forms).toHaveLength(1);
    stage.wait(HOUR_MS - 1);
    await stage.authorize();
    expect(vendor.authorization.forms).toHaveLength(1);
    expect([stage.kept().clientId, registrations(vendor)]).toEqual([clientId, 1]);
  });

  it('gets another client where the server has forgotten the one', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { clientId } = stage.kept();
    await vendor.authorization.forgetClient(clientId ?? '');
    stage.wait(HOUR_MS);
    expect(await stage.authorize()).toMatchObject({ ok: true });
    expect(stage.kept().clientId).not.toBe(clientId);
    expect(registrations(vendor)).toBe(2);
  });

  it('gets another client a day before the one expires', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { clientId } = stage.kept();
    stage.limitClient(START_MS + 2 * DAY_MS);
    stage.wait(DAY_MS);
    await stage.authorize();
    expect(stage.kept().clientId).toBe(clientId);
    stage.limitClient(START_MS + 2 * DAY_MS - 1);
    stage.wait(10 * MINUTE_MS);
    await stage.authorize();
    expect(stage.kept().clientId).not.toBe(clientId);
  });

  it('is told of in the log when the server has got a client, and when it has forgotten it', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    await stage.noteRefusal('client', 'invalid_client');
    await stage.noteRefusal('client', 'invalid_client');
    const { id: integrationId, authorizationServer } = stage.kept();
    const issuer = authorizationServer?.issuer;
    expect(stage.logged).toEqual([
      [{ integrationId, issuer, by: 'registration' }, 'an authorization server has a client of the gateway'],
      [{ integrationId, issuer }, 'an authorization server forgot the client of the gateway'],
    ]);
  });

  it('goes on with what is known for thirty days where the server is out of order', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    await vendor.close();
    stage.wait(30 * DAY_MS - 1);
    // Its client cannot be proved either, which is no proof that it is forgotten.
    expect(await stage.authorize()).toMatchObject({ ok: true });
    stage.wait(1);
    expect(await stage.authorize()).toEqual({ ok: false, fault: 'unreachable' });
    vendor = await startMcpStage();
  });
});

it('a server that describes nothing is used as the provider file states', async () => {
  const silent = createServer((_request, response) => void response.writeHead(404).end());
  const origin = `http://127.0.0.1:${await listen(silent)}`;
  const stated = { authorizationUrl: `${origin}/stated/authorize`, tokenUrl: `${origin}/stated/token` };
  const stage = startServers({ server: { origin, url: `${origin}/mcp` } }, { clientId: 'own' }, stated);
  expect(await stage.authorize()).toMatchObject({ ok: true, target: { provider: stated } });
  expect((await stage.refresh()).provider).toMatchObject(stated);
  await closeServer(silent);
});

describe('a refresh', () => {
  it('brings the endpoints up to date once a day', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const first = discoveries(vendor);
    stage.wait(DAY_MS - 1);
    await stage.refresh();
    expect(discoveries(vendor)).toBe(first);
    stage.wait(1);
    const { provider } = await stage.refresh();
    expect(discoveries(vendor)).toBeGreaterThan(first);
    expect(provider.tokenUrl).toBe(`${vendor.authorization.origin}/token`);
    expect(stage.kept().authorizationServer?.client?.by).toBe('registration');
  });

  it('goes on with what is known where the server is out of order, and asks it again after ten minutes', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { tokenUrl } = (await stage.refresh()).provider;
    const asked = () => vendor.server.seen.length;
    stage.wait(DAY_MS);
    vendor.server.state.issuer = 'http://127.0.0.1:1';
    expect((await stage.refresh()).provider.tokenUrl).toBe(tokenUrl);
    const after = asked();
    stage.wait(10 * MINUTE_MS - 1);
    await stage.refresh();
    expect(asked()).toBe(after);
    stage.wait(1);
    expect((await stage.refresh()).provider.tokenUrl).toBe(tokenUrl);
    expect(asked()).toBeGreaterThan(after);
  });

  it('never moves a grant to another server', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { tokenUrl } = (await stage.refresh()).provider;
    const other = await startMcpStage();
    vendor.server.state.issuer = other.authorization.origin;
    stage.wait(DAY_MS);
    expect((await stage.refresh()).provider.tokenUrl).toBe(tokenUrl);
    expect(discoveries(other)).toBeGreaterThan(0);
    await other.close();
  });
});

describe('a refused client', () => {
  it('that the server registered is replaced at the next authorization', async () => {
    const stage = startServers(vendor);
    await stage.authorize();
    const { clientId } = stage.kept();
    expect(await stage.noteRefusal('client', 'invalid_client')).toBe(true);
    const refusedAt = stage.kept().authorizationServer?.client?.refusedAt;
    expect(refusedAt).toBe(new Date(START_MS).toISOString());
    stage.wait(1);
    expect(await stage.noteRefusal('client', 'invalid_client')).toBe(true);
    expect(stage.kept().authorizationServer?.client?.refusedAt).toBe(refusedAt);
    await stage.authorize();
    expect(stage.kept().clientId).not.toBe(clientId);
  });

  it.each([
    ['client', 'unauthorized_client'],
    ['invalid_grant', 'invalid_client'],
  ])('is kept after %s: %s', async (kind, errorCode) => {
    const stage = startServers(vendor);
    await stage.authorize();
    expect(await stage.noteRefusal(kind, errorCode)).toBe(false);
    expect(stage.kept().authorizationServer?.client?.refusedAt).toBeNull();
  });

  it('of the operator’s own is left to the operator', async () => {
    const stage = startServers(vendor, { clientId: 'own' });
    expect(await stage.authorize()).toMatchObject({ ok: true });
    expect(stage.kept().authorizationServer?.client?.by).toBe('operator');
    stage.wait(10 * MINUTE_MS);
    expect(await stage.authorize()).toMatchObject({ ok: true });
    expect(stage.kept().authorizationServer?.client?.by).toBe('operator');
    expect(await stage.noteRefusal('client', 'invalid_client')).toBe(false);
    expect(registrations(vendor)).toBe(0);
    expect(stage.activity).toEqual([]);
  });
});
