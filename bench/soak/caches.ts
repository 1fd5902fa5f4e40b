/** Where the bounds of caches stand, and what a run with small ones has in their place. */
const BOUNDS: readonly (readonly [file: string, bound: string, small: (entries: number) => string])[] = [
  ['/lib/entries-up-to.ts', 'maxSize: count', (entries) => `maxSize: Math.min(count, ${entries})`],
  ['/verification/verified-tokens.ts', 'ENTRIES_MAX = 10_000', (entries) => `ENTRIES_MAX = ${entries}`],
];

/** Gives caches so many entries at most, in the texts of the modules that have their bounds. */
export function shrinkCaches(entries: number): (path: string, text: string) => string {
  return (path, text) => {
    const found = BOUNDS.find(([file]) => path.endsWith(file));
    if (found === undefined) return text;
    const [file, bound, small] = found;
    if (!text.includes(bound))
      throw new Error(`No bound of a cache in ${file} as bench/soak/caches.ts knows it`);
    return text.replace(bound, small(entries));
  };
}
