import { isRetryableStatus, isSafeMethod, readRetryCount, retryDelayMs } from '../../src/proxy/retry.ts';

const NOW = Date.parse('2026-01-31T09:30:00Z');

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
    ['2', 2_000],
    ['0', 0],
    ['30', 30_000],
    ['31', undefined],
    ['Sat, 31 Jan 2026 09:30:05 GMT', 5_000],
    ['Sat, 31 Jan 2026 09:29:00 GMT', 0],
    ['Sat, 31 Jan 2026 10:30:00 GMT', undefined],
  ])('waits as Retry-After %j says: %j ms', (retryAfter, expected) => {
    expect(retryDelayMs({ retry: 0, retryAfter, nowMs: NOW, random: 0.5 })).toBe(expected);
  });

  it.each([
    [0, 0.5, 125],
    [1, 0.5, 250],
    [4, 0.5, 2_000],
    [9, 0.999, 7_992],
    [0, 0, 0],
  ])('backs off with jitter: retry %d at random %d waits %d ms', (retry, random, expected) => {
    expect(retryDelayMs({ retry, retryAfter: undefined, nowMs: NOW, random })).toBe(expected);
    expect(retryDelayMs({ retry, retryAfter: 'soon', nowMs: NOW, random })).toBe(expected);
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
