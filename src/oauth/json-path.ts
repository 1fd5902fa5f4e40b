/** True for a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value at a dotted path (`authed_user.id`, `data.0.id`), own members only; undefined where there is none.
 * A member whose own name has dots wins over the path.
 */
export function valueAt(value: unknown, path: string): unknown {
  if (isRecord(value) && Object.hasOwn(value, path)) return value[path];
  let current: unknown = value;
  for (const step of path.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined;
    current = Reflect.get(current, step);
  }
  return current;
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
