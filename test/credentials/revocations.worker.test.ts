import type { Change } from '../../src/activity/actions.ts';
import { listOutcomes } from '../../src/credentials/revoking/erasure-outcomes.store.ts';
import { createRevocationsStore } from '../../src/credentials/revoking/revocations.store.ts';
import { createRevocations } from '../../src/credentials/revoking/revocations.worker.ts';
import { beginRevocation } from '../../src/credentials/revoking/revoke-all.store.ts';
import type { TokenEndpoint } from '../../src/oauth/token-endpoint.ts';
import { createTestDatabase } from '../support/postgres.ts';
import { createTestVault, insertGrantsToRevoke } from '../support/rows.ts';
import { until } from '../support/until.ts';

const { knex: db, drop } = await createTestDatabase();
const vault = createTestVault();
afterAll(drop);
beforeEach(() => db('grants_to_revoke').delete());

type Outcome = Awaited<ReturnType<TokenEndpoint['revoke']>>;

const REFUSED = { ok: false, kind: 'transient', errorCode: 'http_503', delivery: 'answered' } as const;

/** One process with providers that answer when the test says so. */
function startWorker() {
  const open: { url: string; answer: (outcome: Outcome) => void }[] = [];
  const recorded: Change[] = [];
  const warnings: object[] = [];
  const revocations = createRevocations({
    db,
    store: createRevocationsStore({ db, vault }),
    tokenEndpoint: {
      revoke: ({ messages: [message] }, signal) =>
        new Promise((resolve) => {
          open.push({ url: message?.url ?? '', answer: resolve });
          signal?.addEventListener('abort', () => resolve({ ...REFUSED, errorCode: 'aborted' }));
        }),
    },
    isConsentHeld: async () => false,
    recordActivity: async (_trx, changes) => void recorded.push(...[changes].flat()),
    log: { warn: (fields) => warnings.push(fields) },
  });
  return { revocations, open, recorded, warnings };
}

const origins = (count: number, per: number) =>
  Array.from({ length: count }, (_, index) => `https://p${Math.floor(index / per)}.example`);
const left = async () => Number((await db('grants_to_revoke').count())[0]?.count);
const ageAll = (hours: number) =>
  db('grants_to_revoke').update({ created_at: db.raw(`now() - interval '${hours} hours'`) });

describe('grants that are to be revoked', () => {
  it('are asked for sixteen at once, four of them at one provider, and each end makes room', async () => {
    await insertGrantsToRevoke(db, vault, origins(40, 8));
    const { revocations, open } = startWorker();
    await revocations.run();
    await until(() => open.length === 16);
    await revocations.run();
    expect(open).toHaveLength(16);
    expect(Object.values(Object.groupBy(open, ({ url }) => url)).map((each) => each?.length)).toEqual([
      ...[4, 4, 4, 4],
    ]);
    open[0]?.answer({ ok: true });
    await until(() => open.length === 17);
    for (let answered = 1; answered < 40; answered += 1) {
      await until(() => open.length > answered);
      open[answered]?.answer({ ok: true });
    }
    await until(async () => (await left()) === 0);
    await revocations.stop();
  });

  it('go on at other providers while one does not answer', async () => {
    await insertGrantsToRevoke(db, vault, [...origins(10, 10), 'https://other.example']);
    const { revocations, open } = startWorker();
    await revocations.run();
    await until(() => open.some(({ url }) => url === 'https://other.example/revoke'));
    expect(open).toHaveLength(5);
    await revocations.stop();
  });

  it('leave a record of success, with how often they were tried', async () => {
    await insertGrantsToRevoke(db, vault, origins(1, 1));
    const { revocations, open, recorded, warnings } = startWorker();
    await revocations.run();
    open[0]?.answer({ ok: true });
    await until(async () => (await left()) === 0);
    expect(recorded).toMatchObject([
      {
        action: 'connection.revoked',
        actor: { kind: 'gateway' },
        details: { serviceProvider: 'acme', attempts: 1 },
      },
    ]);
    expect(warnings).toEqual([]);
    await revocations.stop();
  });

  it.each([
    [1, 10],
    [2, 60],
    [3, 300],
    [4, 900],
    [5, 3_600],
    [6, 10_800],
    [7, 10_800],
  ])('wait after attempt %d for %d seconds', async (attempts, seconds) => {
    await insertGrantsToRevoke(db, vault, origins(1, 1));
    await db('grants_to_revoke').update({ attempts: attempts - 1 });
    const { revocations, open, recorded, warnings } = startWorker();
    await revocations.run();
    open[0]?.answer(REFUSED);
    const pauseOf = async () => {
      const [row] = await db('grants_to_revoke').select(
        db.raw('extract(epoch from attempt_at - now())::float AS pause'),
      );
      return row?.pause;
    };
    // Until then it is claimed for a minute.
    await until(async () => warnings.length === 1 && Math.abs((await pauseOf()) - seconds) < 5);
    expect([warnings, recorded]).toEqual([
      [expect.objectContaining({ errorCode: 'http_503', attempts })],
      [],
    ]);
    await revocations.stop();
  });

  it('are given up after a day, with a record that says why', async () => {
    await insertGrantsToRevoke(db, vault, origins(2, 1));
    await ageAll(24);
    await db('grants_to_revoke')
      .where({ origin: 'https://p1.example' })
      .update({ created_at: db.raw("now() - interval '23 hours 59 minutes'") });
    const { revocations, open, recorded } = startWorker();
    await revocations.run();
    for (const { answer } of open) answer(REFUSED);
    await until(async () => (await left()) === 1 && recorded.length === 1);
    expect(recorded).toMatchObject([
      { action: 'connection.revocation_failed', details: { errorCode: 'http_503', attempts: 1 } },
    ]);
    await revocations.stop();
  });

  it('count in a report that began to wait for them while the provider was asked', async () => {
    await insertGrantsToRevoke(db, vault, origins(1, 1));
    const { revocations, open } = startWorker();
    await revocations.run();
    const [{ project_id: projectId }] = await db('grants_to_revoke').select('project_id');
    const { revocation } = await beginRevocation(db, projectId, { kind: 'gateway' });
    const { id } = revocation;
    await db('grants_to_revoke').update({ erasure_id: id });
    open[0]?.answer({ ok: true });
    await until(async () => (await left()) === 0);
    expect(await listOutcomes(db, { id, projectId, of: 'project' })).toMatchObject([
      { outcome: 'revoked', grants: 1 },
    ]);
    await revocations.stop();
  });

  it('are recorded once where another process took over from one that stood still', async () => {
    await insertGrantsToRevoke(db, vault, origins(1, 1));
    const [still, other] = [startWorker(), startWorker()];
    await still.revocations.run();
    await db('grants_to_revoke').update({ attempt_at: db.fn.now() });
    await other.revocations.run();
    other.open[0]?.answer({ ok: true });
    await until(() => other.recorded.length === 1);
    still.open[0]?.answer({ ok: true });
    await still.revocations.stop();
    expect(still.recorded).toEqual([]);
    await other.revocations.stop();
  });

  it('are abandoned when the process stops, and left to another one', async () => {
    await insertGrantsToRevoke(db, vault, origins(2, 1));
    const { revocations, recorded, warnings } = startWorker();
    await revocations.run();
    await revocations.stop();
    await revocations.run();
    expect([await left(), recorded, warnings]).toEqual([2, [], []]);
    const [row] = await db('grants_to_revoke').select(db.raw('attempt_at > now() AS waits'), 'attempts');
    expect(row).toEqual({ waits: true, attempts: 1 });
  });
});
