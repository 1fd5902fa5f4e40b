import type { Knex } from 'knex';
import type { AccessTokensDependencies } from '../../src/credentials/refreshing/access-tokens.ts';
import { createRefreshStore, type RefreshStore } from '../../src/credentials/refreshing/refresh.store.ts';
import type { PreparedRefresh } from '../../src/credentials/refreshing/refresh-attempts.ts';
import type { RefreshOutcome } from '../../src/credentials/refreshing/refresh-result.ts';
import type { RefreshTarget } from '../../src/credentials/refreshing/refresh-target.ts';
import { limitStoreTime } from '../../src/platform/postgres/store-time.ts';
import type { Vault } from '../../src/platform/vault.ts';
import { refreshedWith, startAccessTokens } from '../support/access-tokens.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertConnection, insertOwner } from '../support/rows.ts';
import { until } from '../support/until.ts';

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
  const { projectId, integrationId, endUserId } = await insertOwner(db, vault, 'acme');
  const connectionId = await insertConnection(db, vault, { projectId, integrationId, endUserId });
  target = { connectionId, projectId, integrationId, version: 1, reuse: { kind: 'once' } };
});

const rowOf = async () => db('connections').where({ id: target.connectionId }).first();
const change = (columns: object) => db('connections').where({ id: target.connectionId }).update(columns);
const storeIsAway = () => Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });

type Fault = 'refused' | 'answer lost';
const FAULTS: readonly Fault[] = ['refused', 'answer lost'];
const STEPS = [
  'read',
  'claim',
  'withdraw',
  'complete',
  'postpone',
  'leaveUnanswered',
  'endListening',
  'announceLastTry',
] as const;
type Step = (typeof STEPS)[number];

/** The store, which fails at one step as often as the test says: before it does its work, or afterwards. */
function storeFailingAt(
  step: Step,
  fault: Fault,
  times: number,
): RefreshStore & { readonly left: () => number } {
  const store = createRefreshStore({ db, vault });
  let left = times;
  const failing = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const isFailing = left > 0;
    left -= isFailing ? 1 : 0;
    if (isFailing && fault === 'refused') throw storeIsAway();
    const result = await run();
    if (isFailing) throw storeIsAway();
    return result;
  };
  const faulty: Pick<RefreshStore, Step> = {
    read: (...given) => failing(() => store.read(...given)),
    claim: (...given) => failing(() => store.claim(...given)),
    withdraw: (...given) => failing(() => store.withdraw(...given)),
    complete: (...given) => failing(() => store.complete(...given)),
    postpone: (...given) => failing(() => store.postpone(...given)),
    leaveUnanswered: (...given) => failing(() => store.leaveUnanswered(...given)),
    endListening: (...given) => failing(() => store.endListening(...given)),
    announceLastTry: (...given) => failing(() => store.announceLastTry(...given)),
  };
  return { ...store, [step]: faulty[step], left: () => left };
}

const unanswered: RefreshOutcome = {
  ok: false,
  kind: 'transient',
  errorCode: 'connection_network',
  delivery: 'unanswered',
};
const busy: RefreshOutcome = { ok: false, kind: 'transient', errorCode: 'http_503', delivery: 'answered' };

/** What the provider does with the first request; every further one is answered with tokens, unless they are spent. */
const FIRST: Record<string, (exchange: () => RefreshOutcome, noteSending: () => void) => RefreshOutcome> = {
  'answers with tokens': (exchange) => exchange(),
  'cannot now': () => busy,
  'loses the request': () => unanswered,
  'answers late': (exchange) => ({ ...unanswered, late: Promise.resolve(exchange()) }),
  'answers late that it cannot': () => ({ ...unanswered, late: Promise.resolve(busy) }),
  'loses the late answer': () => ({ ...unanswered, late: Promise.resolve(undefined) }),
};

/** A provider whose refresh token works once. */
function startProvider(first: (exchange: () => RefreshOutcome, noteSending: () => void) => RefreshOutcome) {
  const sent: number[] = [];
  let isSpent = false;
  let reuses = 0;
  const exchange = (): RefreshOutcome => {
    if (isSpent) reuses += 1;
    isSpent = true;
    return refreshedWith('access-2');
  };
  const request: PreparedRefresh['request'] = async ({ version }, noteSending) => {
    if (sent.length === 0) {
      const outcome = first(exchange, noteSending);
      sent.push(version);
      return outcome;
    }
    sent.push(version);
    return exchange();
  };
  return { request, sent, reuses: () => reuses };
}

