const LENGTH_MAX = 40;

/**
 * A name that a person has chosen, for a mail in which the gateway speaks: in quotes, on one line, cut to forty
 * characters, without what makes mail programs show a link, and without invisible characters that turn its order round.
 */
export function quoteText(text: string): string {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ')
    .replaceAll(/["“”„«»]/g, "'")
    .replaceAll(/[:@]|\/\/|(?<=[\p{L}\p{N}-])[.。](?=[\p{L}\p{N}])/gu, ' ')
    .replaceAll(/ +/g, ' ')
    .trim();
  const letters = [...plain];
  const cut = letters.length > LENGTH_MAX ? `${letters.slice(0, LENGTH_MAX).join('').trim()}…` : plain;
  return `“${cut}”`;
}
