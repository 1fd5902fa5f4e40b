import { isUuid, newId, newRequestId } from '../../src/lib/ids.ts';

describe.each([
  ['an id', newId],
  ['a request id', newRequestId],
])('%s', (_what, make) => {
  it('is a UUIDv7 of the present time', () => {
    const before = Date.now();
    const id = make();
    const after = Date.now();
    expect(isUuid(id)).toBe(true);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const ms = Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
    expect(ms).toBeGreaterThanOrEqual(before);
    expect(ms).toBeLessThanOrEqual(after);
  });

  it('comes once', () => {
    expect(new Set(Array.from({ length: 10_000 }, make)).size).toBe(10_000);
  });
});
