import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { readCookie } from '../../src/http/cookies.ts';
import { HttpError } from '../../src/http/errors.ts';
import { createFindAccessKey } from '../../src/identity/api-keys/find-access-key.ts';
import { createAuthenticate } from '../../src/identity/authenticate.ts';
import { generateManagedKey } from '../../src/identity/signing-keys/key-material.ts';
import { signUserToken } from '../../src/identity/user-jwt/user-jwt.ts';
import { createKeySets } from '../../src/identity/verification/key-sets.ts';
import { createOpaqueToken } from '../../src/lib/opaque-tokens.ts';
import { closeServer, listen } from '../support/listen.ts';
import { NO_MANDATE } from './key-sets-world.ts';

const PROJECT = '0190b1e2-0000-7000-8000-0000000000aa';
const apiKey = createOpaqueToken('igk_');
const accessToken = createOpaqueToken('igo_');
const session = createOpaqueToken('');
const signingKey = generateManagedKey();
const CALLER = { address: '192.0.2.1', network: '192.0.2.1', isSuspect: false };
const ANYWHERE: { allowedAddresses: readonly string[] | null } = { allowedAddresses: null };
const KEY = {
  ...ANYWHERE,
  apiKeyId: 'key-1',
  lineageId: 'key-0',
  projectId: PROJECT,
  scopes: ['*'],
  isExpired: false,
};
const TOKEN = { ...ANYWHERE, personalAccessTokenId: 'token-1', operatorId: 'operator-1', isExpired: false };
/** From where too many wrong credentials came. */
const SUSPECT = { ...CALLER, isSuspect: true };

function setUp() {
  const world = {
    nowMs: 1_800_000_000_000,
    /** By hash, as the store keeps them. */
    apiKeys: new Map([[apiKey.hash.toString('hex'), { ...KEY }]]),
    accessTokens: new Map([[accessToken.hash.toString('hex'), { ...TOKEN }]]),
    sessions: new Map([
      [session.hash.toString('hex'), { sessionId: 'session-1', operatorId: 'operator-1', isExpired: false }],
    ]),
    storeError: undefined as Error | undefined,
    reads: 0,
    /** How many credentials each look-up of several was about. */
    batches: [] as number[],
    gate: Promise.resolve(),
    uses: [] as string[],
    /** Of keys and tokens, and the address that they were used from though bound to others. */
    refusedUses: [] as string[],
  };
  const finder = <T extends { isExpired: boolean }>(rows: Map<string, T>) =>
    createFindAccessKey<T>({
      async find(hash) {
        world.reads += 1;
        if (world.storeError) throw world.storeError;
        return rows.get(hash.toString('hex'));
      },
      async findMany(hashes) {
        world.batches.push(hashes.length);
        await world.gate;
        const found = hashes.map((hash) => [hash.toString('hex'), rows.get(hash.toString('hex'))] as const);
        return new Map(found.flatMap(([name, row]) => (row === undefined ? [] : [[name, row]])));
      },
      now: () => world.nowMs,
    });
  const keySets = createKeySets({
    loadProjectKeys: async (projectId) =>
      projectId === PROJECT
        ? {
            keys: [
              {
                id: 'signing-1',
                kid: signingKey.kid,
                kind: 'managed',
                alg: 'ES256',
                publicKeyPem: signingKey.publicKeyPem,
                jwksUrl: null,
                issuer: null,
                audience: null,
              },
            ],
            revocationsVersion: 0,
          }
        : undefined,
    loadRevocations: async () => [],
    findMandate: () => NO_MANDATE,
    refusedPerNetworkPerMinute: 300,
    heldRefusalsMax: 0,
    noteRefusedToken: () => undefined,
    fetchJwks: () => Promise.reject(new Error('no JWKS here')),
    now: () => world.nowMs,
    log: { warn: () => undefined, error: () => undefined },
  });
  const authenticate = createAuthenticate({
    findApiKey: finder(world.apiKeys),
    findPersonalAccessToken: finder(world.accessTokens),
    sessions: {
      readCookie: (request) => readCookie(request, 'gateway_session'),
      endedCookie: 'gateway_session=; Max-Age=0',
      find: finder(world.sessions),
    },
    verifyManagementToken: keySets.verifyManagementToken,
    endUserId: async (projectId, subject) => `${projectId}/${subject}`,
    organizationId: async (projectId, organization) => `${projectId}/organization/${organization}`,
    noteAccessKeyUse: (kind, id) => world.uses.push(`${kind} ${id}`),
    async noteRefusedAddress({ id, address }) {
      world.refusedUses.push(`${id} ${address}`);
    },
  });
  const userToken = (expiresInSeconds = 60) =>
    signUserToken({ ...signingKey, projectId: PROJECT, subject: 'u', expiresInSeconds, now: world.nowMs })
      .token;
  const asUser = (headers: Record<string, string>) =>
    authenticate({ rawHeaders: ['Authorization', `Bearer ${userToken()}`], headers, ...CALLER });
  const from = (caller: typeof CALLER, ...values: string[]) =>
    authenticate({
      rawHeaders: ['Host', 'a', ...values.flatMap((value) => ['Authorization', value])],
      headers: {},
      ...caller,
    });
  const as = (...values: string[]) => from(CALLER, ...values);
  /** As a browser with this session cookie, and perhaps a token. */
  const withCookie = (cookie: string, ...rawHeaders: string[]) =>
    authenticate({ rawHeaders, headers: { cookie: `gateway_session=${cookie}` }, ...CALLER });
  return { world, authenticate, as, from, asUser, userToken, withCookie };
}

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof HttpError ? error.code : String(error);
}

