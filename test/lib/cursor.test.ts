import fc from 'fast-check';
import { z } from 'zod';
import { decodeCursor, encodeCursor, listQuery, readPage } from '../../src/lib/cursor.ts';
import { newId } from '../../src/lib/ids.ts';

describe('a cursor', () => {
  it('brings the row back that it was made from', () => {
    const id = newId();
    expect(decodeCursor(encodeCursor(id))).toBe(id);
  });

  it('of another server is none', () => {
    const foreign = [
      undefined,
      '',
      'abc',
      Buffer.from('[1,"not a uuid"]').toString('base64url'),
      Buffer.from(`[2,"${newId()}"]`).toString('base64url'),
      Buffer.from(`[1,"${newId()}",0]`).toString('base64url'),
      Buffer.from('{"length":2}').toString('base64url'),
      Buffer.from('null').toString('base64url'),
    ];
    expect(foreign.map(decodeCursor)).toEqual(foreign.map(() => undefined));
    fc.assert(fc.property(fc.string(), (text) => expect(decodeCursor(text)).toBeUndefined()));
  });

  it('is refused by the query schema when it is foreign', () => {
    const schema = z.object(listQuery);
    expect(schema.safeParse({ cursor: 'abc' }).success).toBe(false);
    expect(schema.parse({ cursor: encodeCursor(newId()) }).limit).toBe(50);
  });

  it.each(['0', '201', '1.5', '-1', 'ten', '', '1e2', '0x10', ' 5', '+5'])(
    'comes with no limit of %j',
    (limit) => {
      expect(z.object(listQuery).safeParse({ limit }).success).toBe(false);
    },
  );
});

describe('pages', () => {
  const idOf = (number: number) => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
  type Window = { readonly beforeId: string | undefined; readonly limit: number };
  const readFrom =
    (rows: readonly { readonly id: string }[]) =>
    async ({ beforeId, limit }: Window) =>
      rows.filter((row) => beforeId === undefined || row.id < beforeId).slice(0, limit);

  it('neither repeat nor hide rows while others come and go', async () => {
    let rows = Array.from({ length: 25 }, (_, number) => ({ id: idOf(number + 100) })).reverse();
    const seen: string[] = [];
    let cursor: string | undefined;
    let next = 500;
    do {
      const page: Awaited<ReturnType<typeof readPage>> = await readPage({ cursor, limit: 7 }, readFrom(rows));
      seen.push(...page.items.map((row) => row.id));
      cursor = page.nextCursor ?? undefined;
      rows = [{ id: idOf(next) }, ...rows.filter((row) => row.id !== seen.at(-1))];
      next += 1;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 25 }, (_, number) => idOf(124 - number)));
  });

  it('have no next one when the rows fit exactly', async () => {
    const one = [{ id: newId() }];
    expect(await readPage({ limit: 1 }, readFrom(one))).toEqual({ items: one, nextCursor: null });
    expect(await readPage({ limit: 1 }, readFrom([]))).toEqual({ items: [], nextCursor: null });
  });
});
