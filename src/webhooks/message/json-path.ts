import { isRecord } from '../../lib/is-record.ts';

/** One step of a path: a member's name or an element's index, any member (`*`), or every element (`[]`). */
export type PathStep = { readonly name: string } | 'any' | 'each';

const PATHS_KEPT_MAX = 5_000;
const kept = new Map<string, readonly PathStep[]>();

/** The steps of `entry[].changes[]`, `data.*.id`, `@odata\.type`; none for `.`, the value itself. Paths are of the catalog. */
export function stepsOf(path: string): readonly PathStep[] {
  const known = kept.get(path);
  if (known !== undefined) return known;
  const steps = path === '.' || path === '' ? [] : splitAtDots(path).flatMap(stepsOfPart);
  // Custom providers come and go: their paths must not fill the memory.
  if (kept.size >= PATHS_KEPT_MAX) kept.clear();
  kept.set(path, steps);
  return steps;
}

function splitAtDots(path: string): string[] {
  const parts = [''];
  for (let at = 0; at < path.length; at += 1) {
    const isEscape = path[at] === '\\';
    if (isEscape) at += 1;
    if (path[at] === '.' && !isEscape) parts.push('');
    else parts[parts.length - 1] += path[at] ?? '';
  }
  return parts;
}

function stepsOfPart(part: string): PathStep[] {
  if (part.endsWith('[]')) return [...stepsOfPart(part.slice(0, -2)), 'each'];
  if (part === '') return [];
  return part === '*' ? ['any'] : [{ name: part }];
}

/** A value of a JSON document and the names that lead to it, all of them concrete. */
export type FoundValue = { readonly value: unknown; readonly names: readonly string[] };

/** The first value that the steps lead to; of `any`, the first member that leads on. Null counts as absent. */
export function findValue(root: unknown, steps: readonly PathStep[]): FoundValue | undefined {
  return findFrom(root, steps, []);
}

function findFrom(
  value: unknown,
  [step, ...rest]: readonly PathStep[],
  names: readonly string[],
): FoundValue | undefined {
  if (step === undefined) return value === undefined || value === null ? undefined : { value, names };
  if (typeof value !== 'object' || value === null) return undefined;
  if (step !== 'any' && step !== 'each') {
    return Object.hasOwn(value, step.name)
      ? findFrom(Reflect.get(value, step.name), rest, [...names, step.name])
      : undefined;
  }
  for (const [name, member] of Object.entries(value).slice(0, MEMBERS_TRIED_MAX)) {
    const found = findFrom(member, rest, [...names, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `*` stands for the members of an object with a handful of them. */
const MEMBERS_TRIED_MAX = 100;

/** Every value that the steps lead to, through all elements of lists; undefined where there are more than `max`. */
export function findAll(root: unknown, steps: readonly PathStep[], max: number): unknown[] | undefined {
  let found: unknown[] = [root];
  for (const step of steps) {
    found = found.flatMap((value) => follow(value, step));
    if (found.length > max) return undefined;
  }
  return found;
}

function follow(value: unknown, step: PathStep): unknown[] {
  if (step === 'each') return Array.isArray(value) ? value : [];
  if (step === 'any') return isRecord(value) ? Object.values(value) : [];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step.name)) return [];
  return [Reflect.get(value, step.name)];
}

/** A text or number as text; undefined for everything that is no scalar. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
