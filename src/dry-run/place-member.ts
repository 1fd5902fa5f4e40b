import { isRecord } from '../lib/is-record.ts';

/** Puts a value at a dotted path of an object, which it changes. */
export function placeMember(answer: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split('.');
  const last = steps.pop() ?? path;
  let level = answer;
  for (const step of steps) {
    const next: Record<string, unknown> = { ...(isRecord(level[step]) && level[step]) };
    level[step] = next;
    level = next;
  }
  level[last] = value;
}
