import { join } from 'node:path/posix';

/** A page as the site takes it: its heading apart, every link from the root. */
export type SitePage = {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  /** Markdown without the first heading; links to other pages are `/docs/<slug>`. */
  readonly body: string;
  /** Not in the search: pages that only repeat others. */
  readonly isUnsearched?: boolean;
  /** How deep the list of headings beside the page goes; 0: it has none. */
  readonly headingLevels?: 0 | 2 | 3;
};

const FENCE = /^( *)(```+)([^\n]*)\n([\s\S]*?)^\1\2 *$/gm;
const LINK = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const DESCRIPTION_CHARACTERS_MAX = 180;

/** Reads a page of the repository. `slugOfFile` knows the address of every file that is a page. */
export function rewritePage(
  { slug, file }: { readonly slug: string; readonly file: string },
  text: string,
  slugOfFile: ReadonlyMap<string, string>,
): SitePage {
  const [heading = '', title = ''] = /^# (.+)\n/.exec(text) ?? [];
  if (title === '') throw new Error(`${file} does not begin with a heading`);
  const rest = text.slice(heading.length).trim();
  const body = outsideOfFences(rest, (part) =>
    part.replace(LINK, (whole: string, bang: string, words: string, target: string) => {
      if (/^(https?:|mailto:|#)/.test(target)) return whole;
      const [path = '', anchor] = target.split('#');
      if (path.startsWith('/')) return whole;
      const named = join(file, '..', path);
      const address = addressOf(named, slugOfFile);
      // What is no page is in the repository alone, whose address differs from copy to copy.
      if (address === undefined) return bang === '' ? words : '';
      // What stands in the place of another page has other headings.
      const hash = anchor === undefined || named in OTHER_ADDRESSES ? '' : `#${anchor}`;
      return `[${words}](${address}${hash})`;
    }),
  );
  return { slug, title: plain(title), description: describe(body), body };
}

/** Files that are served as they are, and pages under another address. */
const OTHER_ADDRESSES: Readonly<Record<string, string>> = {
  'docs/openapi.json': '/openapi.json',
  'docs/providers.md': '/docs/providers',
  'docs/providers.html': '/docs/providers',
  'README.md': '/docs/first-hour',
};

function addressOf(file: string, slugOfFile: ReadonlyMap<string, string>): string | undefined {
  const known = slugOfFile.get(file) ?? slugOfFile.get(`${file.replace(/\/$/, '')}/README.md`);
  if (known !== undefined) return `/docs/${known}`;
  const provider = /^src\/catalog\/providers\/([a-z0-9-]+)\.yaml$/.exec(file);
  if (provider !== null) return `/docs/providers/${provider[1]}`;
  return OTHER_ADDRESSES[file];
}

/** Replaces in what is no block of code. */
function outsideOfFences(text: string, replace: (part: string) => string): string {
  let end = 0;
  let result = '';
  for (const match of text.matchAll(FENCE)) {
    result += replace(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + replace(text.slice(end));
}

/** For the site: a block that no test runs shows why, in the bar above it. */
export function showReasons(body: string): string {
  return body.replace(
    /^( *```+\w+)[^\n]*?\bno-run="([^"]+)"[^\n]*$/gm,
    (_whole, opening: string, reason: string) => `${opening} title="Not run by the tests: ${reason}"`,
  );
}

/** No pages of the site, or Markdown already. */
const AS_THEY_ARE = /^\/docs\/(?:errors|try)$|\.(?:md|txt)$/;

/** For machines: the whole page as Markdown, whose links lead to Markdown. */
export function toMachineText({ title, body }: SitePage): string {
  const linked = outsideOfFences(body, (part) =>
    part.replace(/\]\((\/docs\/[a-z0-9/._-]+?)(#[^)\s]*)?\)/g, (_whole, path: string, anchor = '') =>
      AS_THEY_ARE.test(path) ? `](${path}${anchor})` : `](${path}.md${anchor})`,
    ),
  );
  return `# ${title}\n\n${linked}\n`;
}

function describe(body: string): string {
  const paragraph = body
    .replace(FENCE, '')
    .split(/\n{2,}/)
    .find((block) => /^[\p{L}\d*`"“]/u.test(block));
  const words = plain(paragraph ?? '').replace(/\s+/g, ' ');
  if (words.length <= DESCRIPTION_CHARACTERS_MAX) return words;
  return `${words.slice(0, DESCRIPTION_CHARACTERS_MAX).replace(/\s+\S*$/, '')} …`;
}

/** Words without their marks. */
function plain(text: string): string {
  return text
    .replace(LINK, '$2')
    .replace(/\*\*|`/g, '')
    .replace(/(^|\s)\*(\S[^*]*)\*/g, '$1$2')
    .trim();
}
