import { closestMatch } from 'leven';

/** A longer text is no misspelt name. */
const NAME_LENGTH_MAX = 64;

/**
 * The known name that the given one most likely stands for: equal but for case and punctuation, else within a few
 * typing errors, else one that begins or ends with the other (`serviceProvider`, `provider`). Undefined where none is
 * near. The work is bounded by the number of known names.
 */
export function findClosestName(given: string, known: Iterable<string>): string | undefined {
  if (given.length > NAME_LENGTH_MAX) return undefined;
  const wanted = lettersAndDigits(given);
  if (wanted === '') return undefined;
  const names = new Map([...known].map((name) => [lettersAndDigits(name), name]));
  // Two letters that changed places count as two errors.
  const maxDistance = wanted.length < 4 ? 1 : wanted.length < 8 ? 2 : 3;
  const misspelt =
    names.get(wanted) ?? names.get(closestMatch(wanted, [...names.keys()], { maxDistance }) ?? '');
  return misspelt ?? [...names].find(([letters]) => isPartOf(letters, wanted))?.[1];
}

/** What a fault adds to name the closest of the known names, each written by `quote`; empty where none is near. */
export function suggestName(
  given: string,
  known: Iterable<string>,
  quote: (name: string) => string = (name) => name,
): string {
  const meant = findClosestName(given, known);
  return meant === undefined ? '' : `; did you mean ${quote(meant)}?`;
}

function lettersAndDigits(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function isPartOf(left: string, right: string): boolean {
  const [shorter, longer] = left.length <= right.length ? [left, right] : [right, left];
  return shorter.length >= 4 && (longer.startsWith(shorter) || longer.endsWith(shorter));
}
