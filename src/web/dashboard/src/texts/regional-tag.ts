/** The browser's own tag of the dashboard's language, such as `en-GB` for `en`: dates are written as its region does. */
export function findRegionalTag(language: string, tags: readonly string[] = navigator.languages): string {
  return tags.find((tag) => tag.toLowerCase().split('-')[0] === language) ?? language;
}
