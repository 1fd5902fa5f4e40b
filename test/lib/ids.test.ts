import { isUuid, newId, newRequestId } from '../../src/lib/ids.ts';

describe.each([
  ['an id', newId],
  ['a request id', newRequestId],
])('%s', (_what, make) => {
  it('is a UUIDv7 of the present time', () => {
    const before = Date.now();
    // Ids never go back: where another test has set the clock ahead, they go on from there.
    const latest = timeOf(make());
    const id = make();
    const after = Math.max(latest, Date.now());
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(after);
  });

  it('comes once', () => {
    expect(new Set(Array.from({ length: 10_000 }, make)).size).toBe(10_000);
  });
});

/** In milliseconds since 1970. */
const timeOf = (id: string): number => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
