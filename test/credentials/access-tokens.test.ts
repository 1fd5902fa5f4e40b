import type { Knex } from 'knex';
import pg from 'pg';
import { createConnectionsStore } from '../../src/connections/connections.store.ts';
import type { AccessTokensDependencies } from '../../src/credentials/refreshing/access-tokens.ts';
import type { CredentialState } from '../../src/credentials/refreshing/credential-state.store.ts';
import { createRefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import type { RefreshOutcome } from '../../src/credentials/refreshing/refresh-result.ts';
import type { TokenReuse } from '../../src/credentials/refreshing/refresh-state.ts';
import type { RefreshTarget } from '../../src/credentials/refreshing/refresh-target.ts';
import { newId } from '../../src/lib/ids.ts';
import type { TokenFailureKind } from '../../src/oauth/token-error.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { announcePresence } from '../../src/platform/postgres/presence.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { createTestDatabase } from '../support/postgres.ts';
import {
  buildGrant,
  createTestVault,
  insertConnection,
  insertEndUser,
  insertOwner,
} from '../support/rows.ts';
import { until } from '../support/until.ts';

type Gate = { open(): void; opened: Promise<void> };
const gate = (): Gate => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, opened: promise };
};

const answered = (kind: TokenFailureKind, errorCode: string, more: object = {}): RefreshOutcome => ({
  ok: false,
  kind,
  errorCode,
  delivery: 'answered',
  ...more,
});

