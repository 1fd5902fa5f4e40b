/** Without accents and capitals. */
function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

type Named = { readonly title: string; readonly words?: string };

/** Those in which every word typed begins a word, those first whose title begins with what was typed; all for nothing typed. */
export function matchWords<Item extends Named>(items: readonly Item[], typed: string): readonly Item[] {
  const asked = fold(typed);
  const parts = asked.split(/\s+/).filter((part) => part !== '');
  const fits = ({ title, words = '' }: Named) => {
    const there = fold(`${title} ${words}`).split(/[\s()/.,-]+/);
    const whole = fold(`${title} ${words}`);
    return parts.every((part) => there.some((word) => word.startsWith(part)) || hasInside(whole, part));
  };
  const rank = ({ title }: Named) =>
    fold(title).startsWith(asked) ? 0 : fold(title).includes(asked) ? 1 : 2;
  return items.filter(fits).toSorted((left, right) => (asked === '' ? 0 : rank(left) - rank(right)));
}

/** Shorter ones stand within too many words. */
const INSIDE_LENGTH_MIN = 4;

function hasInside(text: string, part: string): boolean {
  return part.length >= INSIDE_LENGTH_MIN && text.includes(part);
}
