import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import type { RefreshTarget } from '../../src/credentials/refreshing/refresh-target.ts';
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
    for (const [answerInMs, seconds] of [
      [60_000, 60],
      [30_000, 60],
      [90_000, 90],
      [0, 90],
    ] as const) {
      await db('connections')
        .where({ id: state.connectionId })
        .update({ refresh_lease_until: db.raw(`now() + interval '40 seconds'`) });
      await store.leaveUnanswered(state, owner, { ...silence, answerInMs });
      expect(await answerInSeconds()).toBe(seconds);
    }
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
    await store.endListening(state, owner, { reason: 'lost' });
    expect(await answerInSeconds()).toBe(60);
    await db('connections').where({ id: state.connectionId }).update({ refresh_unanswered: 1 });
    await store.endListening(state, owner, { reason: 'lost' });
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
  const silence = { reason: 'silence', delayMs: 0, answerInMs: 0 };

  it('ends a grant whose token works once after a last try, once', async () => {
    const { state, owner, target } = await claimRefresh();
    const lastTry = { isAccessTokenRefused: true };
    await store.leaveUnanswered(state, owner, silence);
    expect(await store.giveUp(db, target, given)).toBe(false);
    const last = newId();
    expect(await store.claim(target, last)).toBeUndefined();
    const again = await store.claim(target, last, lastTry);
    if (again === undefined) throw new Error('no last try');
    expect(again).toMatchObject({ unanswered: 2, isLastTrySpent: false });
    expect(await store.giveUp(db, target, given)).toBe(false);
    await store.leaveUnanswered(again, last, { ...silence, answerInMs: 60_000, isLastTry: true });
    expect(await store.giveUp(db, target, given)).toBe(false);
    await store.endListening(again, last, { reason: 'lost', isLastTry: true });
    expect(await store.claim(target, newId(), lastTry)).toBeUndefined();
    expect(await store.giveUp(db, target, given)).toBe(true);
    expect(await store.giveUp(db, target, given)).toBe(false);
  });

  it.each([
    ['whose access token is good', { access_token_expires_at: new Date(Date.now() + 60_000) }, false],
    ['whose token the provider takes again', { refresh_token_kept: true }, true],
    ['whose last try has not been made', { refresh_last_try_version: null }, true],
  ])('does not end a grant %s', async (_which, columns, isAccessTokenRefused) => {
    const { state, owner, target, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { ...silence, isLastTry: true });
    await db('connections').where({ id: target.connectionId }).update(columns);
    expect(await store.giveUp(db, target, { ...given, isAccessTokenRefused })).toBe(false);
    expect(await row()).toMatchObject({ status: 'active' });
  });
});

describe('a last try', () => {
  const useless = { isAccessTokenRefused: true };
  const move = (id: string, columns: Record<string, string>) =>
    db('connections')
      .where({ id })
      .update(Object.fromEntries(Object.entries(columns).map(([name, sql]) => [name, db.raw(sql)])));
  const PAST = `now() - interval '1 second'`;

  it('is made at once where the process that asked has told that no answer can come', async () => {
    const { state, owner, target } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 0 });
    expect(await store.read(target.connectionId, target.projectId)).toMatchObject({ lastTryInMs: 0 });
    expect(await store.claim(target, newId(), useless)).toBeDefined();
  });

  it('is announced first where that process has not told, and waits for the end of its lease', async () => {
    const { target } = await claimRefresh();
    const { connectionId } = target;
    // The process that asked is of no key, so that only its lease tells of it.
    expect(await store.claim(target, newId(), useless)).toBeUndefined();
    await store.announceLastTry(target, useless);
    await move(connectionId, { refresh_lease_until: PAST });
    expect(await store.claim(target, newId(), useless)).toBeUndefined();
    await store.announceLastTry(target, useless);
    const { lastTryInMs } = (await store.read(connectionId, target.projectId)) ?? {};
    expect(Math.ceil(Number(lastTryInMs) / 5_000)).toBe(2);
    expect(await store.claim(target, newId(), useless)).toBeUndefined();
    await move(connectionId, {
      refresh_last_try_from: PAST,
      refresh_asked_at: `now() - interval '1 minute'`,
    });
    expect(await store.claim(target, newId(), useless)).toBeDefined();
    // The next one is announced again.
    await move(connectionId, { refresh_lease_until: PAST });
    expect(await store.claim(target, newId(), useless)).toBeUndefined();
  });

  it('is not made while the access token serves', async () => {
    const { state, owner, target } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 0 });
    await move(target.connectionId, { access_token_expires_at: `now() + interval '1 minute'` });
    expect(await store.claim(target, newId(), { isAccessTokenRefused: false })).toBeUndefined();
    expect(await store.claim(target, newId(), useless)).toBeDefined();
  });

  it.each([false, true])('that is answered with a failure may be made again (late: %s)', async (isLate) => {
    const { state, owner, target, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 0 });
    const last = newId();
    const again = await store.claim(target, last, useless);
    if (again === undefined) throw new Error('no last try');
    if (isLate) {
      await store.leaveUnanswered(again, last, {
        reason: '',
        delayMs: 0,
        answerInMs: 60_000,
        isLastTry: true,
      });
    }
    await store.postpone(again, last, { reason: 'refresh failed: http_503', delayMs: 0 });
    await store.endListening(again, last, { reason: 'lost', isLastTry: true });
    expect(await row()).toMatchObject({ refresh_unanswered: 1, refresh_last_try_version: null });
    expect(await store.claim(target, newId(), useless)).toBeDefined();
  });
});

describe('an outcome that is written again, since the answer of the store was lost', () => {
  it('settles no doubt about another request', async () => {
    const { state, owner, target, row } = await claimRefresh();
    await store.leaveUnanswered(state, owner, { reason: 'silence', delayMs: 0, answerInMs: 0 });
    const second = newId();
    const reusable = { ...target, reuse: { kind: 'many' } } as const;
    const again = await store.claim(reusable, second);
    if (again === undefined) throw new Error('not claimed');
    for (let write = 0; write < 3; write += 1) {
      await store.postpone(again, second, { reason: 'refresh failed: http_503', delayMs: 0 });
    }
    expect(await row()).toMatchObject({ refresh_unanswered: 1, refresh_failures: 2 });
    for (let write = 0; write < 3; write += 1) await store.withdraw(target, newId());
    expect(await row()).toMatchObject({ refresh_unanswered: 1, refresh_requests: [owner] });
  });

  it('is one claim where its owner asks for it twice', async () => {
    const { target, owner, row } = await claimRefresh();
    expect(await store.claim(target, owner)).toMatchObject({ unanswered: 1 });
    expect(await row()).toMatchObject({ refresh_unanswered: 1, refresh_requests: [owner] });
  });
});
