import { createRateBudgets } from '../../src/polls/rate-limits/rate-budgets.ts';
import { createNoteRateLimit } from '../../src/polls/running/note-rate-limit.ts';
import { acmeProvider } from '../support/acme-provider.ts';

const TASK = { connectionId: 'connection-1', integrationId: 'integration-1' };
const RATE_LIMIT = { remaining: 'X-Remaining', reset: 'X-Reset', resetUnit: 'seconds' };

/** What the polls know of a provider's rate limit, with nothing in the store. */
function start(rateLimit: object = RATE_LIMIT) {
  const rateBudgets = createRateBudgets({
    store: {
      read: async () => undefined,
      write: async () => undefined,
      purgeOfAnyProject: async () => undefined,
    },
    now: Date.now,
    monotonicNow: () => 0,
  });
  const noteRateLimit = createNoteRateLimit({ rateBudgets });
  const provider = acmeProvider({ rateLimit });
  const note = (status: number, headers: Record<string, string | string[]> = {}): unknown => {
    try {
      noteRateLimit(TASK, { provider }, { status, headers });
      return undefined;
    } catch (error) {
      return error;
    }
  };
  return { note, waitMs: rateBudgets.waitMs };
}

describe('an answer to a poll', () => {
  it.each<[title: string, headers: Record<string, string | string[]>, retryAfterMs: number]>([
    ['for as long as it asks for', { 'retry-after': '7' }, 7_000],
    ['until the allowance begins again', { 'x-remaining': '0', 'x-reset': '9' }, 9_000],
    ['for half a minute where it says nothing', {}, 30_000],
    ['by the first of repeated fields', { 'retry-after': ['7', '8'] }, 7_000],
  ])('with status 429 holds polls back %s', async (_title, headers, retryAfterMs) => {
    const { note, waitMs } = start();
    expect(note(429, headers)).toMatchObject({
      name: 'PollFailure',
      code: 'rate_limited',
      detail: 'The provider answered 429.',
      retryAfterMs,
    });
    expect(await waitMs(TASK.connectionId)).toBe(retryAfterMs);
  });

  it.each([
    ['connection', RATE_LIMIT, { connection: 60_000, integration: 0 }],
    ['integration', { ...RATE_LIMIT, of: 'integration' }, { connection: 0, integration: 60_000 }],
  ])('that leaves nothing of the allowance is remembered of the %s', async (_whose, rateLimit, waits) => {
    const { note, waitMs } = start(rateLimit);
    expect(note(200, { 'x-remaining': '0', 'x-reset': '60' })).toBeUndefined();
    expect({
      connection: await waitMs(TASK.connectionId),
      integration: await waitMs(TASK.integrationId),
    }).toEqual(waits);
  });

  it('that says nothing of a rate limit holds nothing back', async () => {
    const { note, waitMs } = start();
    expect(note(200)).toBeUndefined();
    expect(note(500)).toBeUndefined();
    expect(await waitMs(TASK.connectionId)).toBe(0);
  });
});
