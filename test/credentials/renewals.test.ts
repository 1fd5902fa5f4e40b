import { createCatalog } from '../../src/catalog/loading/catalog.ts';
import type { CredentialState } from '../../src/credentials/refreshing/credential-state.store.ts';
import type { RefreshOutcome } from '../../src/credentials/refreshing/refresh-result.ts';
import { createRenewalsStore } from '../../src/credentials/refreshing/renewals.store.ts';
import { createRenewals } from '../../src/credentials/refreshing/renewals.worker.ts';
import { newId } from '../../src/lib/ids.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { acmeProvider } from '../support/acme-provider.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

const DAY = 86_400;
const SELF = { refreshWith: 'access_token', refreshParams: { token: '{accessToken}' } };
const never = new AbortController().signal;

const { knex: db, drop } = await createTestDatabase();
afterAll(drop);
const vault = createTestVault();
beforeEach(() => db('projects').delete());

const CATALOG = createCatalog([
  acmeProvider({ ...SELF, id: 'half' }),
  acmeProvider({ ...SELF, id: 'early', refreshBeforeExpirySeconds: 10 * DAY }),
  acmeProvider({ id: 'usual' }),
]);

const RENEWED: RefreshOutcome = refreshedWith('access-2', { refreshToken: null, expiresInSeconds: 60 * DAY });

/** One process. `asked` are the connections for which it has asked the provider. */
function startProcess(answer: (state: CredentialState) => Promise<RefreshOutcome> = async () => RENEWED) {
  const asked: string[] = [];
  const accessTokens = startAccessTokens({ db, vault }, (state) => {
    asked.push(state.connectionId);
    return answer(state);
  });
  const renewUnused = createRenewals({
    store: createRenewalsStore({ db }),
    accessTokens,
    findProviders: CATALOG.findAll,
    random: Math.random,
    log: { warn: () => undefined },
  });
  return { asked, renewUnused };
}

/** A connection of the provider whose token has `leftSeconds` of its life to go; answers its id. */
async function connect(provider: string, leftSeconds: number, lifetimeSeconds: number | null = 60 * DAY) {
  const projectId = await insertProject(db);
  const endUserId = await insertEndUser(db, projectId);
  if (provider.startsWith('custom:')) {
    const madeBy = { created_by: newId(), updated_by: newId() };
    await db('custom_providers').insert({
      id: newId(),
      project_id: projectId,
      provider,
      description: { auth: 'oauth2', ...SELF, refreshBeforeExpirySeconds: Number.MAX_SAFE_INTEGER },
      ...madeBy,
    });
  }
  const integrationId = await insertIntegration(db, vault, projectId, provider);
  return insertConnection(
    db,
    vault,
    { projectId, integrationId, endUserId },
    {
      credentials: { values: { accessToken: 'access-1' }, refreshToken: null },
      accessTokenExpiresAt: new Date(Date.now() + leftSeconds * 1000),
      accessTokenLifetimeSeconds: lifetimeSeconds,
    },
  );
}

describe('a token that renews itself, of a connection without calls', () => {
  it.each([
    ['in the second half of its life', 'half', 29 * DAY, 60 * DAY],
    ['of hours', 'half', 3_000, 7_200],
    ['at the moment that its file names', 'early', 9 * DAY, 60 * DAY],
    ['of a provider of the project’s own, as early as can be', 'custom:own', 47 * DAY, 60 * DAY],
    ['of such a provider, of unknown life', 'custom:own', 300 * DAY, null],
    ['of unknown life, a day before its end', 'half', DAY - 60, null],
  ])('is renewed %s', async (_when, provider, leftSeconds, lifetimeSeconds) => {
    const id = await connect(provider, leftSeconds, lifetimeSeconds);
    const { asked, renewUnused } = startProcess();
    expect(await renewUnused(never)).toBe(1);
    expect(asked).toEqual([id]);
    expect(await db('connections').where({ id }).first()).toMatchObject({
      credentials_version: 2,
      access_token_lifetime_seconds: 60 * DAY,
      refresh_lease_owner: null,
    });
    expect(await renewUnused(never)).toBe(0);
  });

  it.each([
    ['in the first half of its life', 'half', 31 * DAY],
    ['before the moment that its file names', 'early', 11 * DAY],
    ['once it has expired', 'half', -60],
    ['where refresh tokens do that', 'usual', 60],
  ])('is left alone %s', async (_when, provider, leftSeconds) => {
    await connect(provider, leftSeconds);
    const { asked, renewUnused } = startProcess();
    expect(await renewUnused(never)).toBe(0);
    expect(asked).toEqual([]);
  });

  it('is left alone while another process has it, and for a while after a failure', async () => {
    const [leased, failed] = [await connect('half', DAY), await connect('half', DAY)];
    const later = new Date(Date.now() + 60_000);
    await db('connections').where({ id: leased }).update({ refresh_lease_until: later });
    await db('connections').where({ id: failed }).update({ refresh_retry_at: later });
    const { asked, renewUnused } = startProcess();
    expect(await renewUnused(never)).toBe(0);
    expect(asked).toEqual([]);
  });
});

describe('renewing in the background', () => {
  it('asks for every token once, in however many processes it goes on', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => connect('half', DAY)));
    const processes = [startProcess(), startProcess(), startProcess()];
    await Promise.all(processes.map(({ renewUnused }) => renewUnused(never)));
    expect(processes.flatMap(({ asked }) => asked).toSorted()).toEqual(ids.toSorted());
  });

  it('goes on after a provider that fails, and after a grant that is dead', async () => {
    const [down, dead, faulty, good] = [
      await connect('half', DAY),
      await connect('half', DAY),
      await connect('half', DAY),
      await connect('half', DAY),
    ];
    const { asked, renewUnused } = startProcess(async ({ connectionId }) => {
      if (connectionId === faulty) throw new Error('a fault of ours');
      if (connectionId === down)
        return { ok: false, kind: 'transient', errorCode: 'http_503', delivery: 'answered' };
      return connectionId === dead
        ? { ok: false, kind: 'invalid_grant', errorCode: 'invalid_grant', delivery: 'answered' }
        : RENEWED;
    });
    expect(await renewUnused(never)).toBe(1);
    expect(asked.toSorted()).toEqual([down, dead, faulty, good].toSorted());
    const rows = await db('connections').whereIn('id', asked).orderBy('id').select('status');
    expect(rows.map(({ status }) => status).toSorted()).toEqual([
      'active',
      'active',
      'active',
      'reauthorization_required',
    ]);
  });

  it('begins with no further token when it is told to stop', async () => {
    await Promise.all(Array.from({ length: 12 }, () => connect('half', DAY)));
    const stopping = new AbortController();
    const { asked, renewUnused } = startProcess(async () => {
      stopping.abort();
      return RENEWED;
    });
    expect(await renewUnused(stopping.signal)).toBe(8);
    expect(asked).toHaveLength(8);
  });
});
