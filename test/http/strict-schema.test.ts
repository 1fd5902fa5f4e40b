import { z } from 'zod';
import { refuseUnknownMembers } from '../../src/http/strict-schema.ts';

const inner = z.object({ a: z.string() });

describe('a schema that refuses unknown members', () => {
  it.each([
    ['an object', inner, { a: 'x', b: 1 }],
    ['a nested object', z.object({ inner }), { inner: { a: 'x', b: 1 } }],
    ['an array', z.array(inner), [{ a: 'x', b: 1 }]],
    ['an optional', inner.optional(), { a: 'x', b: 1 }],
    ['a nullable with a default', inner.nullable().default(null), { a: 'x', b: 1 }],
    ['a record', z.record(z.string(), inner), { k: { a: 'x', b: 1 } }],
    ['a union', z.union([z.string(), inner]), { a: 'x', b: 1 }],
    [
      'a discriminated union',
      z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') }), z.object({ kind: z.literal('y') })]),
      { kind: 'x', b: 1 },
    ],
    ['what goes into a transform', inner.transform(({ a }) => a), { a: 'x', b: 1 }],
    ['a refined object', inner.refine(() => true), { a: 'x', b: 1 }],
    ['a readonly object', inner.readonly(), { a: 'x', b: 1 }],
  ])('refuses them in %s', (_where, schema, value) => {
    expect(z.core.safeParse(schema, value).success).toBe(true);
    expect(z.core.safeParse(refuseUnknownMembers(schema), value).success).toBe(false);
  });

  it('keeps refinements, transforms and defaults', () => {
    const schema = refuseUnknownMembers(
      z.object({ a: z.string().default('x'), b: z.coerce.number() }).refine(({ b }) => b > 1, 'too small'),
    );
    expect(z.core.parse(schema, { b: '2' })).toEqual({ a: 'x', b: 2 });
    expect(z.core.safeParse(schema, { b: '1' }).error?.issues[0]?.message).toBe('too small');
  });

  it('lets those who ask for more members have them', () => {
    const open = refuseUnknownMembers(
      z.object({ free: z.looseObject({}), rest: z.object({}).catchall(z.string()) }),
    );
    const value = { free: { x: 1 }, rest: { y: 'z' } };
    expect(z.core.parse(open, value)).toEqual(value);
  });

  it('leaves the declared schema as it was', () => {
    refuseUnknownMembers(z.object({ inner }));
    expect(inner.parse({ a: 'x', b: 1 })).toEqual({ a: 'x' });
  });
});
