import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createOpenConnection } from '../../src/credentials/calling/connection-client.ts';
import { createIntegrationClient } from '../../src/credentials/client/integration-client.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import type { RefreshOutcome } from '../../src/credentials/refreshing/refresh-result.ts';
import { createIntegrationsStore } from '../../src/integrations/integrations.store.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { acmeProviderAt } from '../support/acme-provider.ts';
import { closeServer, listen } from '../support/listen.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
const vault = createTestVault();
const GET = { method: 'GET', path: '/me', query: '', headers: {}, body: undefined };
const LIMITS = { timeoutMs: 5_000, responseBytesMax: 1_000, signal: new AbortController().signal };
const HOUR_MS = 3_600_000;

/** An API that takes one access token, and what was sent to it. */
let api: {
  server: Server;
  origin: string;
  taken: string;
  seen: { url: string; token: string | undefined }[];
};

const tokenOf = ({ headers }: IncomingMessage) => headers.authorization?.replace(/^Bearer /, '');

beforeEach(async () => {
  const server = createServer((request, response) => {
    const token = tokenOf(request);
    api.seen.push({ url: request.url ?? '', token });
    response.writeHead(token === api.taken ? 200 : 401).end('{}');
  });
  const port = await listen(server);
  api = { server, origin: `http://127.0.0.1:${port}`, taken: 'access-1', seen: [] };
});

afterEach(() => closeServer(api.server));
afterAll(drop);

type Options = {
  readonly facts?: object;
  readonly livesMs?: number;
  readonly lifetimeSeconds?: number;
  readonly refreshToken?: string | null;
  readonly refreshed?: () => RefreshOutcome;
  readonly variables?: Record<string, string>;
};

/** A connection whose access token `access-1` lives for an hour, and what the gateway opens it with. */
async function connect({
  facts,
  livesMs = HOUR_MS,
  lifetimeSeconds = 3600,
  refreshToken = 'refresh-1',
  refreshed = () => refreshedWith('access-2'),
  variables = {},
}: Options = {}) {
  const provider = acmeProviderAt(api.origin, { apiBaseUrl: `${api.origin}/v1`, ...facts });
  const owner = await insertOwner(db, vault, 'acme');
  const connectionId = await insertConnection(db, vault, owner, {
    credentials: { values: { accessToken: 'access-1' }, refreshToken },
    accessTokenExpiresAt: new Date(Date.now() + livesMs),
    accessTokenLifetimeSeconds: lifetimeSeconds,
    variables,
  });
  const asked: string[] = [];
  const accessTokens = startAccessTokens({ db, vault }, async () => {
    asked.push(connectionId);
    return refreshed();
  });
  const providers = { find: () => provider };
  const integrations = createIntegrationsStore({ vault });
  const open = createOpenConnection({
    outbound: createOutbound({ allowPrivateNetworks: true }),
    client: createIntegrationClient({ db, providers, integrations, publicUrl: 'http://gateway.test' }),
    readCredentials: createRefreshStore({ db, vault, processKey: 1 }).read,
    accessTokens,
    now: Date.now,
  });
  const address = { connectionId, projectId: owner.projectId };
  return { open: () => open(address), address, asked, openAny: open };
}

const statusOf = async (answer: Promise<{ status: number }> | undefined) => (await answer)?.status;

/** Tokens of the integration's client: the next one once the provider refused one. */
function applicationTokens() {
  let version = 1;
  return {
    get: async () => `application-${version}`,
    forget: () => {
      version += 1;
    },
  };
}

