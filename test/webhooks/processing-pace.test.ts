import type { ProcessingRun } from '../../src/webhooks/processing/process-receipts.ts';
import { createProcessingWorker } from '../../src/webhooks/processing/processing.worker.ts';
import { createProcessingPace } from '../../src/webhooks/processing/processing-pace.ts';
import { until } from '../support/until.ts';

describe('the pace of processing', () => {
  let nowMs = 1_000_000;
  const pace = createProcessingPace(() => nowMs);

  /** Stores a receipt in so long. */
  async function store(ms: number, end: 'resolve' | 'reject' = 'resolve'): Promise<void> {
    const storing = Promise.withResolvers<void>();
    const watched = pace.watch(storing.promise);
    nowMs += ms;
    storing[end]();
    await watched.catch(() => undefined);
  }

  beforeEach(() => {
    nowMs += 1_000_000;
  });

  it('is the full one while receipts are stored at once', async () => {
    await store(20);
    expect([pace.restMs(400), pace.limitItems(2_000)]).toEqual([0, 2_000]);
  });

  it.each(['resolve', 'reject'] as const)(
    'leaves two thirds of the time to receipts that wait (%s)',
    async (end) => {
      await store(40, end);
      expect([pace.restMs(100), pace.limitItems(2_000), pace.limitItems(10)]).toEqual([200, 250, 10]);
    },
  );

  it('never rests for more than a second, however long it worked', async () => {
    await store(30_000);
    expect(pace.restMs(60_000)).toBe(1_000);
  });

  it('is the full one again a second after the last slow receipt', async () => {
    await store(40);
    nowMs += 1_000;
    expect([pace.restMs(100), pace.limitItems(2_000)]).toEqual([0, 2_000]);
  });
});

describe('the worker', () => {
  const log = { warn: () => undefined };
  const postponeFirst = async () => undefined;

  it('asks after each transaction that leaves more whether it should rest, and goes on afterwards', async () => {
    const runs: ProcessingRun[] = ['more', 'more', 'done'];
    const worked: number[] = [];
    const worker = createProcessingWorker({
      process: async () => runs.shift() ?? 'done',
      restMs: (ms) => worked.push(ms),
      postponeFirst,
      log,
    });
    worker.kick('project');
    await until(() => runs.length === 0);
    await worker.stop();
    expect(worked).toHaveLength(2);
  });

  it('is stopped while it rests', async () => {
    let began = 0;
    const worker = createProcessingWorker({
      process: async () => {
        began += 1;
        return 'more';
      },
      restMs: () => 3_600_000,
      postponeFirst,
      log,
    });
    worker.kick('project');
    await until(() => began === 1);
    await worker.stop();
    expect(began).toBe(1);
  });
});
