import type { Knex } from 'knex';
import type { ConnectSession } from '../../src/connect/connect-session.ts';
import { createFinishGrant } from '../../src/connect/finish-grant.ts';
import type { Grant } from '../../src/connections/connection.ts';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { createTestDatabase, type TestDatabase, waitForLockQueue } from '../support/postgres.ts';
import { buildGrant, createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

const vault = createTestVault();
const connections = createConnectionsStore({ vault });

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const GRANT = buildGrant(
  { values: { accessToken: 'granted' }, refreshToken: null },
  { accountId: 'account-1' },
);

/** A user with a connection of the account, and a session in which the same account is authorized. */
async function startStage(named: { connectionId: 'theirs' | null }, granted: Grant = GRANT) {
  const db = database.knex;
  const owner = await insertOwner(db, vault, 'acme');
  const connectionId = await insertConnection(db, vault, owner, { accountId: 'account-1' });
  const session: ConnectSession = {
    ...owner,
    id: newId(),
    personId: owner.endUserId,
    tags: {},
    connectionId: named.connectionId && connectionId,
    organizationClientId: null,
    integrationIds: null,
    tenantId: null,
    applicationVariables: {},
    origin: null,
    returnUrl: null,
    locale: null,
    display: 'popup',
    allowMultiple: false,
    completion: 'same_user',
    madeByKind: 'end_user',
    madeById: owner.endUserId,
    madeByTokenId: null,
    state: 'opened',
    browserHash: null,
    variables: {},
    errorCode: null,
    resultConnectionId: null,
    expiresAt: new Date(Date.now() + 60_000),
  };
  const actions: string[] = [];
  const finishGrant = createFinishGrant({
    connections,
    findTagClaims: async () => [],
    recordActivity: async (_db, changes) =>
      void actions.push(...[changes].flat().map(({ action }) => action)),
    lockEndUser: async () => undefined,
  });
  const finish = () =>
    db.transaction((trx: Knex.Transaction) => finishGrant(trx, session, granted, { kind: 'gateway' }));
  return { projectId: owner.projectId, connectionId, actions, finish };
}

describe('a grant of an account that has a connection', () => {
  it('takes the place of the old one', async () => {
    const { connectionId, actions, finish } = await startStage({ connectionId: null });
    expect(await finish()).toBe(connectionId);
    expect(actions).toEqual(['connection.reauthorized']);
  });

  it('becomes a connection of its own where that one is deleted at the same moment', async () => {
    const { projectId, connectionId, actions, finish } = await startStage({ connectionId: null });
    const made = await finishWhileDeleted(connectionId, finish);
    expect(made).not.toBe(connectionId);
    expect(await connections.find(database.knex, String(made), [projectId])).toMatchObject({
      accountId: 'account-1',
      status: 'active',
    });
    expect(actions).toEqual(['connection.created']);
  });

  it('is refused where that one was to be renewed, and is deleted at the same moment', async () => {
    const { connectionId, actions, finish } = await startStage({ connectionId: 'theirs' });
    await expect(finishWhileDeleted(connectionId, finish)).rejects.toMatchObject({
      code: 'account_mismatch',
    });
    expect(actions).toEqual([]);
  });
});

describe('a grant that brings no refresh token', () => {
  const refreshTokenOf = async (connectionId: string, projectId: string) =>
    (await createRefreshStore({ db: database.knex, vault }).read(connectionId, projectId))?.credentials;
  const change = (id: string, columns: object) => database.knex('connections').where({ id }).update(columns);

  it('keeps that of before, with its own access token, where the account is the same', async () => {
    const { projectId, connectionId, finish } = await startStage({ connectionId: 'theirs' });
    await finish();
    expect(await refreshTokenOf(connectionId, projectId)).toEqual({
      values: { accessToken: 'granted' },
      refreshToken: 'refresh-1',
    });
  });

  it('gives way to one that does', async () => {
    const newer = { ...GRANT, credentials: { ...GRANT.credentials, refreshToken: 'refresh-new' } };
    const { projectId, connectionId, finish } = await startStage({ connectionId: 'theirs' }, newer);
    await finish();
    expect(await refreshTokenOf(connectionId, projectId)).toMatchObject({ refreshToken: 'refresh-new' });
  });

  it.each<[string, object]>([
    ['that the provider has refused', { status: 'reauthorization_required' }],
    ['that the provider has refused for some time', { refresh_refused_since: new Date() }],
    ['whose account was never known', { account_id: null }],
    ['that cannot be read', { credentials_sealed: 'v1.k1.x' }],
  ])('does not keep one of before %s', async (_, columns) => {
    const { projectId, connectionId, finish } = await startStage({ connectionId: 'theirs' });
    await change(connectionId, columns);
    await finish();
    expect(await refreshTokenOf(connectionId, projectId)).toMatchObject({ refreshToken: null });
  });

  it('does not keep what came with another kind of grant', async () => {
    const { projectId, connectionId, finish } = await startStage(
      { connectionId: 'theirs' },
      { ...GRANT, credentials: { values: { apiKey: 'key' }, refreshToken: null } },
    );
    await finish();
    expect(await refreshTokenOf(connectionId, projectId)).toMatchObject({ refreshToken: null });
  });

  it('while a refresh spends that of before, takes the next one', async () => {
    const { projectId, connectionId, finish } = await startStage({ connectionId: 'theirs' });
    const process = startAccessTokens({ db: database.knex, vault }, async () => {
      await finish();
      return refreshedWith('access-2');
    });
    const target = {
      connectionId,
      projectId,
      integrationId: '',
      version: 1,
      reuse: { kind: 'once' },
    } as const;
    expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 3 } });
    expect(await refreshTokenOf(connectionId, projectId)).toMatchObject({ refreshToken: 'refresh-2' });
  });
});

/** Deletes the connection in a transaction that commits once the other one, which has seen it, waits for it. */
async function finishWhileDeleted<T>(connectionId: string, finish: () => Promise<T>): Promise<T> {
  const deleting = await database.knex.transaction();
  await deleting('connections').where({ id: connectionId }).delete();
  const finishing = finish();
  finishing.catch(() => undefined);
  await waitForLockQueue(deleting, database.knex);
  await deleting.commit();
  return finishing;
}