describe('a session cookie', () => {
  it('stands for its operator, and each use is noted', async () => {
    const { world, withCookie } = setUp();
    const operator = { kind: 'operator', operatorId: 'operator-1', sessionId: 'session-1' };
    expect(await withCookie(session.token)).toEqual(operator);
    expect(world.uses).toEqual(['session session-1']);
  });

  it('is not looked at beside an Authorization field, whatever that field is worth', async () => {
    const { world, withCookie } = setUp();
    expect(await withCookie(session.token, 'Authorization', `Bearer ${apiKey.token}`)).toMatchObject({
      kind: 'api_key',
    });
    for (const value of ['', 'Basic YTpi', `Bearer ${accessToken.token}x`]) {
      expect(await codeOf(withCookie(session.token, 'Authorization', value))).toBe('token_invalid');
    }
    expect(world.uses).toEqual(['api_key key-1']);
  });

  it('of a session that has ended, or never was, is refused and taken away', async () => {
    const { world, withCookie } = setUp();
    world.sessions.set(session.hash.toString('hex'), {
      sessionId: 'session-1',
      operatorId: 'operator-1',
      isExpired: true,
    });
    for (const cookie of [session.token, createOpaqueToken('').token]) {
      await expect(withCookie(cookie)).rejects.toMatchObject({
        code: 'signed_out',
        headers: { 'Set-Cookie': 'gateway_session=; Max-Age=0' },
      });
    }
    expect(await codeOf(withCookie(''))).toBe('token_missing');
  });
});

