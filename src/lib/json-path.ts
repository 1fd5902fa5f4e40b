import { readRawNumber } from './exact-json.ts';
import { isRecord } from './is-record.ts';

/** One step of a path: a member's name or an element's index, any member (`*`), or every element (`[]`). */
export type PathStep = NameStep | 'any' | 'each';

type NameStep = {
  readonly name: string;
  /** The first element of that list whose member has this value; an object is taken for the only element. */
  readonly where?: Selector | undefined;
};

export type Selector = { readonly member: string; readonly value: string };

const PATHS_KEPT_MAX = 5_000;
const parsedPaths = new Map<string, readonly PathStep[]>();

/** `name[member=value]`: the first element of the list `name` whose `member` has that value. */
const SELECTOR = /^([^[\]]+)\[([^[\]=]+)=([^[\]=]+)\]$/;

/** `*` stands for the members of an object with a handful of them. */
const MEMBERS_TRIED_MAX = 100;

/**
 * The steps of `data.0.id`, `entry[].changes[]`, `data.*.id`, `accounts[is_default=true].uri`, `@odata\.type`; none for
 * `.`, the value itself. Paths are of provider files.
 */
export function parsePath(path: string): readonly PathStep[] {
  const known = parsedPaths.get(path);
  if (known !== undefined) return known;
  const steps = path === '.' || path === '' ? [] : splitAtDots(path).flatMap(parsePart);
  // Custom providers come and go: their paths must not fill the memory.
  if (parsedPaths.size >= PATHS_KEPT_MAX) parsedPaths.clear();
  parsedPaths.set(path, steps);
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

function parsePart(part: string): PathStep[] {
  if (part.endsWith('[]')) return [...parsePart(part.slice(0, -2)), 'each'];
  if (part === '') return [];
  if (part === '*') return ['any'];
  const [, name = part, member, value] = SELECTOR.exec(part) ?? [];
  return [member === undefined || value === undefined ? { name } : { name, where: { member, value } }];
}

/**
 * The value that the path leads to, own members only; null where the document says null, undefined where there is none.
 * A member whose own name has dots wins over the path. Of `any` and `each` it takes the first.
 */
export function readPath(root: unknown, path: string): unknown {
  if (isRecord(root) && Object.hasOwn(root, path)) return root[path];
  let value = root;
  for (const step of parsePath(path)) {
    [value] = followStep(value, step);
    if (value === undefined) return undefined;
  }
  return value;
}

/** The first value among alternative paths that is there and not null. */
export function readFirstPath(root: unknown, paths: string | readonly string[]): unknown {
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    const value = readPath(root, path);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
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
  for (const [own, member] of listCandidates(value, step)) {
    const found = findFrom(member, rest, [...names, ...own]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The values to which a step may lead on, each with the names to it. */
function listCandidates(value: unknown, step: PathStep): readonly (readonly [readonly string[], unknown])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === 'any' || step === 'each') {
    const members = Object.entries(value).slice(0, MEMBERS_TRIED_MAX);
    return members.map(([name, member]) => [[name], member]);
  }
  const { name, where } = step;
  const [member] = readMember(value, name);
  if (where === undefined) return [[[name], member]];
  if (isRecord(member)) return isSelected(member, where) ? [[[name], member]] : [];
  const index = Array.isArray(member) ? member.findIndex((element) => isSelected(element, where)) : -1;
  return index < 0 ? [] : [[[name, String(index)], Reflect.get(Object(member), index)]];
}

/** Every value that the steps lead to, through all elements of lists; undefined where there are more than `max`. */
export function findAll(root: unknown, steps: readonly PathStep[], max: number): unknown[] | undefined {
  let found: unknown[] = [root];
  for (const step of steps) {
    found = found.flatMap((value) => followStep(value, step));
    if (found.length > max) return undefined;
  }
  return found;
}

function followStep(value: unknown, step: PathStep): unknown[] {
  if (step === 'each') return Array.isArray(value) ? value : [];
  if (step === 'any') return isRecord(value) ? Object.values(value) : [];
  const found = readMember(value, step.name);
  const { where } = step;
  if (where === undefined) return found;
  const elements = found.flatMap((list) => (Array.isArray(list) ? list : isRecord(list) ? [list] : []));
  return elements.filter((element) => isSelected(element, where)).slice(0, 1);
}

function readMember(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return [Reflect.get(value, name)];
}

export function isSelected(element: unknown, { member, value }: Selector): boolean {
  return toText(readMember(element, member)[0]) === value;
}

/** A text, or a number or boolean as its text; undefined for everything that is no scalar. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : readRawNumber(value);
}

/** The same, with the empty text as undefined. */
export function toFilledText(value: unknown): string | undefined {
  return toText(value) || undefined;
}