/** Calls until one gets the new token, without the pauses between them. No lease is waited for. */
async function callUntilServed(call: () => Promise<{ readonly ok: boolean }>): Promise<void> {
  await until(async () => {
    const result = await call().catch(() => undefined);
    if (result?.ok) return true;
    await change({ refresh_retry_at: null });
    return false;
  });
}

const combinations = Object.keys(FIRST).flatMap((answer) =>
  STEPS.flatMap((step) => FAULTS.map((fault) => [answer, step, fault] as const)),
);

describe('a store that fails for a moment', () => {
  it.each(combinations)(
    'while the provider %s, at %s (%s), costs no connection, no lease, and no token twice',
    async (answer, step, fault) => {
      const provider = startProvider(FIRST[answer] ?? ((exchange) => exchange()));
      const process = startAccessTokens({ db, vault }, provider.request, {
        store: storeFailingAt(step, fault, 2),
      });
      await callUntilServed(() => process.refresh(target));
      await process.settled();
      expect(provider.reuses()).toBe(0);
      expect(await rowOf()).toMatchObject({
        ...{ status: 'active', credentials_version: 2, refresh_unanswered: 0, refresh_requests: [] },
        refresh_lease_until: null,
      });
    },
  );
});

describe('a request that never leaves', () => {
  const fault = new TypeError('a fault before the first byte');

  it('for want of what it needs from the store has claimed nothing', async () => {
    let readings = 0;
    const process = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      prepareRefresh: async () => {
        readings += 1;
        if (readings === 1) throw storeIsAway();
        return { integrationVersion: undefined, request: async () => refreshedWith('access-2') };
      },
    });
    await expect(process.refresh(target)).rejects.toThrow('connection lost');
    expect(await rowOf()).toMatchObject({ refresh_unanswered: 0, refresh_lease_until: null });
    expect(await process.refresh(target)).toMatchObject({ ok: true });
  });

  it.each(FAULTS)('takes its claim back, also where the store fails at that (%s)', async (kind) => {
    let requests = 0;
    const process = startAccessTokens(
      { db, vault },
      async () => {
        requests += 1;
        if (requests === 1) throw fault;
        return refreshedWith('access-2');
      },
      { store: storeFailingAt('withdraw', kind, 3) },
    );
    await expect(process.refresh(target)).rejects.toBe(fault);
    await process.settled();
    expect(await rowOf()).toMatchObject({
      ...{ refresh_unanswered: 0, refresh_lease_until: null, refresh_requests: [], refresh_asked_at: null },
      status: 'active',
    });
    expect(await process.refresh(target)).toMatchObject({ ok: true });
  });

  it('is in doubt where the fault comes after the first byte', async () => {
    const process = startAccessTokens({ db, vault }, async (_state, noteSending) => {
      noteSending();
      throw fault;
    });
    await expect(process.refresh(target)).rejects.toBe(fault);
    expect(await rowOf()).toMatchObject({ refresh_unanswered: 1, refresh_lease_until: null });
  });

  it('gives its claim back where the credentials cannot be opened', async () => {
    const store = createRefreshStore({ db, vault });
    const unreadable = new Error('the key is not known');
    const process = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      store: {
        ...store,
        claim: async (...given) => {
          await store.claim(...given);
          throw unreadable;
        },
      },
    });
    await expect(process.refresh(target)).rejects.toBe(unreadable);
    expect(await rowOf()).toMatchObject({ refresh_unanswered: 0, refresh_lease_until: null });
  });

  it('leaves nothing behind where the store executes its claim after it was taken back', async () => {
    const store = createRefreshStore({ db, vault });
    const owner = '01900000-0000-7000-8000-000000000001';
    await store.withdraw(target, owner);
    expect(await store.claim(target, owner)).toBeUndefined();
    expect(await rowOf()).toMatchObject({ refresh_unanswered: 0, refresh_lease_until: null });
  });

  it('reads the integration again where it was changed before the claim', async () => {
    const versions: (number | undefined)[] = [0, 1];
    const asked: (number | undefined)[] = [];
    const process = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      prepareRefresh: async () => {
        const integrationVersion = versions.shift();
        return {
          integrationVersion,
          request: async () => {
            asked.push(integrationVersion);
            return refreshedWith('access-2');
          },
        };
      },
    });
    expect(await process.refresh(target)).toMatchObject({ ok: true });
    expect(asked).toEqual([1]);
  });

  it('is not cut in the middle by the time that one caller may wait for the store', async () => {
    const store = createRefreshStore({ db, vault });
    const process = startAccessTokens({ db, vault }, async () => refreshedWith('access-2'), {
      store: {
        ...store,
        complete: async (...given) => {
          await db.raw('SELECT pg_sleep(0.1)');
          return store.complete(...given);
        },
      },
    });
    const result = await limitStoreTime(() => process.refresh(target).catch((error: unknown) => error), 60);
    await process.settled();
    expect(result).toBeDefined();
    expect(await rowOf()).toMatchObject({ status: 'active', refresh_lease_until: null });
  });
});

