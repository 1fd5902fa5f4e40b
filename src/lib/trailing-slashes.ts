/** The text without the slashes at its end. A loop: `/\/+$/` would try again at each slash of a run within the text. */
export function stripTrailingSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end -= 1;
  return text.slice(0, end);
}
