import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Provider } from '../schema/provider.schema.ts';

/** The icons of built-in providers, taken from packages of icons with free licences (`npm run generate`). */
export const LOGOS_FILE = resolve(import.meta.dirname, 'logos.json');

type AnyIcon = {
  /** Package and version that it is from, one of `packages`. */
  readonly source: string;
  /** On which its colours can be seen. */
  readonly ground: string;
  readonly scale?: number;
};
/** A shape on a field of 24 by 24, and the brand's colour. */
type OneColorIcon = AnyIcon & { readonly color: string; readonly path: string };
/** A sanitised drawing in its own colours. */
type DrawnIcon = AnyIcon & { readonly viewBox: string; readonly body: string };
export type Icon = OneColorIcon | DrawnIcon;

/** Icons by slug, and the slug of each provider that has one. */
export type Logos = {
  /** Licence and author, by package and version. */
  readonly packages: Readonly<Record<string, { readonly license: string; readonly by?: string }>>;
  readonly providers: Readonly<Record<string, string>>;
  readonly icons: Readonly<Record<string, Icon>>;
};

/** Where this gateway serves a provider's logo. */
export function logoPath(providerId: string): string {
  return `/logos/${providerId}.svg`;
}

/** Where this gateway serves the logo that an operator gave an integration; another logo has another address. */
export function integrationLogoPath(integrationId: string, hash: string): string {
  return `/logos/integrations/${integrationId}/${hash}`;
}

export function readLogos(): Logos {
  return JSON.parse(readFileSync(LOGOS_FILE, 'utf8'));
}

/** Grounds of monograms: white on each has a contrast of 4.5 at least (WCAG 2.2, 1.4.3). */
export const MONOGRAM_COLORS = [
  '#c23a46',
  '#bf4a1c',
  '#4c7a17',
  '#1b7f47',
  '#11776d',
  '#0f728c',
  '#1a68a6',
  '#2f5bd0',
  '#4c48c6',
  '#6a3cc9',
  '#8630bd',
  '#a42a9f',
  '#ba2a6b',
  '#55617a',
];

/** A provider's logo as an SVG document: its icon, or a monogram where there is none. */
export function renderLogo(provider: Pick<Provider, 'id' | 'name' | 'icon'>, logos: Logos): string {
  const icon = findIcon(provider, logos);
  return icon === undefined ? renderMonogram(provider) : iconTile(icon);
}

/** The icon of a provider; undefined where its logo is letters. */
export function findIcon({ id, icon }: Pick<Provider, 'id' | 'icon'>, logos: Logos): Icon | undefined {
  const slug = icon ?? own(logos.providers, id);
  return slug === undefined ? undefined : own(logos.icons, slug);
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

const FIELD = 24;

function iconTile(icon: Icon): string {
  const { ground, scale } = icon;
  if ('body' in icon) {
    const size = FIELD * (scale ?? 1);
    const at = (40 - size) / 2;
    return tile(
      ground,
      `<svg x="${at}" y="${at}" width="${size}" height="${size}" viewBox="${icon.viewBox}">${icon.body}</svg>`,
    );
  }
  const { color, path } = icon;
  const place =
    scale === undefined ? 'translate(8 8)' : `translate(20 20) scale(${scale}) translate(-12 -12)`;
  return tile(ground, `<path fill="${color}" transform="${place}" d="${path}"/>`);
}

/** One or two letters of the name on a colour that follows from the id, the same everywhere and always. */
export function renderMonogram({ id, name }: Pick<Provider, 'id' | 'name'>): string {
  const letters = pickInitials(name);
  const color = MONOGRAM_COLORS[hashOf(id) % MONOGRAM_COLORS.length] ?? '#3d56b8';
  const font = `font-family="system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"`;
  const text = `<text x="20" y="20" dy=".36em" text-anchor="middle" fill="#fff" font-size="${
    letters.length > 1 ? 16 : 19
  }" font-weight="600" ${font}>${letters}</text>`;
  return tile(color, text);
}

/**
 * Initials of the first two words, of the two humps of one word (PandaDoc: PD), or a word's first two letters. What
 * stands in brackets, or is a domain's ending, is no part of the name. Letters and digits only: nothing needs escaping.
 */
export function pickInitials(name: string): string {
  const words = name.replace(/\([^()]*\)|\.[a-z]{2,4}\b/g, ' ').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const [first = '', second] = words;
  const [initial = '', next = ''] = first.normalize('NFC');
  if (second !== undefined) return `${initial}${[...second.normalize('NFC')][0]}`.toUpperCase();
  const hump = /^\p{Lu}\p{Ll}+(\p{Lu})/u.exec(first)?.[1];
  return `${initial.toUpperCase()}${hump ?? next}`;
}

/** FNV-1a, 32 bit. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash >>> 0;
}

/** The outline keeps a white tile apart from a white page, and a dark one from a dark page. */
function tile(ground: string, content: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40" width="40" height="40"><rect x=".5" y=".5" width="39" height="39" rx="8.5" fill="${ground}" stroke="#808592" stroke-opacity=".35"/>${content}</svg>`;
}
