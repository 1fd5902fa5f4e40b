import { z } from 'zod';
import { judge } from '../../src/lib/judge.ts';

const schema = z.strictObject({
  names: z.array(z.string()),
  size: z.union([z.number(), z.enum(['s', 'm'])]).default(1),
});
const FAULTY = { names: [1, 2, 3], size: true, more: 0 };
const explain = ({ code }: z.core.$ZodRawIssue) => `in our words: ${code}`;

it('gives what the schema makes of a good value', () => {
  expect(judge(schema, { names: ['a'] }, explain)).toEqual({ ok: true, data: { names: ['a'], size: 1 } });
});

it('finds the issues that safeParse finds, in its order and words', () => {
  const judged = judge(schema, FAULTY, explain);
  const { error } = schema.safeParse(FAULTY, { error: explain });
  expect(judged.ok ? [] : [...judged.issues]).toEqual(error?.issues);
});

it('puts no issue into words that is not read', () => {
  const words: string[] = [];
  const judged = judge(schema, FAULTY, (issue) => {
    words.push(issue.code);
    return 'wrong';
  });
  const before = words.length;
  if (!judged.ok) for (const _ of Iterator.from(judged.issues).take(2));
  expect(words).toHaveLength(before + 2);
});

it('refuses a schema that waits', () => {
  expect(() =>
    judge(
      z.string().refine(async () => true),
      'a',
      explain,
    ),
  ).toThrow(z.core.$ZodAsyncError);
});
