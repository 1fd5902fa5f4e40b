import type { Knex } from 'knex';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import { createAccessTokens, type RefreshOutcome } from '../../src/credentials/access-tokens.ts';
import { type CredentialState, createRefreshStore } from '../../src/credentials/refresh.store.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  createTestVault,
  insertConnection,
  insertEndUser,
  insertIntegration,
  insertProject,
} from '../support/rows.ts';

type Gate = { open(): void; opened: Promise<void> };
const gate = (): Gate => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
};

const silent = { warn: () => undefined, error: () => undefined };
const refreshedWith = (accessToken: string, refreshToken = 'refresh-2'): RefreshOutcome => ({
  ok: true,
  tokens: {
    credentials: { values: { accessToken }, refreshToken },
    expiresInSeconds: 1800,
    grantedScopes: null,
    variables: {},
  },
});

describe('refreshing access tokens', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let db: Knex;
  let vault: Vault;
  let target: { connectionId: string; projectId: string; version: number };

  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.knex;
    vault = createTestVault();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    const projectId = await insertProject(db);
    const endUserId = await insertEndUser(db, projectId);
    const integrationId = await insertIntegration(db, vault, projectId, 'hubspot');
    const connectionId = await insertConnection(db, vault, { projectId, integrationId, endUserId });
    target = { connectionId, projectId, version: 1 };
  });

  /** One process: its own promise sharing, the common rows. */
  function startProcess(
    requestRefresh: (state: CredentialState) => Promise<RefreshOutcome>,
    revoked: string[] = [],
    runLater: (delayMs: number, action: () => void) => void = () => undefined,
  ) {
    const store = createRefreshStore({ db, vault });
    return createAccessTokens({
      store,
      requestRefresh,
      revokeOrphaned: async (_state, tokens) => {
        revoked.push(String(tokens.credentials.refreshToken));
      },
      markReauthorizationRequired: (state, owner, reason) => store.giveUp(db, state, owner, reason),
      log: silent,
      now: Date.now,
      random: () => 0,
      runLater,
    });
  }

  const statusOf = async () => db('connections').where({ id: target.connectionId }).first();

  it('happens once, however many calls in several processes ask at the same time', async () => {
    let requests = 0;
    const answer = async () => {
      requests += 1;
      return refreshedWith('access-2');
    };
    const processes = [startProcess(answer), startProcess(answer), startProcess(answer)];
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, call) => processes[call % 3]?.refresh(target)),
    );
    expect(requests).toBe(1);
    for (const result of results) {
      expect(result).toMatchObject({
        ok: true,
        state: { version: 2, credentials: { values: { accessToken: 'access-2' } } },
      });
    }
  });

  it('keeps the new refresh token with the new access token', async () => {
    await startProcess(async () => refreshedWith('access-2', 'refresh-2')).refresh(target);
    const seen: (string | null)[] = [];
    await startProcess(async (state) => {
      seen.push(state.credentials.refreshToken);
      return refreshedWith('access-3', 'refresh-3');
    }).refresh({ ...target, version: 2 });
    expect(seen).toEqual(['refresh-2']);
  });

  it('uses what another process has made meanwhile, without asking the provider', async () => {
    await startProcess(async () => refreshedWith('access-2')).refresh(target);
    const late = startProcess(async () => {
      throw new Error('the provider must not be asked');
    });
    expect(await late.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
  });

  it('ends in reauthorization_required when the refresh token is dead, and never asks again', async () => {
    let requests = 0;
    const dead = async (): Promise<RefreshOutcome> => {
      requests += 1;
      return { ok: false, kind: 'invalid_grant', errorCode: 'invalid_grant' };
    };
    const [one, two] = [startProcess(dead), startProcess(dead)];
    const first = await Promise.all([one.refresh(target), two.refresh(target), one.refresh(target)]);
    const later = await two.refresh(target);
    expect([...first, later].map((result) => !result.ok && result.code)).toEqual(
      Array(4).fill('reauthorization_required'),
    );
    expect(requests).toBe(1);
    expect(await statusOf()).toMatchObject({ status: 'reauthorization_required', refresh_lease_owner: null });
  });

  it('stays active after a failure that may pass, and waits before it asks again', async () => {
    let requests = 0;
    const down = startProcess(async () => {
      requests += 1;
      return { ok: false, kind: 'transient', errorCode: 'http_503' };
    });
    expect(await down.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    // It waits for a second, which may pass before the next call on a busy machine.
    await db('connections')
      .where({ id: target.connectionId })
      .update({ refresh_retry_at: db.raw(`refresh_retry_at + interval '1 hour'`) });
    const refused = await down.refresh(target);
    expect(refused).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    expect(!refused.ok && Math.round((refused.retryAfterSeconds ?? 0) / 600)).toBe(6);
    expect(requests).toBe(1);
    expect(await statusOf()).toMatchObject({ status: 'active', status_reason: 'refresh failed: http_503' });
  });

  it('honours the time that the provider asks to wait', async () => {
    const busy = startProcess(async () => ({
      ok: false,
      kind: 'transient',
      errorCode: 'http_429',
      retryAfterMs: 90_000,
    }));
    expect(await busy.refresh(target)).toMatchObject({ retryAfterSeconds: 90 });
  });

  it('heals when the provider is back, and forgets the failures', async () => {
    const answers: RefreshOutcome[] = [
      { ok: false, kind: 'transient', errorCode: 'http_503' },
      refreshedWith('access-2'),
    ];
    const flaky = startProcess(async () => answers.shift() as RefreshOutcome);
    await flaky.refresh(target);
    await db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });
    expect(await flaky.refresh(target)).toMatchObject({ ok: true });
    expect(await statusOf()).toMatchObject({ refresh_failures: 0, status_reason: null });
  });

  const unanswered = (repeatWithinMs: number): RefreshOutcome => ({
    ok: false,
    kind: 'transient',
    errorCode: 'connection_timeout',
    repeatWithinMs,
  });

  it('is repeated without a call after no answer came, while the provider takes the token once more', async () => {
    const answers = [unanswered(60_000), unanswered(60_000), refreshedWith('access-2')];
    const later: (() => void)[] = [];
    let asked = gate();
    const patient = startProcess(
      async () => {
        asked.open();
        return answers.shift() ?? unanswered(60_000);
      },
      [],
      (_delayMs, action) => later.push(action),
    );
    expect(await patient.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    for (const left of [1, 0]) {
      await db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });
      asked = gate();
      later.shift()?.();
      await asked.opened;
      // The promise of the repetition under way is shared with whoever asks meanwhile.
      await patient.refresh(target);
      expect([answers.length, later.length]).toEqual([left, left]);
    }
    expect(await statusOf()).toMatchObject({ credentials_version: 2, refresh_failures: 0 });
  });

  it('is not repeated where that would come too late', async () => {
    const later: (() => void)[] = [];
    const late = startProcess(
      async () => unanswered(1_000),
      [],
      (_delayMs, action) => later.push(action),
    );
    await late.refresh(target);
    expect(later).toEqual([]);
  });

  it('blames the integration, not the connection, when the client is refused', async () => {
    const refused = startProcess(async () => ({ ok: false, kind: 'client', errorCode: 'invalid_client' }));
    expect(await refused.refresh(target)).toEqual({ ok: false, code: 'integration_misconfigured' });
    expect(await statusOf()).toMatchObject({ status: 'active' });
  });

  it('says so to every call until the next attempt, whichever process gets it', async () => {
    const refused = startProcess(async () => ({ ok: false, kind: 'client', errorCode: 'invalid_client' }));
    const another = startProcess(async () => refreshedWith('too early'));
    await refused.refresh(target);
    // Without a time to wait: only an operator ends this, not the passing of time.
    const refusal = { ok: false, code: 'integration_misconfigured' };
    expect(await refused.refresh(target)).toEqual(refusal);
    expect(await another.refresh(target)).toEqual(refusal);

    await db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });
    const down = startProcess(async () => ({ ok: false, kind: 'transient', errorCode: 'http_500' }));
    await down.refresh(target);
    expect(await another.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
  });

  it('takes over from a process that died with the lease', async () => {
    await db('connections')
      .where({ id: target.connectionId })
      .update({
        refresh_lease_owner: target.projectId,
        refresh_lease_until: db.raw(`now() + interval '300 milliseconds'`),
      });
    const survivor = startProcess(async () => refreshedWith('access-2'));
    expect(await survivor.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
  });

  it('loses against a re-authorization that ends while the provider answers', async () => {
    const asked = gate();
    const answered = gate();
    const slow = startProcess(async () => {
      asked.open();
      await answered.opened;
      return refreshedWith('access-of-the-old-grant');
    });
    const refreshing = slow.refresh(target);
    await asked.opened;
    await createConnectionsStore({ vault }).replaceGrant(db, target.connectionId, target.projectId, {
      credentials: { values: { accessToken: 'access-of-the-new-grant' }, refreshToken: 'refresh-new' },
      accessTokenExpiresAt: new Date(Date.now() + 1_800_000),
      accessTokenLifetimeSeconds: 1800,
      grantedScopes: [],
      accountId: null,
      accountName: null,
      variables: {},
    });
    answered.open();
    expect(await refreshing).toMatchObject({
      ok: true,
      state: { credentials: { values: { accessToken: 'access-of-the-new-grant' } } },
    });
  });

  it('revokes what it got when the connection was deleted while the provider answered', async () => {
    const revoked: string[] = [];
    const asked = gate();
    const answered = gate();
    const slow = startProcess(async () => {
      asked.open();
      await answered.opened;
      return refreshedWith('access-2', 'refresh-orphan');
    }, revoked);
    const refreshing = slow.refresh(target);
    await asked.opened;
    await db('connections').where({ id: target.connectionId }).delete();
    answered.open();
    expect(await refreshing).toEqual({ ok: false, code: 'connection_not_found' });
    expect(revoked).toEqual(['refresh-orphan']);
  });

  describe('after the provider refused the access token', () => {
    it('refreshes once for a burst of refusals', async () => {
      let requests = 0;
      const tokens = startProcess(async () => {
        requests += 1;
        return refreshedWith('access-2');
      });
      const results = await Promise.all(Array.from({ length: 20 }, () => tokens.refreshAfter401(target)));
      expect(requests).toBe(1);
      for (const result of results) expect(result).toMatchObject({ ok: true, state: { version: 2 } });
    });

    it('says that the grant is dead to every call of the burst, also when another one heard it', async () => {
      const dead = startProcess(async () => ({
        ok: false,
        kind: 'invalid_grant',
        errorCode: 'invalid_grant',
      }));
      const results = await Promise.all(Array.from({ length: 10 }, () => dead.refreshAfter401(target)));
      const late = await startProcess(async () => refreshedWith('never')).refreshAfter401(target);
      for (const result of [...results, late]) {
        expect(result).toMatchObject({ ok: false, code: 'reauthorization_required' });
      }
    });

    it('does not refresh again within a minute', async () => {
      const tokens = startProcess(async () => refreshedWith('access-n'));
      expect(await tokens.refreshAfter401(target)).toMatchObject({ ok: true });
      expect(await tokens.refreshAfter401({ ...target, version: 2 })).toBeNull();
    });

    it('answers null where there is no refresh token', async () => {
      const { connectionId, projectId } = target;
      await createConnectionsStore({ vault }).replaceGrant(db, connectionId, projectId, {
        credentials: { values: { apiKey: 'key-1' }, refreshToken: null },
        accessTokenExpiresAt: null,
        accessTokenLifetimeSeconds: null,
        grantedScopes: [],
        accountId: null,
        accountName: null,
        variables: {},
      });
      const tokens = startProcess(async () => refreshedWith('never'));
      expect(await tokens.refreshAfter401({ ...target, version: 2 })).toBeNull();
    });
  });
});
