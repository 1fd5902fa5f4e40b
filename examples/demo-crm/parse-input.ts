import type { z } from 'zod';
import { invalid } from './crm-errors.ts';

/** The body or query as the schema has it. Throws CrmError with every fault, in HubSpot's shape. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.infer<Schema> {
  const result = schema.safeParse(input ?? {});
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path, message }) => ({
    name: path.join('.'),
    message,
    code: 'INVALID_INPUT',
  }));
  throw invalid(
    `Invalid input JSON or query: ${faults.map(({ name, message }) => `${name}: ${message}`).join('; ')}`,
    faults,
  );
}
