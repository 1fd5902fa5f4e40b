import type { Icon } from '../src/catalog/loading/logos.ts';
import type { Provider } from '../src/catalog/schema/provider.schema.ts';
import { measureContrast } from '../src/connect/pages/brand-shades.ts';
import type { TakenIcon } from './logos/taken-icon.ts';
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
  /** Where the package has it from: mostly the brand's own site. */
  readonly source: string;
  readonly license?: { readonly type: string } | undefined;
};

type Named = Pick<Provider, 'id' | 'name' | 'icon'>;

export type LogoSources = {
  /** Simple Icons' current release, by name and version. */
  readonly current: string;
  readonly brandIcons: readonly BrandIcon[];
  /** Icons of other packages, by the name that this project gives them. */
  readonly taken: Readonly<Record<string, TakenIcon>>;
  /** Licence and author of each other package. */
  readonly packages: Readonly<Record<string, object>>;
  /** Checked by a person: the icon of a provider, or `none` where one of its name is another brand's. */
  readonly checked: Readonly<Record<string, string>>;
};

/**
 * The text of src/catalog/loading/logos.json, an icon a line with the package that it is from. A provider's icon is the one
 * that its file names, else the one that was checked, else that of its very name or id if the package has it from one of
 * the provider's own domains. A name alone proves nothing: other companies have it too. Icons under a licence of their own or
 * of excessive detail are left out.
 */
export function logosFile(providers: readonly Named[], sources: LogoSources): string {
  const { brandIcons, taken, checked } = sources;
  const free = brandIcons.filter(
    ({ license, path }) =>
      (license === undefined || license.type === 'CC0-1.0') && path.length <= PATH_LENGTH_MAX,
  );
  const bySlug = new Map(free.map((icon) => [icon.slug, icon]));
  const byTitle = new Map(free.map((icon) => [plain(icon.title), icon]));
  const small = Object.entries(taken).filter(([, { body }]) => body.length <= PATH_LENGTH_MAX);
  const icons = new Map<string, Icon>(small.map(([slug, icon]) => [slug, fromTaken(icon)]));

  function choose(provider: Named): string | undefined {
    const named = provider.icon ?? (Object.hasOwn(checked, provider.id) ? checked[provider.id] : undefined);
    if (named !== undefined) return bySlug.has(named) || icons.has(named) ? named : undefined;
    const alike = byTitle.get(plain(provider.name)) ?? bySlug.get(plain(provider.id));
    return alike !== undefined && findDomains(provider).has(domainOf(alike.source)) ? alike.slug : undefined;
  }

  const slugs = providers.flatMap((provider): [string, string][] => {
    const slug = choose(provider);
    return slug === undefined ? [] : [[provider.id, slug]];
  });
  const lines = [...new Set(slugs.map(([, slug]) => slug))].sort().map((slug) => {
    const brand = bySlug.get(slug);
    const own = icons.get(slug) ?? (brand && fromBrand(brand, sources.current));
    return `${JSON.stringify(slug)}:${JSON.stringify(own)}`;
  });
  const packages = { [sources.current]: { license: 'CC0-1.0' }, ...sources.packages };
  return `{"packages":${JSON.stringify(packages, null, 1)},
"providers":${JSON.stringify(Object.fromEntries(slugs)).replaceAll(',"', ',\n"')},
"icons":{\n${lines.join(',\n')}\n}}\n`;
}

function plain(text: string): string {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '');
}

/** Those of all addresses that stand in the entry. */
function findDomains(entry: object): ReadonlySet<string> {
  const addresses = JSON.stringify(entry).match(/https:\/\/[^/"{}\\]+/g) ?? [];
  return new Set(addresses.map(domainOf));
}

/** The last two labels of the host, or three below such as `co.uk`. */
function domainOf(address: string): string {
  const labels = (URL.parse(address)?.hostname ?? '').split('.');
  const isDeep = labels.length > 2 && /^(co|com|org|net)$/.test(labels.at(-2) ?? '');
  return labels.slice(isDeep ? -3 : -2).join('.');
}

function fromBrand({ hex, path }: BrandIcon, source: string): Icon {
  const color = `#${hex.toLowerCase()}`;
  const { width, height } = measurePath(path);
  const isWord = width > height * WORD_PROPORTION;
  return { source, color, ground: chooseGround(color), ...(isWord && { scale: WORD_SCALE }), path };
}

/** A drawing of one path in one colour is like those of Simple Icons; one of several colours is made for a light ground. */
function fromTaken({ source, color, viewBox, body }: TakenIcon): Icon {
  const path = /^<path d="([^"]*)"\/?>(?:<\/path>)?$/.exec(body)?.[1];
  if (path !== undefined && viewBox === '0 0 24 24') {
    return { ...fromBrand({ title: '', slug: '', hex: color.slice(1), path, source }, source) };
  }
  const [, , width = 1, height = 1] = viewBox.split(' ').map(Number);
  const isWord = width > height * WORD_PROPORTION;
  return { source, ground: WHITE, ...(isWord && { scale: WORD_SCALE }), viewBox, body };
}

function chooseGround(color: string): string {
  return measureContrast(color, WHITE) >= CONTRAST_MIN ? WHITE : DARK;
}
