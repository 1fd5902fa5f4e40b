import fc from 'fast-check';
import type { MandatedCall } from '../../src/mandates/call.ts';
import { type MandateEntry, mandateEntriesSchema } from '../../src/mandates/mandate.schema.ts';
import { compileMandate } from '../../src/mandates/mandate.ts';
import { findCovers, isNarrower } from '../../src/mandates/narrower.ts';

const FACTS = { reads: ['/a/search'], writes: ['/a/b'], batch: ['/batch', '/b/*/batch'], graphql: ['/g'] };
const batchOf = () => FACTS.batch;

const parse = (entries: readonly object[]) =>
  mandateEntriesSchema.parse(
    entries.map((entry) => ({ type: 'gateway_access', provider: 'p', access: 'write', ...entry })),
  );

/** Few words, so that entries and calls meet often. */
const segment = fc.constantFrom('a', 'b', 'B', 'batch', 'search', '*', '', 'g', '%62');
const path = fc
  .tuple(fc.array(segment, { maxLength: 3 }), fc.constantFrom('', '/**'))
  .map(([segments, tail]) => `/${segments.join('/')}`.replace(/\/$/, tail === '' ? '/' : '') + tail)
  .filter((text) => text.startsWith('/'));
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const entry: fc.Arbitrary<MandateEntry> = fc
  .record({
    provider: fc.constantFrom('p', 'q'),
    access: fc.constantFrom('read', 'write'),
    connectionId: optional(
      fc.constantFrom('0192f0c8-0000-7000-8000-000000000001', '0192f0c8-0000-7000-8000-000000000002'),
    ),
    hosts: optional(fc.subarray(['api', 'x'], { minLength: 1 })),
    methods: optional(fc.subarray(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { minLength: 1 })),
    paths: optional(fc.array(path, { minLength: 1, maxLength: 2 })),
    approval: fc.constantFrom('none', 'none', 'once'),
  })
  .map((made) => parse([JSON.parse(JSON.stringify(made))])[0])
  .filter((made): made is MandateEntry => made !== undefined);

/** An entry beside one that is made of it, so that many pairs are narrower. */
const pair = fc
  .tuple(entry, entry, fc.constantFrom('other', 'fewer', 'deeper'))
  .map(([parent, other, how]) => {
    if (how === 'other') return [parent, other] as const;
    const { access, methods, hosts } = other;
    const paths = how === 'deeper' ? parent.paths?.map((text) => text.replace(/\*\*$|\*/, 'b')) : other.paths;
    return [parent, { ...parent, access, methods, hosts, paths: paths ?? other.paths }] as const;
  });

const call = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
    segments: fc.array(fc.constantFrom('a', 'b', 'B', 'batch', 'search', '', 'g', '%62', 'x'), {
      maxLength: 4,
    }),
    host: fc.constantFrom(undefined, 'x'),
    provider: fc.constantFrom('p', 'q'),
    connectionId: fc.constantFrom(
      '0192f0c8-0000-7000-8000-000000000001',
      '0192f0c8-0000-7000-8000-000000000002',
    ),
    body: fc.constantFrom(undefined, '{"query":"{ a }"}', '{"query":"mutation { a }"}', '_method=PUT'),
    type: fc.constantFrom('application/json', 'application/x-www-form-urlencoded'),
  })
  .map(
    ({ segments, body, type, ...rest }): MandatedCall => ({
      ...rest,
      rawPath: `/${segments.join('/')}`,
      rawQuery: '',
      rawHeaders: ['Content-Type', type],
      hasBody: body !== undefined,
      body: Buffer.from(body ?? ''),
      facts: FACTS,
    }),
  );

it('whatever a narrower list of entries allows, the wider one allows', () => {
  let narrower = 0;
  let allowed = 0;
  fc.assert(
    fc.property(
      fc.array(pair, { minLength: 1, maxLength: 2 }),
      fc.array(call, { minLength: 30, maxLength: 30 }),
      (pairs, calls) => {
        const parent = pairs.map(([wide]) => wide);
        const child = pairs.map(([, narrow]) => narrow);
        if (!isNarrower(child, parent, batchOf)) return;
        narrower += 1;
        const [wide, narrow] = [compileMandate(parent), compileMandate(child)];
        for (const one of calls) {
          if (!narrow.decide(one).isAllowed) continue;
          allowed += 1;
          expect([one, wide.decide(one).isAllowed]).toEqual([one, true]);
        }
      },
    ),
    { numRuns: 4_000 },
  );
  expect(narrower).toBeGreaterThan(200);
  expect(allowed).toBeGreaterThan(100);
});

it.each<[child: object, parent: object, isWithin: boolean]>([
  [{}, {}, true],
  [{ access: 'read' }, {}, true],
  [{}, { access: 'read' }, false],
  [{ paths: ['/a/1'] }, { paths: ['/a/**'] }, true],
  [{ paths: ['/a'] }, { paths: ['/a/**'] }, true],
  [{ paths: ['/**'] }, { paths: ['/a/**'] }, false],
  [{}, { paths: ['/a/**'] }, false],
  [{ paths: ['/a/*'] }, { paths: ['/a/1'] }, false],
  [{ paths: ['/a/%31'] }, { paths: ['/a/1'] }, true],
  [{ paths: ['/a/'] }, { paths: ['/a/*'] }, false],
  [{ paths: ['/batch'] }, { paths: ['/**'] }, false],
  [{ paths: ['/Batch'] }, {}, false],
  [{ paths: ['/batch'] }, { paths: ['/batch'] }, true],
  [{ methods: ['GET'] }, { methods: ['GET', 'PUT'] }, true],
  [{}, { methods: ['GET'] }, false],
  [{ hosts: ['api'] }, { hosts: ['x'] }, false],
  [{}, { perHour: 5 }, false],
  [{ perHour: 5 }, { perHour: 5 }, true],
  [{ perHour: 6 }, { perHour: 5 }, false],
  [{}, { approval: 'each' }, false],
  [{ approval: 'each' }, { approval: 'once' }, true],
  [
    { connectionId: '0192F0C8-0000-7000-8000-000000000002' },
    { connectionId: '0192f0c8-0000-7000-8000-000000000002' },
    true,
  ],
  [{}, { connectionId: '0192f0c8-0000-7000-8000-000000000002' }, false],
  [{ provider: 'q' }, {}, false],
])('%j within %j: %p', (child, parent, isWithin) => {
  expect(isNarrower(parse([child]), parse([parent]), batchOf)).toBe(isWithin);
});

it('names the entry that covers, since its limits go on counting', () => {
  expect(
    findCovers(
      parse([{ paths: ['/b'] }, { paths: ['/c'] }]),
      parse([{ paths: ['/a'] }, { paths: ['/b'] }]),
      batchOf,
    ),
  ).toEqual([1, -1]);
});

it('takes each path apart once, however many entries are compared', () => {
  let reads = 0;
  const counted = (paths: string[]) =>
    new Proxy(paths, {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads += 1;
        return Reflect.get(target, name);
      },
    });
  const paths = Array.from({ length: 40 }, (_none, index) => `/a${index}`);
  const entries = parse(Array.from({ length: 10 }, () => ({})));
  const parent = entries.map((one) => ({ ...one, paths: counted([...paths]) }));
  const child = entries.map((one) => ({ ...one, paths: counted([...paths.slice(1).reverse(), '/b']) }));
  expect(findCovers(child, parent, batchOf)).toEqual(entries.map(() => -1));
  expect(reads).toBeLessThanOrEqual(2 * 2 * entries.length * paths.length);
});