describe('a connection on which the gateway itself calls', () => {
  it('is not opened where there is none, in the project or at all', async () => {
    const { openAny, address } = await connect();
    const { address: other } = await connect();
    for (const absent of [
      { ...address, projectId: other.projectId },
      { ...address, connectionId: other.projectId },
    ])
      await expect(openAny(absent)).rejects.toMatchObject({ code: 'connection_not_found' });
  });

  it('is not opened once its user has to connect again', async () => {
    const { open, address } = await connect();
    await db('connections')
      .where({ id: address.connectionId })
      .update({ status: 'reauthorization_required' });
    await expect(open()).rejects.toMatchObject({ code: 'reauthorization_required' });
  });

  it('calls below the API’s base, and asks for no token while it has one', async () => {
    const { open, asked } = await connect();
    const connection = await open();
    expect(await statusOf(connection.call({ ...GET, query: '?a=1' }, LIMITS))).toBe(200);
    expect(connection.apiOrigin).toBe(api.origin);
    expect([api.seen, asked]).toEqual([[{ url: '/v1/me?a=1', token: 'access-1' }], []]);
  });

  it('keeps secret what its integration and its credential hold, and no variable', async () => {
    const { open } = await connect({
      facts: { variables: { region: { from: 'user' } } },
      variables: { region: 'eu-1' },
    });
    const connection = await open();
    expect(connection.variables).toEqual({ region: 'eu-1' });
    expect(connection.secrets()).toEqual(expect.arrayContaining(['access-1', 'client-secret-1']));
    expect(connection.secrets()).not.toContain('eu-1');
  });

  it('shows a request with stand-ins for secrets, and with the values of variables', async () => {
    const { open } = await connect({
      facts: {
        variables: { region: { from: 'user' } },
        apiHeaders: { 'X-Region': '{region}' },
      },
      variables: { region: 'eu-1' },
    });
    const shown = (await open()).show(GET);
    expect(shown).toMatchObject({
      method: 'GET',
      url: `${api.origin}/v1/me`,
      headers: { Authorization: 'Bearer <accessToken>', 'X-Region': 'eu-1' },
    });
    expect(api.seen).toEqual([]);
  });

  it('fetches a file without its credential', async () => {
    const { open } = await connect();
    await (await open()).fetchFile(`${api.origin}/file`, LIMITS);
    expect(api.seen).toEqual([{ url: '/file', token: undefined }]);
  });

  it.each([
    ['that has nothing before it', '?page=2', '/v1/me?page=2'],
    ['that begins at the root', '/v2/next?page=2', '/v2/next?page=2'],
    ['of the same origin', 'ORIGIN/v1/next', '/v1/next'],
  ])('follows a link %s', async (_which, link, url) => {
    const { open } = await connect();
    const followed = (await open()).follow(
      link.replace('ORIGIN', api.origin),
      { ...GET, path: '/v1/me' },
      LIMITS,
    );
    expect(await statusOf(followed)).toBe(200);
    expect(api.seen).toEqual([{ url, token: 'access-1' }]);
  });

  it.each([
    'https://evil.example/next',
    '//evil.example/next',
    'http://a:b@HOST/next',
    'http://a@HOST/',
    'http://:b@HOST/',
    'http://[',
  ])('does not follow %s', async (link) => {
    const { open } = await connect();
    const connection = await open();
    const to = link.replace('HOST', new URL(api.origin).host);
    expect(connection.follow(to, GET, LIMITS)).toBeUndefined();
    expect(connection.asApplication(applicationTokens(), []).follow(to, GET, LIMITS)).toBeUndefined();
    expect(api.seen).toEqual([]);
  });
});