describe('a management request', () => {
  it('is an API key’s, an operator’s or an end user’s, as its credential says', async () => {
    const { as, userToken } = setUp();
    expect(await as(`Bearer ${apiKey.token}`)).toEqual({
      kind: 'api_key',
      apiKeyId: 'key-1',
      lineageId: 'key-0',
      projectId: PROJECT,
      scopes: ['*'],
    });
    expect(await as(`Bearer ${accessToken.token}`)).toEqual({
      kind: 'operator',
      operatorId: 'operator-1',
      personalAccessTokenId: 'token-1',
    });
    expect(await as(`Bearer ${userToken()}`)).toEqual({
      kind: 'end_user',
      projectId: PROJECT,
      endUserId: `${PROJECT}/u`,
      subject: 'u',
    });
  });

  it.each(['bearer', 'BEARER', 'Bearer ', ' Bearer'])('may write the scheme as "%s"', async (scheme) => {
    const { as } = setUp();
    expect(await as(`${scheme} ${apiKey.token} `)).toMatchObject({ kind: 'api_key' });
  });

  it('without credentials lacks them', async () => {
    expect(await codeOf(setUp().as())).toBe('token_missing');
  });

  it.each([
    ['an unknown API key', `Bearer ${createOpaqueToken('igk_').token}`],
    ['an unknown access token', `Bearer ${createOpaqueToken('igo_').token}`],
    ['an API key with the other prefix', `Bearer igo_${apiKey.token.slice(4)}`],
    ['a key that is cut short', `Bearer ${apiKey.token.slice(0, -1)}`],
    ['a key that is longer', `Bearer ${apiKey.token}A`],
    ['a prefix alone', 'Bearer igk_'],
    ['no credential', 'Bearer'],
    ['an empty one', 'Bearer '],
    ['two of them', `Bearer ${apiKey.token} ${apiKey.token}`],
    ['two joined by a comma', `Bearer ${apiKey.token}, Bearer ${apiKey.token}`],
    ['another scheme', `Basic ${Buffer.from(`${apiKey.token}:`).toString('base64')}`],
    ['no scheme', apiKey.token],
    ['garbage', 'Bearer a.b.c'],
    ['an empty field', ''],
  ])('is refused with %s', async (_what, value) => {
    expect(await codeOf(setUp().as(value))).toBe('token_invalid');
  });

  it('with a key or token that is bound to addresses is told so from elsewhere, however often, and is no use of it', async () => {
    const { world, from } = setUp();
    const bound = { allowedAddresses: ['10.0.0.0/8', '2001:db8::/48'] };
    world.apiKeys.set(apiKey.hash.toString('hex'), { ...KEY, ...bound });
    world.accessTokens.set(accessToken.hash.toString('hex'), { ...TOKEN, ...bound });
    for (const bearer of [apiKey.token, accessToken.token]) {
      const at = (address: string, isSuspect = false) =>
        from({ ...CALLER, address, isSuspect }, `Bearer ${bearer}`);
      for (const address of ['10.9.8.7', '::ffff:10.9.8.7', '2001:db8::1'])
        expect(await at(address)).toBeDefined();
      for (const address of ['192.0.2.1', '2001:db8:1::1', 'unknown', '', '10.9.8.7, 192.0.2.1']) {
        expect(await codeOf(at(address))).toBe('address_not_allowed');
        expect(await codeOf(at(address, true))).toBe('address_not_allowed');
      }
    }
    expect(world.uses).toHaveLength(6);
    expect(world.refusedUses).toHaveLength(20);
    expect(world.refusedUses.slice(0, 2)).toEqual(['key-1 192.0.2.1', 'key-1 192.0.2.1']);
  });

  it('tells nothing of addresses where the key is unknown or has expired', async () => {
    const { world, as } = setUp();
    const bound = { ...KEY, allowedAddresses: ['10.0.0.0/8'], isExpired: true };
    world.apiKeys.set(apiKey.hash.toString('hex'), bound);
    expect(await codeOf(as(`Bearer ${apiKey.token}`))).toBe('token_expired');
    expect(await codeOf(as(`Bearer ${createOpaqueToken('igk_').token}`))).toBe('token_invalid');
    expect(world.refusedUses).toEqual([]);
  });

  it('is refused with two Authorization fields, whatever their case and order', async () => {
    const { as, authenticate } = setUp();
    const good = `Bearer ${apiKey.token}`;
    expect(await codeOf(as(good, good))).toBe('token_invalid');
    const rawHeaders = ['authorization', good, 'AUTHORIZATION', 'Bearer x'];
    expect(await codeOf(authenticate({ rawHeaders, headers: {}, ...CALLER }))).toBe('token_invalid');
  });

  it('reads names at even places only: a value that says authorization is no credential', async () => {
    const { authenticate } = setUp();
    const rawHeaders = ['X-Name', 'Authorization', `Bearer ${apiKey.token}`, 'x'];
    expect(await codeOf(authenticate({ rawHeaders, headers: {}, ...CALLER }))).toBe('token_missing');
  });

  it('may name its project, which then must fit the token', async () => {
    const { asUser } = setUp();
    expect(await asUser({ 'gateway-project': PROJECT })).toMatchObject({ projectId: PROJECT });
    const others = [PROJECT.replace('aa', 'bb'), 'x', '', `${PROJECT}, ${PROJECT}`];
    for (const other of others)
      expect(await codeOf(asUser({ 'gateway-project': other }))).toBe('token_invalid');
  });

  it('is told that its user token has expired', async () => {
    const { world, as, userToken } = setUp();
    const token = userToken();
    world.nowMs += 90_000;
    expect(await codeOf(as(`Bearer ${token}`))).toBe('token_expired');
  });

  it('is told when the store is away, and not when something else is wrong', async () => {
    const { world, as } = setUp();
    world.storeError = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(await codeOf(as(`Bearer ${apiKey.token}`))).toBe('store_unavailable');
    world.storeError = new Error('no such column');
    expect(await codeOf(as(`Bearer ${apiKey.token}`))).toBe('Error: no such column');
  });
});

