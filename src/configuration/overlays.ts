import { isRecord } from '../lib/is-record.ts';

/** In an overlay: the object of this name is left out. */
const DELETE = '$delete';

/**
 * A document with an overlay laid over it. Objects are merged member by member; lists of named objects (`name`, or
 * `email` of members, or the name in `project` of a list of projects) by that name; everything else is replaced. Neither
 * argument is changed.
 */
export function applyOverlay(base: unknown, overlay: unknown): unknown {
  if (isRecord(base) && isRecord(overlay)) {
    const merged: Record<string, unknown> = { ...base };
    for (const [member, value] of Object.entries(overlay)) {
      if (member === DELETE) continue;
      merged[member] = Object.hasOwn(base, member)
        ? applyOverlay(base[member], value)
        : withoutDeleted(value);
    }
    return merged;
  }
  if (Array.isArray(base) && Array.isArray(overlay) && isNamedList(overlay) && isNamedList(base))
    return mergeNamed(base, overlay);
  return withoutDeleted(overlay);
}

/** What an object of a list is called; undefined for anything else. */
export function nameOfItem(item: unknown): string | undefined {
  if (!isRecord(item)) return undefined;
  const name = item.name ?? item.email ?? (isRecord(item.project) ? item.project.name : undefined);
  return typeof name === 'string' ? name : undefined;
}

function isNamedList(list: readonly unknown[]): boolean {
  return list.every((item) => nameOfItem(item) !== undefined);
}

function mergeNamed(base: readonly unknown[], overlay: readonly unknown[]): unknown[] {
  const over = new Map(overlay.map((item) => [nameOfItem(item), item]));
  const known = new Set(base.map(nameOfItem));
  const changed = base.flatMap((item) => {
    const above = over.get(nameOfItem(item));
    if (isDeleted(above)) return [];
    return [above === undefined ? item : applyOverlay(item, above)];
  });
  return [...changed, ...overlay.filter((item) => !known.has(nameOfItem(item)) && !isDeleted(item))];
}

function withoutDeleted(value: unknown): unknown {
  return Array.isArray(value) ? value.filter((item) => !isDeleted(item)) : value;
}

function isDeleted(item: unknown): boolean {
  return isRecord(item) && item[DELETE] === true;
}
