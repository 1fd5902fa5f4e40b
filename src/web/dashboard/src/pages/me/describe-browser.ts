/** In the order of their looks: Edge and Opera also name Chrome, and Chrome also names Safari. */
const BROWSERS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /Firefox\/|FxiOS\//],
  ['Chrome', /Chrome\/|CriOS\//],
  ['Safari', /Safari\//],
];
const SYSTEMS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iOS', /iPhone|iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X/],
  ['Linux', /Linux/],
];

/** "Firefox, Linux" of a User-Agent; its first word where it is none of these; undefined without one. */
export function describeBrowser(userAgent: string | null): string | undefined {
  if (userAgent === null || userAgent === '') return undefined;
  const find = (table: typeof BROWSERS) => table.find(([, pattern]) => pattern.test(userAgent))?.[0];
  const browser = find(BROWSERS);
  if (browser === undefined) return userAgent.split(/[\s/]/)[0];
  return [browser, find(SYSTEMS)].filter(Boolean).join(', ');
}
