/**
 * Names of objects that no file has named: made of what they are, the oldest first, so that an object which comes later
 * changes none. The first apply that lists an object keeps its name.
 */
export function createNamer(taken: Iterable<string>) {
  const used = new Set(taken);
  return (wish: string): string => {
    for (let count = 1; ; count += 1) {
      const name = count === 1 ? wish : `${wish}-${count}`;
      if (used.has(name)) continue;
      used.add(name);
      return name;
    }
  };
}

const LENGTH_MAX = 80;

/** Letters and digits of any text, joined by hyphens. */
export function slug(text: string): string {
  const words = text
    .slice(0, 400)
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? ['object'];
  return words.join('-').slice(0, LENGTH_MAX);
}
