const NONE: ReadonlySet<never> = new Set();

/** Sets of values by key; a key whose last value is removed takes no memory. */
export function createMultimap<Value>() {
  const sets = new Map<string, Set<Value>>();
  return {
    add(key: string, value: Value): void {
      const set = sets.get(key);
      if (set === undefined) sets.set(key, new Set([value]));
      else set.add(value);
    },

    remove(key: string, value: Value): void {
      const set = sets.get(key);
      if (set?.delete(value) && set.size === 0) sets.delete(key);
    },

    isEmpty: (): boolean => sets.size === 0,

    list: (key: string): ReadonlySet<Value> => sets.get(key) ?? NONE,

    *values(): Generator<Value> {
      for (const set of sets.values()) yield* set;
    },
  };
}
