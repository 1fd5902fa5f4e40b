import { diffRecord, readFields } from '../../src/approvals/diff-record.ts';

const json = (text: string) => readFields(Buffer.from(text), false);
const form = (text: string) => readFields(Buffer.from(text), true);

it.each([
  ['a field that changes', '{"a":"new"}', { a: 'old' }, [['a', 'old', 'new']]],
  ['a field that the record has already', '{"a":"x","b":1}', { a: 'x', b: '1' }, []],
  ['a field that the answer lacks', '{"a":"new"}', {}, [['a', undefined, 'new']]],
  ['a field that becomes empty', '{"a":""}', { a: 'old' }, [['a', 'old', '']]],
  ['a field that becomes null', '{"a":null}', { a: 'old' }, [['a', 'old', 'null']]],
  [
    'fields within members',
    '{"properties":{"a":"new","b":"same"}}',
    { properties: { a: 'old', b: 'same' } },
    [['properties.a', 'old', 'new']],
  ],
  ['lists as a whole', '{"a":[1,2]}', { a: [1] }, [['a', '[1]', '[1,2]']]],
  ['an object where a text was', '{"a":{"b":"c"}}', { a: 'text' }, [['a.b', undefined, 'c']]],
  ['an empty object', '{"a":{}}', { a: { b: 1 } }, [['a', '{"b":1}', '{}']]],
  ['a name of the language', '{"constructor":"x"}', {}, [['constructor', undefined, 'x']]],
])('a body of JSON tells %s', (_, body, record, changes) => {
  const found = diffRecord(json(body), record).changes;
  expect(found.map(({ field, before, after }) => [field, before, after])).toEqual(changes);
});

it('a form tells the same, with brackets for members', () => {
  const fields = form('name=New&metadata[plan]=pro&metadata[seats]=4');
  expect(diffRecord(fields, { name: 'Old', metadata: { plan: 'free', seats: '4' } })).toEqual({
    changes: [
      { field: 'name', before: 'Old', after: 'New' },
      { field: 'metadata.plan', before: 'free', after: 'pro' },
    ],
    ...{ same: 1, isCut: false },
  });
});

it.each([
  ['a name that stands twice', '{"a":1,"a":2}'],
  ['a number whose digits would be lost', '{"a":12345678901234567890}'],
  ['a list', '[1]'],
  ['what is no JSON', 'a=b'],
])('a body of JSON is not compared where it could be read otherwise: %s', (_, body) => {
  expect(json(body)).toBeUndefined();
});

it('digits of a text are no number', () => {
  expect(json('{"a":"12345678901234567890"}')).toEqual({ a: '12345678901234567890' });
});

it.each([
  ['a name that stands twice', 'a=1&a=2'],
  ['a text that is a member too', 'a=1&a[b]=2'],
  ['a member that is a text too', 'a[b]=2&a=1'],
  ['too many fields', Array.from({ length: 501 }, (_, index) => `f${index}=1`).join('&')],
  ['too deep a member', `a${'[b]'.repeat(10)}=1`],
])('a form is not compared where it could be read otherwise: %s', (_, body) => {
  expect(form(body)).toBeUndefined();
});

it('says so where there are more changes than are listed, and cuts long values', () => {
  const many = Object.fromEntries(
    Array.from({ length: 250 }, (_, index) => [`f${index}`, 'x'.repeat(3_000)]),
  );
  const { changes, isCut } = diffRecord(many, {});
  expect([changes.length, isCut, changes[0]?.after.length]).toEqual([200, true, 2_001]);
});
