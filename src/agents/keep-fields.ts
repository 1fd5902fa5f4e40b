import { isRecord } from '../lib/is-record.ts';

/** A member's name, an element's index, or every member or element (`*`). */
type Step = string | number | typeof EVERY;

const EVERY = Symbol('every');
const STEPS_MAX = 20;

/** One step of a JSONPath (RFC 9535): `.name`, `.*`, `[*]`, `[0]`, `['name']`, `["name"]`; `[]` as our own paths have it. */
const STEP = /\.?(?:([\w$@-]+)|(\*)|\[(\*?)\]|\[(\d{1,6})\]|\['([^']{1,100})'\]|\["([^"]{1,100})"\])/y;

/** The steps of a path; undefined where it has a filter, a slice, `..` or what else is no plain path. */
export function parseFieldPath(path: string): readonly Step[] | undefined {
  const text = path.startsWith('$') ? path.slice(1) : path;
  const steps: Step[] = [];
  for (let at = 0; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (found === null || steps.length === STEPS_MAX || (at > 0 && !/[.[]/.test(text[at] ?? '')))
      return undefined;
    const [, name, , , index, single, double] = found;
    steps.push(index === undefined ? (name ?? single ?? double ?? EVERY) : Number(index));
  }
  return steps;
}

/** What the paths name of a document, in the document's own shape, so that what belongs together stays together. */
export function keepFields(document: unknown, paths: readonly (readonly Step[])[]): unknown {
  return keep(document, paths, 0);
}

/** `paths`: those that have led here, by their first `depth` steps. */
function keep(value: unknown, paths: readonly (readonly Step[])[], depth: number): unknown {
  if (paths.length === 0) return undefined;
  if (paths.some(({ length }) => length === depth)) return value;
  const keepBehind = (member: unknown, leads: (step: Step | undefined) => boolean) =>
    keep(
      member,
      paths.filter((path) => path[depth] === EVERY || leads(path[depth])),
      depth + 1,
    );
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => {
      const kept = keepBehind(element, (step) => step === index);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isRecord(value)) return undefined;
  const names = paths.some((path) => path[depth] === EVERY)
    ? Object.keys(value)
    : new Set(paths.map((path) => String(path[depth])));
  const kept: [string, unknown][] = [];
  for (const name of names) {
    if (!Object.hasOwn(value, name)) continue;
    const member = keepBehind(value[name], (step) => String(step) === name);
    if (member !== undefined) kept.push([name, member]);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