describe('refreshing access tokens', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let db: Knex;
  let vault: Vault;
  let target: RefreshTarget;

  beforeAll(async () => {
    database = await createTestDatabase();
    db = database.knex;
    vault = createTestVault();
  });
  afterAll(() => database.drop());
  beforeEach(async () => {
    const owner = await insertOwner(db, vault, 'hubspot');
    const connectionId = await insertConnection(db, vault, owner);
    const { projectId, integrationId } = owner;
    target = { connectionId, projectId, integrationId, version: 1, reuse: { kind: 'once' } };
  });

  /** One process: its own promise sharing, the common rows. */
  function startProcess(
    requestRefresh: (state: CredentialState) => Promise<RefreshOutcome>,
    revoked: string[] = [],
    runLater: (delayMs: number, action: () => void) => void = () => undefined,
  ) {
    return startAccessTokens({ db, vault }, requestRefresh, {
      revokeOrphaned: async (_state, tokens) => {
        revoked.push(String(tokens.credentials.refreshToken));
      },
      runLater,
    });
  }

  const authorizeAgain = () =>
    createConnectionsStore({ vault }).replaceGrant(
      db,
      target.connectionId,
      target.projectId,
      buildGrant(
        { values: { accessToken: 'access-of-the-new-grant' }, refreshToken: 'refresh-new' },
        { accessTokenExpiresAt: new Date(Date.now() + 1_800_000), accessTokenLifetimeSeconds: 1800 },
      ),
    );

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
    await startProcess(async () => refreshedWith('access-2')).refresh(target);
    const seen: (string | null)[] = [];
    await startProcess(async (state) => {
      seen.push(state.credentials.refreshToken);
      return refreshedWith('access-3');
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

  it('asks nobody once its callers have waited too long for their turn', async () => {
    let requests = 0;
    const tokens = startAccessTokens(
      { db, vault },
      async () => {
        requests += 1;
        return refreshedWith('access-2');
      },
      { enqueue: async () => undefined },
    );
    expect(await tokens.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    expect(requests).toBe(0);
  });

  it('holds a place while it asks, and none while another process does', async () => {
    const asked = gate();
    const answeredNow = gate();
    let places = 0;
    const counting: Partial<AccessTokensDependencies> = {
      enqueue: async (_owner, work) => {
        places += 1;
        return work().finally(() => {
          places -= 1;
        });
      },
    };
    const asking = startAccessTokens(
      { db, vault },
      async () => {
        asked.open();
        await answeredNow.opened;
        return refreshedWith('access-2');
      },
      counting,
    );
    const first = asking.refresh(target);
    await asked.opened;
    const waiting = startAccessTokens({ db, vault }, async () => refreshedWith('never'), counting);
    const second = waiting.refresh(target);
    await until(() => places === 1);
    answeredNow.open();
    expect(await first).toMatchObject({ ok: true });
    waiting.noteChange(target.connectionId);
    expect(await second).toMatchObject({ ok: true, state: { version: 2 } });
    expect(places).toBe(0);
  });

  it('is not waited for longer than a while where another process does not end', async () => {
    await createRefreshStore({ db, vault }).claim(target, newId());
    let nowMs = Date.now();
    const tokens = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      // The other process holds the row for longer.
      now: () => (nowMs += 5_000),
    });
    expect(await tokens.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    expect((await statusOf()).refresh_unanswered).toBe(1);
  });

  it('claims the row again where the process that had it is done before it is read', async () => {
    const store = createRefreshStore({ db, vault });
    let claims = 0;
    const tokens = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      store: {
        ...store,
        claim: async (...given) => {
          claims += 1;
          return claims === 1 ? undefined : store.claim(...given);
        },
      },
    });
    expect(await tokens.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    expect(claims).toBe(2);
  });

  it('ends in reauthorization_required when the refresh token is dead, and never asks again', async () => {
    let requests = 0;
    const dead = async (): Promise<RefreshOutcome> => {
      requests += 1;
      return answered('invalid_grant', 'invalid_grant');
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
      return answered('transient', 'http_503');
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
    const busy = startProcess(async () => answered('transient', 'http_429', { retryAfterMs: 90_000 }));
    expect(await busy.refresh(target)).toMatchObject({ retryAfterSeconds: 90 });
  });

  it('heals when the provider is back, and forgets the failures', async () => {
    const answers: RefreshOutcome[] = [answered('transient', 'http_503'), refreshedWith('access-2')];
    const flaky = startProcess(async () => answers.shift() as RefreshOutcome);
    await flaky.refresh(target);
    await db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });
    expect(await flaky.refresh(target)).toMatchObject({ ok: true });
    expect(await statusOf()).toMatchObject({ refresh_failures: 0, status_reason: null });
  });

  const unanswered: RefreshOutcome = {
    ok: false,
    kind: 'transient',
    errorCode: 'connection_timeout',
    delivery: 'unanswered',
  };
  const within = (seconds: number): TokenReuse => ({ kind: 'within', seconds });
  const endPause = () =>
    db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });

  it('is repeated without a call after no answer came, while the provider takes the token once more', async () => {
    const answers = [unanswered, unanswered, refreshedWith('access-2')];
    const later: (() => void)[] = [];
    let asked = gate();
    const patient = startProcess(
      async () => {
        asked.open();
        return answers.shift() ?? unanswered;
      },
      [],
      (_delayMs, action) => later.push(action),
    );
    const reusable = { ...target, reuse: within(60) };
    expect(await patient.refresh(reusable)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    for (const left of [1, 0]) {
      await endPause();
      asked = gate();
      later.shift()?.();
      await asked.opened;
      // The promise of the repetition under way is shared with every caller meanwhile.
      await patient.refresh(reusable);
      expect([answers.length, later.length]).toEqual([left, left]);
    }
    expect(await statusOf()).toMatchObject({ credentials_version: 2, refresh_failures: 0 });
  });

  it('is not repeated by itself where the repetition would come too late', async () => {
    const later: (() => void)[] = [];
    const late = startProcess(
      async () => unanswered,
      [],
      (_delayMs, action) => later.push(action),
    );
    await late.refresh({ ...target, reuse: within(1) });
    expect(later).toEqual([]);
  });

  describe('that got no answer', () => {
    const sendings: string[] = [];
    const silent = (late?: Promise<RefreshOutcome | undefined>) => async (): Promise<RefreshOutcome> => {
      sendings.push('refresh-1');
      return { ...unanswered, ...(late && { late }) };
    };
    beforeEach(() => void sendings.splice(0));
    const expireAccessToken = (interval: string) =>
      db('connections')
        .where({ id: target.connectionId })
        .update({ access_token_expires_at: db.raw('now() + ?::interval', [interval]) });

    it('sends a token that works once no second time, in whichever process it is asked for', async () => {
      await expireAccessToken('5 minutes');
      const [one, two] = [startProcess(silent()), startProcess(silent())];
      await one.refresh(target);
      await endPause();
      const later = [await one.refresh(target), await two.refresh(target)];
      expect(later).toEqual(Array(2).fill(expect.objectContaining({ code: 'refresh_unavailable' })));
      expect(sendings).toHaveLength(1);
      expect(await statusOf()).toMatchObject({ status: 'active', refresh_unanswered: 1 });
    });

    it('is sent once more when the access token is over, and heals where the token was not spent', async () => {
      const answers = [silent(), async () => refreshedWith('access-2')];
      const process = startProcess(async () => answers.shift()?.() ?? unanswered);
      expect(await process.refresh(target)).toMatchObject({
        code: 'refresh_unavailable',
        retryAfterSeconds: 1,
      });
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    });

    it('ends in reauthorization_required where the token was spent, and says why', async () => {
      const answers = [silent(), async () => answered('invalid_grant', 'invalid_grant')];
      const process = startProcess(async () => answers.shift()?.() ?? unanswered);
      await process.refresh(target);
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ code: 'reauthorization_required' });
      expect((await statusOf()).status_reason).toBe(
        'refresh refused after the answer to an earlier refresh was lost: invalid_grant',
      );
    });

    it('ends in reauthorization_required where the last try is lost as well, and says why', async () => {
      const process = startProcess(silent());
      for (let call = 0; call < 2; call += 1) {
        expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
        await endPause();
      }
      expect(await process.refresh(target)).toMatchObject({ code: 'reauthorization_required' });
      expect(sendings).toHaveLength(2);
      expect((await statusOf()).status_reason).toMatch(/answer to a token refresh was lost.*last try/);
    });

    it('is sent once more when the provider refuses the access token that has not expired', async () => {
      await expireAccessToken('5 minutes');
      const process = startProcess(silent());
      await process.refresh(target);
      await endPause();
      expect(await process.refreshAfter401(target)).toMatchObject({ code: 'refresh_unavailable' });
      expect(sendings).toHaveLength(2);
      expect(await process.refreshAfter401(target)).toMatchObject({ code: 'reauthorization_required' });
      expect(sendings).toHaveLength(2);
    });

    it('waits for the end of the lease of a process that was killed, and warns before it is sent once more', async () => {
      await createRefreshStore({ db, vault, processKey: 4_713 }).claim(target, newId());
      const process = startProcess(async () => refreshedWith('access-2'));
      const { connectionId } = target;
      const move = (column: string, by: string) =>
        db('connections')
          .where({ id: connectionId })
          .update({ [column]: db.raw(`${column} - interval '${by}'`) });
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      await move('refresh_asked_at', '1 minute');
      await move('refresh_last_try_from', '11 seconds');
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      await move('refresh_lease_until', '1 minute');
      expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    });

    it('waits for the answer as long as it may still come, and takes it when it does', async () => {
      const late = Promise.withResolvers<RefreshOutcome | undefined>();
      const process = startProcess(silent(late.promise));
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      late.resolve(refreshedWith('access-2'));
      await process.settled();
      expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
      expect(sendings).toHaveLength(1);
    });

    it('takes a late refusal for what it is', async () => {
      const process = startProcess(
        silent(Promise.resolve(answered('invalid_grant', 'invalid_grant', { words: 'User left' }))),
      );
      await process.refresh(target);
      await process.settled();
      expect(await statusOf()).toMatchObject({
        status: 'reauthorization_required',
        status_reason: 'refresh refused: invalid_grant (“User left”)',
      });
    });

    it('asks again after a late answer that says to come later', async () => {
      const answers = [
        silent(Promise.resolve(answered('transient', 'http_503'))),
        async () => refreshedWith('access-2'),
      ];
      const process = startProcess(async () => answers.shift()?.() ?? unanswered);
      await process.refresh(target);
      await process.settled();
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    });

    it('is repeated at once with a token that the last refresh left as it was', async () => {
      const { connectionId } = target;
      await db('connections').where({ id: connectionId }).update({ refresh_token_kept: true });
      const answers = [silent(), async () => refreshedWith('access-2')];
      const process = startProcess(async () => answers.shift()?.() ?? unanswered);
      await process.refresh(target);
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    });

    it('tells a refusal that follows it apart from one that comes by itself', async () => {
      const answers = [unanswered, answered('invalid_grant', 'invalid_grant')];
      const process = startProcess(async () => answers.shift() ?? unanswered);
      const reusable = { ...target, reuse: within(60) };
      await process.refresh(reusable);
      await endPause();
      await process.refresh(reusable);
      expect((await statusOf()).status_reason).toBe(
        'refresh refused after the answer to an earlier refresh was lost: invalid_grant',
      );
    });

    it('heals when tokens come after the refusal of a later request', async () => {
      const late = Promise.withResolvers<RefreshOutcome | undefined>();
      const answers = [silent(late.promise), async () => answered('invalid_grant', 'invalid_grant')];
      const process = startProcess(async () => answers.shift()?.() ?? unanswered);
      const reusable = { ...target, reuse: within(60) };
      await process.refresh(reusable);
      await endPause();
      expect(await process.refresh(reusable)).toMatchObject({ code: 'reauthorization_required' });
      late.resolve(refreshedWith('access-2'));
      await process.settled();
      expect(await statusOf()).toMatchObject({
        status: 'active',
        credentials_version: 2,
        status_reason: null,
      });
    });

    it('asks a silent token endpoint nothing more once twenty answers of the integration are awaited', async () => {
      const process = startProcess(silent(new Promise(() => undefined)));
      const { projectId, integrationId } = target;
      const endUserId = await insertEndUser(db, projectId, 'user-2');
      for (let index = 0; index < 22; index += 1) {
        const connectionId = await insertConnection(db, vault, { projectId, integrationId, endUserId });
        await process.refresh({ ...target, connectionId });
      }
      expect(sendings).toHaveLength(20);
    });
  });

  describe('that the provider refuses in words of its own', () => {
    const odd = answered('rejected', 'http_400', { words: 'Computer says no' });
    const refusedSince = (interval: string) =>
      db('connections')
        .where({ id: target.connectionId })
        .update({ refresh_refused_since: db.raw('now() - ?::interval', [interval]), refresh_retry_at: null });

    it('is tried again for a day, and the words are told', async () => {
      const process = startProcess(async () => odd);
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      await refusedSince('23 hours');
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      expect(await statusOf()).toMatchObject({
        status: 'active',
        status_reason: 'refresh failed: http_400 (“Computer says no”)',
      });
    });

    it('ends in reauthorization_required after a day', async () => {
      const process = startProcess(async () => odd);
      await process.refresh(target);
      await refusedSince('24 hours');
      expect(await process.refresh(target)).toMatchObject({ code: 'reauthorization_required' });
      expect((await statusOf()).status_reason).toBe('refresh refused: http_400 (“Computer says no”)');
    });

    it('begins its day again after a success', async () => {
      const answers = [odd, refreshedWith('access-2'), odd];
      const process = startProcess(async () => answers.shift() ?? odd);
      await process.refresh(target);
      await refusedSince('24 hours');
      await process.refresh(target);
      expect(await process.refresh({ ...target, version: 2 })).toMatchObject({ code: 'refresh_unavailable' });
      expect((await statusOf()).status).toBe('active');
    });

    it('does not end over a bare 401 that may be about the client, unless the client is proven', async () => {
      const process = startProcess(async () => answered('rejected', 'http_401'));
      await process.refresh(target);
      await refusedSince('25 hours');
      expect(await process.refresh(target)).toMatchObject({ code: 'refresh_unavailable' });
      const { projectId, integrationId } = target;
      const endUserId = await insertEndUser(db, projectId, 'user-2');
      const sibling = await insertConnection(db, vault, { projectId, integrationId, endUserId });
      await startProcess(async () => refreshedWith('access-s')).refresh({ ...target, connectionId: sibling });
      await endPause();
      expect(await process.refresh(target)).toMatchObject({ code: 'reauthorization_required' });
    });
  });

  it.each<[string, RefreshOutcome, 'error' | 'warn', object]>([
    ['refused the client', answered('client', 'invalid_client'), 'error', { errorCode: 'invalid_client' }],
    ['refused the token', answered('invalid_grant', 'invalid_grant'), 'warn', { errorCode: 'invalid_grant' }],
    [
      'asked to wait',
      answered('transient', 'http_503', { retryAfterMs: 7_000 }),
      'warn',
      { errorCode: 'http_503', delayMs: 7_000 },
    ],
  ])('tells the log of a provider that %s', async (_, outcome, level, fields) => {
    const logged: [level: string, fields: object][] = [];
    const log = {
      warn: (fields: object) => void logged.push(['warn', fields]),
      error: (fields: object) => void logged.push(['error', fields]),
    };
    await startAccessTokens({ db, vault }, async () => outcome, { log }).refresh(target);
    expect(logged).toEqual([[level, { connectionId: target.connectionId, ...fields }]]);
  });

  it('blames the integration, not the connection, when the client is refused', async () => {
    const refused = startProcess(async () => answered('client', 'invalid_client'));
    expect(await refused.refresh(target)).toEqual({ ok: false, code: 'integration_misconfigured' });
    expect(await statusOf()).toMatchObject({ status: 'active' });
  });

  it('refuses every call until the next attempt, whichever process gets it', async () => {
    const refused = startProcess(async () => answered('client', 'invalid_client'));
    const another = startProcess(async () => refreshedWith('too early'));
    await refused.refresh(target);
    // Without a time to wait: only an operator ends this, not the passing of time.
    const refusal = { ok: false, code: 'integration_misconfigured' };
    expect(await refused.refresh(target)).toEqual(refusal);
    expect(await another.refresh(target)).toEqual(refusal);

    await db('connections').where({ id: target.connectionId }).update({ refresh_retry_at: db.fn.now() });
    const down = startProcess(async () => answered('transient', 'http_500'));
    await down.refresh(target);
    expect(await another.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
  });

  it('takes over from a process of an older release that died with the lease', async () => {
    await db('connections')
      .where({ id: target.connectionId })
      .update({
        refresh_lease_owner: target.projectId,
        refresh_lease_until: db.raw(`now() + interval '300 milliseconds'`),
      });
    const survivor = startProcess(async () => refreshedWith('access-2'));
    expect(await survivor.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
  });

  it('takes over at once from a process that is gone, where the token may be sent again', async () => {
    const dead = createRefreshStore({ db, vault, processKey: 4_711 });
    await dead.claim(target, newId());
    const survivor = startProcess(async () => refreshedWith('access-2'));
    const result = await survivor.refresh({ ...target, reuse: { kind: 'many' } });
    expect(result).toMatchObject({ ok: true, state: { version: 2 } });
  });

  it('waits for a process that is alive, until the change is announced', async () => {
    const presence = new pg.Client(connectionSettings(database.url));
    await presence.connect();
    try {
      const processKey = 4_712;
      await presence.query(announcePresence(processKey));
      const alive = createRefreshStore({ db, vault, processKey });
      const state = await alive.claim({ ...target, reuse: { kind: 'many' } }, newId());
      const waiting = startProcess(async () => refreshedWith('never'));
      const result = waiting.refresh({ ...target, reuse: { kind: 'many' } });
      const refreshed = refreshedWith('access-2');
      if (state === undefined) throw new Error('not claimed');
      await alive.complete(state, refreshed.tokens);
      waiting.noteChange(target.connectionId);
      expect(await result).toMatchObject({
        ok: true,
        state: { credentials: { values: { accessToken: 'access-2' } } },
      });
    } finally {
      await presence.end();
    }
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
    await authorizeAgain();
    answered.open();
    expect(await refreshing).toMatchObject({
      ok: true,
      state: { credentials: { values: { accessToken: 'access-of-the-new-grant' } } },
    });
  });

  it('that is refused while the user authorizes again gives the new credential', async () => {
    const asked = gate();
    const answeredNow = gate();
    const slow = startProcess(async () => {
      asked.open();
      await answeredNow.opened;
      return answered('invalid_grant', 'invalid_grant');
    });
    const refreshing = slow.refresh(target);
    await asked.opened;
    await authorizeAgain();
    answeredNow.open();
    expect(await refreshing).toMatchObject({
      ok: true,
      state: { credentials: { values: { accessToken: 'access-of-the-new-grant' } } },
    });
    expect(await statusOf()).toMatchObject({ status: 'active' });
  });

  it('leaves the granted scopes as they were where its answer names none', async () => {
    await db('connections')
      .where({ id: target.connectionId })
      .update({ granted_scopes: ['a', 'b'] });
    await startProcess(async () => refreshedWith('access-2')).refresh(target);
    expect((await statusOf()).granted_scopes).toEqual(['a', 'b']);
  });

  it('changes the version that guards concurrent edits when the grant turns out to be dead', async () => {
    const before = (await statusOf()).version;
    await startProcess(async () => answered('invalid_grant', 'invalid_grant')).refresh(target);
    expect((await statusOf()).version).toBe(before + 1);
  });

  it('is stored although the store fails for a moment', async () => {
    const store = createRefreshStore({ db, vault });
    let failures = 2;
    const flaky = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      store: {
        ...store,
        complete: async (state, tokens) => {
          failures -= 1;
          if (failures >= 0) throw Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
          return store.complete(state, tokens);
        },
      },
    });
    expect(await flaky.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
    expect((await statusOf()).credentials_version).toBe(2);
  });

  it('revokes what it got when the connection was deleted while the provider answered', async () => {
    const revoked: string[] = [];
    const asked = gate();
    const answered = gate();
    const slow = startProcess(async () => {
      asked.open();
      await answered.opened;
      return refreshedWith('access-2', { refreshToken: 'refresh-orphan' });
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
      const dead = startProcess(async () => answered('invalid_grant', 'invalid_grant'));
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
      const grant = buildGrant({ values: { apiKey: 'key-1' }, refreshToken: null });
      await createConnectionsStore({ vault }).replaceGrant(db, connectionId, projectId, grant);
      const tokens = startProcess(async () => refreshedWith('never'));
      expect(await tokens.refreshAfter401({ ...target, version: 2 })).toBeNull();
    });
  });
});
