import type { Icon } from '../src/catalog/loading/logos.ts';
import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { measureContrast } from '../src/connect/pages/brand-shades.ts';
import { measurePath } from './path-box.ts';

const WHITE = '#ffffff';
const DARK = '#16181d';
/** Of graphics against what is beside them (WCAG 2.2, 1.4.11), less what a large coloured area needs. */
const CONTRAST_MIN = 2;
/** Longer drawings make the tile larger than a page of text. */
const PATH_LENGTH_MAX = 9_000;
/** A word is wide and low: it gets more of the tile's width, so that it can be read. */
const WORD_PROPORTION = 2;
const WORD_SCALE = 1.375;

/** An icon as the package simple-icons has it: `hex` is the brand's colour, `path` the drawing on 24 by 24 units. */
export type BrandIcon = {
  readonly title: string;
  readonly slug: string;
  readonly hex: string;
  readonly path: string;
  readonly license?: { readonly type: string } | undefined;
};

/**
 * The text of src/catalog/loading/logos.json, an icon a line. A provider's icon is the one that its file names, else the one
 * with the provider's name or id. Icons under a licence of their own or of excessive detail are left out, as is `icon: none`.
 */
export function logosFile(
  providers: readonly Pick<Provider, 'id' | 'name' | 'icon'>[],
  icons: readonly BrandIcon[],
): string {
  const free = icons.filter(
    ({ license, path }) =>
      (license === undefined || license.type === 'CC0-1.0') && path.length <= PATH_LENGTH_MAX,
  );
  const bySlug = new Map(free.map((icon) => [icon.slug, icon]));
  const byTitle = new Map(free.map((icon) => [plain(icon.title), icon]));
  const found = providers.flatMap(({ id, name, icon }): [string, BrandIcon][] => {
    const own = icon === undefined ? (byTitle.get(plain(name)) ?? bySlug.get(plain(id))) : bySlug.get(icon);
    return own === undefined ? [] : [[id, own]];
  });
  const slugs = Object.fromEntries(found.map(([id, { slug }]) => [id, slug]));
  const used = new Map(found.map(([, icon]) => [icon.slug, icon]));
  const lines = [...used].sort(([left], [right]) => (left < right ? -1 : 1)).map(lineOf);
  return `{"providers":${JSON.stringify(slugs, null, 0).replaceAll(',"', ',\n"')},\n"icons":{\n${lines.join(',\n')}\n}}\n`;
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

function lineOf([slug, { hex, path }]: [string, BrandIcon]): string {
  const color = `#${hex.toLowerCase()}`;
  const ground = measureContrast(color, WHITE) >= CONTRAST_MIN ? WHITE : DARK;
  const { width, height } = measurePath(path);
  const isWord = width > height * WORD_PROPORTION;
  const icon: Icon = { color, ground, ...(isWord && { scale: WORD_SCALE }), path };
  return `${JSON.stringify(slug)}:${JSON.stringify(icon)}`;
}