describe('tokens that the store does not take', () => {
  /** A store that takes no tokens until the test lets it. */
  function startWithoutStore(more: Partial<AccessTokensDependencies> = {}) {
    const store = createRefreshStore({ db, vault });
    const logged: string[] = [];
    let isAway = true;
    let writes = 0;
    let requests = 0;
    const tokens = startAccessTokens(
      { db, vault },
      async () => {
        requests += 1;
        return refreshedWith('access-2');
      },
      {
        store: {
          ...store,
          complete: async (...given) => {
            writes += 1;
            if (isAway) throw storeIsAway();
            return store.complete(...given);
          },
        },
        log: {
          warn: (_fields, message) => void logged.push(message),
          error: (_fields, message) => void logged.push(message),
        },
        ...more,
      },
    );
    const heal = () => {
      isAway = false;
    };
    return { tokens, logged, heal, counts: () => ({ requests, writes }) };
  }

  it('serve calls of this process from memory, are asked for no second time, and are written later', async () => {
    const { tokens, heal, counts } = startWithoutStore();
    const served = { ok: true, state: { version: 2, credentials: { values: { accessToken: 'access-2' } } } };
    expect(await tokens.refresh(target)).toMatchObject(served);
    expect(await tokens.refresh(target)).toMatchObject(served);
    expect(await tokens.refreshAfter401(target)).toMatchObject(served);
    // The provider refuses the new token, too: until it is stored, no other is asked for.
    const newer = { ...target, version: 2 };
    expect(await tokens.refreshAfter401(newer)).toBeNull();
    expect(await tokens.refresh(newer)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    expect(await rowOf()).toMatchObject({ credentials_version: 1, refresh_unanswered: 1 });
    heal();
    await tokens.settled();
    expect(await rowOf()).toMatchObject({ credentials_version: 2, refresh_unanswered: 0, status: 'active' });
    expect(counts().requests).toBe(1);
  });

  it('are written by the time at which they came, and serve no longer than they live', async () => {
    let nowMs = Date.now();
    const { tokens, heal } = startWithoutStore({ now: () => nowMs });
    await tokens.refresh(target);
    nowMs += 1_000_000;
    const later = await tokens.refresh(target);
    expect(later.ok && Math.round((later.state.expiresInMs ?? 0) / 1000)).toBe(800);
    nowMs += 900_000;
    expect(await tokens.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    heal();
    await tokens.settled();
    const { access_token_expires_at: expiresAt } = await rowOf();
    expect(expiresAt.getTime()).toBeLessThan(Date.now());
  });

  it('are not spent by another process, which sees that the one that asked is alive or waits for it', async () => {
    const { tokens, heal } = startWithoutStore();
    await tokens.refresh(target);
    // As after an outage that was longer than the lease.
    await change({ refresh_lease_until: db.raw(`now() - interval '1 second'`) });
    const other = startAccessTokens({ db, vault }, async () => {
      throw new Error('the provider must not be asked');
    });
    for (let call = 0; call < 3; call += 1) {
      expect(await other.refresh(target)).toMatchObject({ ok: false, code: 'refresh_unavailable' });
    }
    heal();
    await tokens.settled();
    expect(await other.refresh(target)).toMatchObject({ ok: true, state: { version: 2 } });
  });

  it('are lost only with the process, which the log tells', async () => {
    const { tokens, logged } = startWithoutStore();
    await tokens.refresh(target);
    expect(logged).toEqual(['refreshed tokens wait for the store']);
    tokens.stopWriting();
    await tokens.settled();
    expect(logged).toEqual(['refreshed tokens wait for the store', 'refreshed tokens could not be stored']);
  });
});
