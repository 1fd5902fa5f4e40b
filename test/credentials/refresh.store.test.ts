import { createRefreshStore, type RefreshTarget } from '../../src/credentials/refresh.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';

const { knex: db, drop } = await createTestDatabase();
const vault = createTestVault();
const store = createRefreshStore({ db, vault });
afterAll(drop);

/** A connection whose refresh this process has claimed. */
async function claimRefresh() {
  const { projectId, integrationId, endUserId } = await insertOwner(db, vault, 'acme');
  const connectionId = await insertConnection(db, vault, { projectId, integrationId, endUserId });
  const target: RefreshTarget = {
    ...{ connectionId, projectId, integrationId, version: 1 },
    reuse: { kind: 'once' },
  };
  const owner = newId();
  const state = await store.claim(target, owner);
  if (state === undefined) throw new Error('the refresh cannot be claimed');
  const row = () => db('connections').where({ id: connectionId }).first();
  /** Up to the next ten seconds: the test takes some time, too. */
  const answerInSeconds = async () => {
    const [found] = await db('connections')
      .where({ id: connectionId })
      .select(db.raw('extract(epoch from refresh_answer_until - now())::float AS seconds'));
    return found?.seconds === null ? null : Math.ceil(found?.seconds / 10) * 10;
  };
  return { target, owner, state, row, answerInSeconds };
}

describe('a refresh that is refused', () => {
  it('changes the connection once, however many hear of it', async () => {
    const { state, owner, row } = await claimRefresh();
    expect(await store.refuse(db, state, owner, 'first')).toBe(true);
    const { version } = await row();
    expect(await store.refuse(db, state, owner, 'second')).toBe(false);
    expect(await row()).toMatchObject({
      status: 'reauthorization_required',
      status_reason: 'first',
      version,
    });
  });

  it('changes nothing for one that has not asked', async () => {
    const { state, row } = await claimRefresh();
    expect(await store.refuse(db, state, newId(), 'other')).toBe(false);
    expect(await row()).toMatchObject({ status: 'active' });
  });
});

describe('a request that got no answer', () => {
  const silence = { reason: 'refresh unanswered', delayMs: 1_000 };

  it('is listened to for as long as an answer may come, and no shorter for another one after it', async () => {
    const { state, owner, answerInSeconds } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 60_000 });
    expect(await answerInSeconds()).toBe(60);
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 30_000 });
    expect(await answerInSeconds()).toBe(60);
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 90_000 });
    expect(await answerInSeconds()).toBe(90);
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 0 });
    expect(await answerInSeconds()).toBe(90);
  });

  it('is not listened to where no answer can come', async () => {
    const { state, owner, answerInSeconds, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 0 });
    expect(await answerInSeconds()).toBeNull();
    expect(await row()).toMatchObject({
      refresh_failures: 1,
      refresh_unanswered: 1,
      status_reason: 'refresh unanswered',
    });
  });

  it('is not waited for any more once no answer can come, unless another one may', async () => {
    const { state, owner, answerInSeconds, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { ...silence, answerInMs: 60_000 });
    await db('connections').where({ id: state.connectionId }).update({ refresh_unanswered: 2 });
    await store.endListening(state, owner, 'lost');
    expect(await answerInSeconds()).toBe(60);
    await db('connections').where({ id: state.connectionId }).update({ refresh_unanswered: 1 });
    await store.endListening(state, owner, 'lost');
    expect(await answerInSeconds()).toBeNull();
    expect(await row()).toMatchObject({ status_reason: 'lost' });
  });
});

describe('a request that failed', () => {
  const failure = { reason: 'refresh failed: http_503', delayMs: 60_000 };

  it('ends the lease, and says when the next one is allowed', async () => {
    const { state, owner, target, row } = await claimRefresh();
    await store.postpone(state, owner, failure);
    expect(await row()).toMatchObject({
      ...{ refresh_failures: 1, refresh_unanswered: 0, refresh_lease_until: null, refresh_asked_at: null },
      ...{ status: 'active', status_reason: 'refresh failed: http_503', refresh_client_refused: false },
    });
    expect(await store.claim(target, newId())).toBeUndefined();
  });

  it('settles only the doubt about itself where another process has asked since', async () => {
    const { state, owner, row } = await claimRefresh();
    await db('connections')
      .where({ id: state.connectionId })
      .update({ refresh_lease_owner: newId(), refresh_unanswered: 2 });
    const { refresh_lease_until: heldUntil } = await row();
    await store.postpone(state, owner, failure);
    expect(await row()).toMatchObject({
      ...{ refresh_failures: 0, refresh_unanswered: 1, refresh_retry_at: null, status_reason: null },
      refresh_lease_until: heldUntil,
    });
  });

  it('is allowed again at once where the refused client is one of before', async () => {
    const { state, owner, target, row } = await claimRefresh();
    await db('integrations').where({ id: state.integrationId }).increment('version', 1);
    await store.postpone(state, owner, { ...failure, isClientRefused: true });
    expect(await row()).toMatchObject({ refresh_client_refused: false, refresh_retry_at: null });
    expect(await store.claim(target, newId())).toBeDefined();
  });

  it('tells that the client is refused, where it is the one of now', async () => {
    const { state, owner, row } = await claimRefresh();
    await store.postpone(state, owner, { ...failure, isClientRefused: true });
    expect(await row()).toMatchObject({ refresh_client_refused: true, refresh_refused_since: null });
  });

  it('remembers since when the token is refused', async () => {
    const { state, owner, row } = await claimRefresh();
    await store.postpone(state, owner, { ...failure, isTokenRefused: true });
    const { refresh_refused_since: since } = await row();
    expect(since).toBeInstanceOf(Date);
    await store.postpone(state, owner, { ...failure, isTokenRefused: true });
    expect((await row()).refresh_refused_since).toEqual(since);
  });
});

describe('a lost answer', () => {
  const given = { isAccessTokenRefused: true, reason: 'lost' };

  it('ends a grant whose token works once, once', async () => {
    const { state, owner, target } = await claimRefresh();
    expect(await store.giveUp(db, target, given)).toBe(false);
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 60_000 });
    expect(await store.giveUp(db, target, given)).toBe(false);
    await store.endListening(state, owner, 'lost');
    expect(await store.giveUp(db, target, given)).toBe(true);
    expect(await store.giveUp(db, target, given)).toBe(false);
    // As if an older process had asked once more.
    const askedAt = db.raw("now() - interval '1 hour'");
    await db('connections')
      .where({ id: target.connectionId })
      .update({ refresh_unanswered: 1, refresh_asked_at: askedAt });
    expect(await store.giveUp(db, target, given)).toBe(false);
  });

  it.each([
    ['whose access token is good', { access_token_expires_at: new Date(Date.now() + 60_000) }, false],
    ['whose token the provider takes again', { refresh_token_kept: true }, true],
  ])('does not end a grant %s', async (_which, columns, isAccessTokenRefused) => {
    const { state, owner, target, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 0 });
    await db('connections').where({ id: target.connectionId }).update(columns);
    expect(await store.giveUp(db, target, { ...given, isAccessTokenRefused })).toBe(false);
    expect(await row()).toMatchObject({ status: 'active' });
  });
});
