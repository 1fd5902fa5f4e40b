/** A key of a table as one statement uses it; equal ones are joined. */
export type Key = number;

/** What the statement is given, and needs no table for. */
export const VALUE: Key = 0;

export type Keys = {
  readonly add: () => Key;
  readonly join: (one: Key, other: Key) => void;
  readonly isSame: (one: Key, other: Key) => boolean;
};

export function createKeys(): Keys {
  const parents: number[] = [VALUE];
  const find = (key: Key): Key => {
    const parent = parents[key] ?? key;
    return parent === key ? key : find(parent);
  };
  return {
    add: () => parents.push(parents.length) - 1,
    join: (one, other) => {
      parents[find(one)] = find(other);
    },
    isSame: (one, other) => find(one) === find(other),
  };
}
