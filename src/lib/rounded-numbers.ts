import type { z } from 'zod';

type Step = string | number;

/**
 * Where a parsed JSON value has a number that JavaScript may have rounded when it read it: a whole one beyond 2^53
 * (RFC 7493 section 2.2), or one beyond the largest double. Undefined where it has none.
 */
export function findRoundedNumber(value: unknown): Step[] | undefined {
  if (typeof value === 'number') return isExact(value) ? undefined : [];
  if (typeof value !== 'object' || value === null) return undefined;
  const members: Iterable<[Step, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [step, member] of members) {
    const path = findRoundedNumber(member);
    if (path !== undefined) return [step, ...path];
  }
  return undefined;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/** A check for a schema (`superRefine`) of JSON that is passed on or kept; `remedy` says what to give instead. */
export function refuseRoundedNumbers(remedy: string) {
  return (value: unknown, context: z.RefinementCtx): void => {
    const path = findRoundedNumber(value);
    if (path !== undefined)
      context.addIssue({ code: 'custom', path, message: `Would be rounded: ${remedy}` });
  };
}