describe('stored credentials', () => {
  it('are looked up for every request, whose use is noted', async () => {
    const { world, as } = setUp();
    await as(`Bearer ${apiKey.token}`);
    await as(`Bearer ${accessToken.token}`);
    await as(`Bearer ${apiKey.token}`);
    expect(world.reads).toBe(3);
    expect(world.uses).toEqual(['api_key key-1', 'personal_access_token token-1', 'api_key key-1']);
  });

  it('stop working with the request after their revocation', async () => {
    const { world, as } = setUp();
    await as(`Bearer ${apiKey.token}`);
    world.apiKeys.clear();
    expect(await codeOf(as(`Bearer ${apiKey.token}`))).toBe('token_invalid');
    await as(`Bearer ${accessToken.token}`);
    world.accessTokens.clear();
    expect(await codeOf(as(`Bearer ${accessToken.token}`))).toBe('token_invalid');
  });

  it('say that they have expired, which is no use of them', async () => {
    const { world, as } = setUp();
    for (const row of [...world.apiKeys.values(), ...world.accessTokens.values()]) row.isExpired = true;
    for (const { token } of [apiKey, accessToken])
      expect(await codeOf(as(`Bearer ${token}`))).toBe('token_expired');
    expect(world.uses).toEqual([]);
  });

  it('work at once when they are new', async () => {
    const { world, as } = setUp();
    const fresh = createOpaqueToken('igk_');
    expect(await codeOf(as(`Bearer ${fresh.token}`))).toBe('token_invalid');
    world.apiKeys.set(fresh.hash.toString('hex'), { ...KEY, apiKeyId: 'key-2' });
    expect(await as(`Bearer ${fresh.token}`)).toMatchObject({ apiKeyId: 'key-2' });
  });

  it('of the wrong form are refused without a look into the store', async () => {
    const { world, as } = setUp();
    for (const value of ['igk_', 'igo_x', `igk_${'x'.repeat(44)}`, `igx_${'x'.repeat(43)}`]) {
      expect(await codeOf(as(`Bearer ${value}`))).toBe('token_invalid');
    }
    expect(world.reads).toBe(0);
    expect(world.uses).toEqual([]);
  });
});

