import { z } from 'zod';

type Judged<Output> =
  | { readonly ok: true; readonly data: Output }
  /** Each is put into words when it is read, once. */
  | { readonly ok: false; readonly issues: Iterable<z.core.$ZodIssue> };

/**
 * What a schema makes of a value, as `safeParse` does. Of a value with ten thousand faults a reader shows a few, and putting
 * all into words is most of what such a value costs.
 */
export function judge<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  error: z.core.$ZodErrorMap,
): Judged<z.core.output<Schema>> {
  const context: z.core.ParseContextInternal = { error, async: false };
  const payload = schema._zod.run({ value, issues: [] }, context);
  if (payload instanceof Promise) throw new z.core.$ZodAsyncError();
  const { issues } = payload;
  if (issues.length > 0) return { ok: false, issues: putIntoWords(issues, context) };
  return { ok: true, data: payload.value as z.core.output<Schema> };
}

function* putIntoWords(
  issues: readonly z.core.$ZodRawIssue[],
  context: z.core.ParseContextInternal,
): Generator<z.core.$ZodIssue> {
  for (const issue of issues) yield z.core.util.finalizeIssue(issue, context, z.core.config());
}
