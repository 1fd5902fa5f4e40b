import { isRetryableStatus, isSafeMethod, readRetryCount, retryDelayMs } from '../../src/proxy/retry.ts';

describe('Gateway-Retry', () => {
  it.each([
    [undefined, 0],
    ['0', 0],
    ['5', 5],
    ['6', undefined],
    ['-1', undefined],
    ['1,1', undefined],
    ['', undefined],
    ['two', undefined],
  ])('%j asks for %j retries', (field, expected) => {
    expect(readRetryCount(field)).toBe(expected);
  });

  it.each([
    [429, true],
    [502, true],
    [503, true],
    [504, true],
    [500, false],
    [408, false],
    [200, false],
  ])('status %d is retried: %j', (status, expected) => {
    expect(isRetryableStatus(status)).toBe(expected);
  });

  it.each([
    [0, 0],
    [2_000, 2_000],
    [30_000, 30_000],
    [30_001, undefined],
  ])('asked to wait for %j ms waits for %j', (askedMs, expected) => {
    expect(retryDelayMs({ retry: 0, askedMs, random: 0.5 })).toBe(expected);
  });

  it.each([
    [0, 0.5, 125],
    [1, 0.5, 250],
    [4, 0.5, 2_000],
    [9, 0.999, 7_992],
    [0, 0, 0],
  ])('backs off with jitter: retry %d at random %d waits %d ms', (retry, random, expected) => {
    expect(retryDelayMs({ retry, askedMs: undefined, random })).toBe(expected);
  });
});

describe('a method', () => {
  it.each([
    ['GET', true],
    ['HEAD', true],
    ['OPTIONS', true],
    ['POST', false],
    ['PUT', false],
    ['DELETE', false],
    ['get', false],
  ])('%s is safe to send again unasked: %j', (method, expected) => {
    expect(isSafeMethod(method)).toBe(expected);
  });
});
