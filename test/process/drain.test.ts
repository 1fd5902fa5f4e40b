import { shutdownDelayMs } from '../../src/process/drain.ts';

const MINUTE_MS = 60_000;

describe('the delay between the first 503 of /readyz and the end of accepting', () => {
  const now = { configuredMs: undefined, isWorker: false, lastProbeAgoMs: Number.POSITIVE_INFINITY };

  it.each([
    ['is none where no balancer ever looked', now, 0],
    ['is none where no balancer has looked for a minute', { ...now, lastProbeAgoMs: MINUTE_MS }, 0],
    ['is five seconds where a balancer looks', { ...now, lastProbeAgoMs: MINUTE_MS - 1 }, 5_000],
    ['is five seconds in a worker, whichever of them was asked', { ...now, isWorker: true }, 5_000],
    ['is what was configured, looked at or not', { ...now, configuredMs: 700 }, 700],
    ['is none where that was configured', { ...now, lastProbeAgoMs: 0, configuredMs: 0 }, 0],
  ])('%s', (_title, options, expected) => {
    expect(shutdownDelayMs(options)).toBe(expected);
  });
});
