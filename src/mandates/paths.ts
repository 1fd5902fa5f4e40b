/** Characters whose encoded form means the same (RFC 3986 section 2.3). */
const UNRESERVED = /%(?:2d|2e|5f|7e|3[0-9]|4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/gi;

/** Without one of these there is nothing to fold but letters: most paths are done with one look. */
const HAS_OTHER_SPELLING = /[%;]|\/\/|\/$|\.(?:json|xml)$/i;

/** A pattern of a mandate or of a provider file, taken apart once. */
export type PathPattern = { readonly segments: readonly string[]; readonly isOpen: boolean };

/** The path with encoded unreserved characters decoded; all else stays as it is. */
export function normalizePath(rawPath: string): string {
  const path = rawPath === '' ? '/' : rawPath;
  if (!path.includes('%')) return path;
  return path.replace(UNRESERVED, (encoded) => String.fromCharCode(Number.parseInt(encoded.slice(1), 16)));
}

/** `**` at the end stands for any number of segments, none included. */
export function compilePattern(pattern: string): PathPattern {
  const isOpen = pattern.endsWith('/**');
  const path = isOpen ? pattern.slice(0, -3) : pattern;
  return { segments: path === '' ? [] : normalizePath(path).split('/').slice(1), isOpen };
}

/**
 * Compares segment by segment: `*` is any one that is not empty, `*:run` one that ends so (provider files alone say
 * that). `path` is normalized.
 */
export function matchesPath({ segments, isOpen }: PathPattern, path: string): boolean {
  let start = 1;
  for (const segment of segments) {
    if (start > path.length) return false;
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    if (!isSegment(path, start, end, segment)) return false;
    start = end + 1;
  }
  return isOpen || start > path.length;
}

function isSegment(path: string, start: number, end: number, segment: string): boolean {
  if (!segment.startsWith('*')) return end - start === segment.length && path.startsWith(segment, start);
  const { length } = segment;
  return end - start >= length && path.endsWith(segment.slice(1), end);
}

/**
 * The path as the most forgiving provider might read it: decoded, in lower case, with single slashes and without
 * parameters, format suffix and last slash. For lists that refuse, which no other spelling may pass by.
 */
export function foldPath(path: string): string {
  if (!HAS_OTHER_SPELLING.test(path)) return path.toLowerCase();
  return decodeEscapes(path)
    .toLowerCase()
    .split('/')
    .map((segment) => segment.split(';', 1)[0] ?? '')
    .filter((segment) => segment !== '')
    .reduce((folded, segment) => `${folded}/${segment}`, '')
    .replace(/\.(?:json|xml)$/, '');
}

function decodeEscapes(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) =>
    String.fromCharCode(Number.parseInt(encoded.slice(1), 16)),
  );
}