describe('from a network that has sent too many wrong credentials', () => {
  const wrong = () => `Bearer ${createOpaqueToken('igk_').token}`;

  it('good ones pass, first calls included', async () => {
    const { world, from } = setUp();
    const guesses = Array.from({ length: 300 }, () => codeOf(from(SUSPECT, wrong())));
    const good = from(SUSPECT, `Bearer ${apiKey.token}`);
    expect(await good).toMatchObject({ kind: 'api_key' });
    expect(await from(SUSPECT, `Bearer ${accessToken.token}`)).toMatchObject({ kind: 'operator' });
    expect(new Set(await Promise.all(guesses))).toEqual(new Set(['token_invalid']));
    expect(world.reads).toBe(0);
  });

  it('unknown ones are looked up together, one query at a time', async () => {
    const { world, from } = setUp();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const guesses = Array.from({ length: 900 }, () => codeOf(from(SUSPECT, wrong())));
    await turn();
    expect(world.batches).toHaveLength(1);
    held.resolve();
    await Promise.all(guesses);
    expect(world.batches.reduce((sum, size) => sum + size, 0)).toBe(900);
    expect(world.batches.length).toBeLessThanOrEqual(3);
    expect(Math.max(...world.batches)).toBeLessThanOrEqual(500);
  });

  it('those that wait are bounded in number', async () => {
    const { world, from } = setUp();
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const guesses = Array.from({ length: 6_000 }, () => codeOf(from(SUSPECT, wrong())));
    await turn();
    held.resolve();
    const codes = await Promise.all(guesses);
    expect(codes.filter((code) => code === 'overloaded')).toHaveLength(1_000);
    expect(codes.filter((code) => code === 'token_invalid')).toHaveLength(5_000);
  });

  it('a wrong one that is repeated is refused from memory for a minute', async () => {
    const { world, from } = setUp();
    const repeated = wrong();
    for (let count = 0; count < 5; count += 1) {
      expect(await codeOf(from(SUSPECT, repeated))).toBe('token_invalid');
    }
    expect(world.batches).toEqual([1]);
    world.nowMs += 60_000;
    expect(await codeOf(from(SUSPECT, repeated))).toBe('token_invalid');
    expect(world.batches).toEqual([1, 1]);
  });

  it('one that was good lately is looked up at once, and memory alone never lets it pass', async () => {
    const { world, as, from } = setUp();
    await as(`Bearer ${apiKey.token}`);
    const held = Promise.withResolvers<void>();
    world.gate = held.promise;
    const guess = codeOf(from(SUSPECT, wrong()));
    expect(await from(SUSPECT, `Bearer ${apiKey.token}`)).toMatchObject({ kind: 'api_key' });
    world.apiKeys.clear();
    expect(await codeOf(from(SUSPECT, `Bearer ${apiKey.token}`))).toBe('token_invalid');
    held.resolve();
    expect(await guess).toBe('token_invalid');
  });

  it('an outage of the store ends no later look-up', async () => {
    const { world, from } = setUp();
    world.gate = Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    expect(await codeOf(from(SUSPECT, wrong()))).toBe('store_unavailable');
    world.gate = Promise.resolve();
    expect(await from(SUSPECT, `Bearer ${apiKey.token}`)).toMatchObject({ kind: 'api_key' });
  });
});

describe('over a real connection', () => {
  let server: Server;
  let port: number;

  beforeEach(async () => {
    const { authenticate } = setUp();
    server = createServer((request, response) => {
      const { rawHeaders, headers } = request;
      authenticate({ rawHeaders, headers, ...CALLER }).then(
        (principal) => response.end(principal.kind),
        (error: unknown) => response.end(error instanceof HttpError ? error.code : 'failed'),
      );
    });
    port = await listen(server);
  });
  afterEach(() => closeServer(server));

  /** The body of the answer to a request with exactly these field lines. */
  async function send(...lines: string[]): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    socket.end(`${['GET / HTTP/1.0', 'Host: a', ...lines].join('\r\n')}\r\n\r\n`);
    return (await text(socket)).split('\r\n\r\n')[1] ?? '';
  }

  it('a second Authorization field is noticed, although Node drops it from its headers', async () => {
    const good = `Authorization: Bearer ${apiKey.token}`;
    expect(await send(good)).toBe('api_key');
    expect(await send(good, 'authorization: Bearer other')).toBe('token_invalid');
    expect(await send('authorization: Bearer other', good)).toBe('token_invalid');
  });
});
