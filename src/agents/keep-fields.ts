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

type Wanted = Map<Step, Wanted> | 'all';

/** What the paths name of a document, in the document's own shape, so that what belongs together stays together. */
export function keepFields(document: unknown, paths: readonly (readonly Step[])[]): unknown {
  return keep(document, paths.reduce<Wanted>(addPath, new Map()));
}

function addPath(wanted: Wanted, [step, ...rest]: readonly Step[]): Wanted {
  if (step === undefined || wanted === 'all') return 'all';
  return wanted.set(step, addPath(wanted.get(step) ?? new Map(), rest));
}

function keep(value: unknown, wanted: Wanted): unknown {
  if (wanted === 'all') return value;
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => {
      const kept = keepOne(element, [wanted.get(EVERY), wanted.get(index)]);
      return kept === undefined ? [] : [kept];
    });
  }
  if (!isRecord(value)) return undefined;
  const every = wanted.get(EVERY);
  const names = every === undefined ? wanted.keys() : Object.keys(value);
  const kept: [string, unknown][] = [];
  for (const step of names) {
    const name = String(step);
    if (step === EVERY || !Object.hasOwn(value, name)) continue;
    const member = keepOne(value[name], [every, wanted.get(step), wanted.get(name)]);
    if (member !== undefined) kept.push([name, member]);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function keepOne(value: unknown, wishes: readonly (Wanted | undefined)[]): unknown {
  const given = wishes.filter((wish) => wish !== undefined);
  if (given.length === 0) return undefined;
  return keep(value, given.reduce(join));
}

function join(a: Wanted, b: Wanted): Wanted {
  if (a === b) return a;
  if (a === 'all' || b === 'all') return 'all';
  const joined = new Map(a);
  for (const [step, wish] of b) {
    const other = joined.get(step);
    joined.set(step, other === undefined ? wish : join(other, wish));
  }
  return joined;
}
