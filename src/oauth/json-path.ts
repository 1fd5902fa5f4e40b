import { isRecord } from '../lib/is-record.ts';

/** `name[member=value]`: the first element of the list `name` whose `member` has that value. */
const SELECTOR = /^([^[\]]+)\[([^[\]=]+)=([^[\]=]+)\]$/;

/**
 * The value at a dotted path (`authed_user.id`, `data.0.id`, `accounts[is_default=true].base_uri`), own members only;
 * undefined where there is none. A member whose own name has dots wins over the path.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path];
  let current: unknown = value;
  for (const step of path.split('.')) {
    const [, list = '', member = '', wanted = ''] = SELECTOR.exec(step) ?? [];
    current = list === '' ? memberOf(current, step) : elementOf(memberOf(current, list), member, wanted);
    if (current === undefined) return undefined;
  }
  return current;
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function elementOf(list: unknown, member: string, wanted: string): unknown {
  return Array.isArray(list)
    ? list.find((element) => textOf(memberOf(element, member)) === wanted)
    : undefined;
}

/** The first value that is there among alternative paths. */
export function firstAt(value: unknown, paths: string | readonly string[]): unknown {
  for (const path of typeof paths === 'string' ? [paths] : paths) {
    const found = valueAt(value, path);
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** A text, or a number or boolean as its text; undefined for anything else and for the empty text. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
