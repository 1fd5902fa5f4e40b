/** Names come from callers and providers, so only so many are remembered in each generation. */
const NAMES_MAX = 512;

/**
 * Remembers what `judge` says of a field name, by its spelling: names repeat from call to call. A peer that sends ever
 * new names pushes the older generation out, and names in use move to the younger one, so that they stay known.
 */
export function rememberByName<Rule>(judge: (name: string) => Rule): (name: string) => Rule {
  let young = new Map<string, Rule>();
  let old = new Map<string, Rule>();
  return (name) => {
    const known = young.get(name);
    if (known !== undefined) return known;
    const rule = old.get(name) ?? judge(name);
    if (young.size >= NAMES_MAX) {
      old = young;
      young = new Map();
    }
    young.set(name, rule);
    return rule;
  };
}