describe('an access token of the gateway’s own calls', () => {
  it.each([
    ['has expired', -1_000],
    ['is about to expire', 10_000],
  ])('is refreshed before a call where it %s, and used for the next ones', async (_when, livesMs) => {
    api.taken = 'access-2';
    const { open, asked } = await connect({ livesMs });
    const connection = await open();
    expect(await statusOf(connection.call(GET, LIMITS))).toBe(200);
    expect(await statusOf(connection.follow('/v1/next', GET, LIMITS))).toBe(200);
    expect(asked).toHaveLength(1);
    expect(api.seen.map(({ token }) => token)).toEqual(['access-2', 'access-2']);
  });

  it('is refreshed before a link is followed', async () => {
    api.taken = 'access-2';
    const { open } = await connect({ livesMs: -1_000 });
    expect(await statusOf((await open()).follow('/v1/next', GET, LIMITS))).toBe(200);
  });

  it('is used while the provider has no other one, as long as it is good for a while', async () => {
    const refreshed = (): RefreshOutcome => ({
      ...{ ok: false, kind: 'transient', errorCode: 'http_503', delivery: 'answered', status: 503 },
    });
    const { open, asked } = await connect({ livesMs: 60_000, lifetimeSeconds: 10_000, refreshed });
    expect(await statusOf((await open()).call(GET, LIMITS))).toBe(200);
    expect(asked).toHaveLength(1);
    const late = await connect({ livesMs: 10_000, refreshed });
    await expect((await late.open()).call(GET, LIMITS)).rejects.toMatchObject({
      code: 'refresh_unavailable',
      headers: { 'Retry-After': expect.stringMatching(/^\d+$/) },
    });
    expect(api.seen).toHaveLength(1);
  });

  it('that the provider refuses is exchanged once, and the call made again', async () => {
    api.taken = 'access-2';
    const { open, asked } = await connect();
    const connection = await open();
    expect(await statusOf(connection.call(GET, LIMITS))).toBe(200);
    expect(asked).toHaveLength(1);
    expect(api.seen.map(({ token }) => token)).toEqual(['access-1', 'access-2']);
  });

  it('is exchanged for all calls that were made with it', async () => {
    api.taken = 'access-2';
    const { open, asked } = await connect();
    const connection = await open();
    const both = await Promise.all([connection.call(GET, LIMITS), connection.call(GET, LIMITS)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(asked).toHaveLength(1);
  });

  it('leaves the provider’s answer as it is where the next one is refused as well', async () => {
    api.taken = 'access-3';
    const { open } = await connect();
    expect(await statusOf((await open()).call(GET, LIMITS))).toBe(401);
    expect(api.seen).toHaveLength(2);
  });

  it('ends in reauthorization_required where its grant is dead', async () => {
    api.taken = 'access-2';
    const refreshed = (): RefreshOutcome => ({
      ...{ ok: false, kind: 'invalid_grant', errorCode: 'invalid_grant', delivery: 'answered', status: 400 },
    });
    const { open } = await connect({ refreshed });
    await expect((await open()).call(GET, LIMITS)).rejects.toMatchObject({
      code: 'reauthorization_required',
    });
  });

  it('that renews itself cannot do so once the provider refuses it', async () => {
    api.taken = 'access-2';
    const { open, asked } = await connect({
      facts: { refreshWith: 'access_token', refreshParams: { token: '{accessToken}' } },
      refreshToken: null,
    });
    expect(await statusOf((await open()).call(GET, LIMITS))).toBe(401);
    expect([asked, api.seen.length]).toEqual([[], 1]);
  });

  it('without a refresh token stays refused', async () => {
    api.taken = 'access-2';
    const { open, asked } = await connect({ refreshToken: null });
    expect(await statusOf((await open()).call(GET, LIMITS))).toBe(401);
    expect([asked, api.seen.length]).toEqual([[], 1]);
  });

  it('of the integration’s client is asked for again, without a refresh token', async () => {
    api.taken = 'access-2';
    const { open, asked } = await connect({
      facts: { auth: 'oauth2-client-credentials', authorizationUrl: undefined },
      refreshToken: null,
      refreshed: () => refreshedWith('access-2', { refreshToken: null }),
    });
    expect(await statusOf((await open()).call(GET, LIMITS))).toBe(200);
    expect(asked).toHaveLength(1);
  });

  it('that was removed meanwhile is not exchanged', async () => {
    api.taken = 'access-2';
    const { open, address, asked } = await connect();
    const connection = await open();
    await db('connections').where({ id: address.connectionId }).delete();
    expect(await statusOf(connection.call(GET, LIMITS))).toBe(401);
    expect(asked).toEqual([]);
  });

  it('of the application is followed by its next one, and the connection’s is not exchanged', async () => {
    const { open, asked } = await connect();
    const calls = (await open()).asApplication(applicationTokens(), []);
    expect(await statusOf(calls.call(GET, LIMITS))).toBe(401);
    expect(await statusOf(calls.follow('/v2/x', GET, LIMITS))).toBe(401);
    expect(asked).toEqual([]);
    expect(api.seen).toEqual([
      { url: '/v1/me', token: 'application-1' },
      { url: '/v1/me', token: 'application-2' },
      { url: '/v2/x', token: 'application-2' },
      { url: '/v2/x', token: 'application-3' },
    ]);
  });
});

describe('calls outside of the API', () => {
  it('get the credential’s values, and newer ones once where they are refused', async () => {
    const { open } = await connect();
    const connection = await open();
    const used: (string | undefined)[] = [];
    const ask = async ({ accessToken }: Readonly<Record<string, string>>) => {
      used.push(accessToken);
      return accessToken === 'access-2';
    };
    expect(await connection.ask(ask, (isTaken) => !isTaken)).toBe(true);
    expect(await connection.ask(ask, (isTaken) => !isTaken)).toBe(true);
    expect(used).toEqual(['access-1', 'access-2', 'access-2']);
  });

  it('keep an answer that is no refusal, and one for which there is no other credential', async () => {
    const { open, asked } = await connect({ refreshToken: null });
    const connection = await open();
    expect(
      await connection.ask(
        async () => 'answer',
        () => false,
      ),
    ).toBe('answer');
    expect(
      await connection.ask(
        async () => 'refused',
        () => true,
      ),
    ).toBe('refused');
    expect(asked).toEqual([]);
  });

  it('get a token that has expired refreshed first', async () => {
    const { open } = await connect({ livesMs: -1_000 });
    expect(
      await (await open()).ask(
        async ({ accessToken }) => accessToken,
        () => false,
      ),
    ).toBe('access-2');
  });
});
