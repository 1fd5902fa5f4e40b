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
  const answerInSeconds = async () => {
    const [found] = await db('connections')
      .where({ id: connectionId })
      .select(db.raw('extract(epoch from refresh_answer_until - now())::float AS seconds'));
    return found?.seconds === null ? null : Math.round(found?.seconds);
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
  });
});
