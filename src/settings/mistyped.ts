import leven from 'leven';

/** Shorter names are near too many others. */
const LENGTH_MIN = 6;
const ERRORS_MAX = 2;

/** Variables that are nearly called like a known one which is not set: that one was most likely meant. */
export function findMistyped(
  given: Iterable<string>,
  known: readonly string[],
): { readonly name: string; readonly meant: string }[] {
  const names = new Set(given);
  const unknown = [...names].filter((name) => !known.includes(name.replace(/_FILE$/, '')));
  return unknown.flatMap((name) => {
    if (name.length < LENGTH_MIN || name.length > 64) return [];
    const isNear = (other: string) => leven(name.toUpperCase(), other, { maxDistance: 3 }) <= ERRORS_MAX;
    const meant = known.find((other) => other.length >= LENGTH_MIN && !names.has(other) && isNear(other));
    return meant === undefined ? [] : [{ name, meant }];
  });
}
