const UNSEEN = /\p{C}|\p{Zl}|\p{Zp}|(?! )\p{Zs}|\p{Default_Ignorable_Code_Point}|\u2800/gu;

/** The text with every character named that cannot be seen, or moves others: an agent has written it. Lines stay. */
export function showUnseen(text: string): string {
  return text.replace(UNSEEN, (character) => {
    if (character === '\n' || character === '\t') return character;
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${hex}⟩`;
  });
}
