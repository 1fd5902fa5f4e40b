import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { sanitizeDrawing } from './logos/sanitize-svg.ts';
import type { TakenIcon } from './logos/taken-icon.ts';

/**
 * `node scripts/take-logos.ts`: takes the icons that scripts/logos/taken-choices.json names out of their packages, which npm
 * fetches, into scripts/logos/taken-icons.json. Only after a change of those choices; `npm run generate` needs no package.
 */
const folder = resolve(import.meta.dirname, 'logos');
const readJson = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
const packages: Record<string, { license: string }> = readJson(join(folder, 'packages.json'));
const choices: Record<string, string> = readJson(join(folder, 'taken-choices.json'));
const scratch = mkdtempSync(join(tmpdir(), 'logos-'));
const folders = new Map<string, string>();

/** Where npm unpacked the package. */
function unpack(name: string): string {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const target = mkdtempSync(join(scratch, 'package-'));
  const packed = execFileSync('npm', ['pack', name, '--silent', '--pack-destination', target], {
    encoding: 'utf8',
  });
  execFileSync('tar', ['xzf', join(target, packed.trim()), '-C', target]);
  folders.set(name, join(target, 'package'));
  return join(target, 'package');
}

/** `<package>@<version>:<icon>`, and `#rrggbb` where the package has no colour for it. */
function take(choice: string): TakenIcon {
  const [, source = '', icon = '', color = '#16181d'] =
    /^(.+@[\d.]+):([\w-]+?)(#[0-9a-f]{6})?$/.exec(choice) ?? [];
  if (packages[source] === undefined) throw new Error(`${choice}: unknown package`);
  const at = unpack(source);
  const drawing = source.startsWith('@iconify-json/')
    ? fromIconify(readJson(join(at, 'icons.json')), icon)
    : fromSvg(readFileSync(join(at, fileOf(source, icon)), 'utf8'));
  const brand = source.startsWith('simple-icons@') ? findHex(at, icon) : color;
  const body = sanitizeDrawing(drawing.body);
  if (body === undefined) throw new Error(`${choice}: has more than a drawing`);
  return {
    source,
    icon,
    color: brand,
    viewBox: drawing.viewBox,
    body: body.replaceAll('currentColor', brand),
  };
}

function fileOf(source: string, icon: string): string {
  return source.startsWith('super-tiny-icons@') ? `images/svg/${icon}.svg` : `icons/${icon}.svg`;
}

type IconifySet = {
  readonly width?: number;
  readonly height?: number;
  readonly icons: Record<
    string,
    { body: string; left?: number; top?: number; width?: number; height?: number }
  >;
};

function fromIconify(set: IconifySet, name: string) {
  const icon = set.icons[name];
  if (icon === undefined) throw new Error(`there is no ${name}`);
  const { body, left = 0, top = 0, width = set.width ?? 16, height = set.height ?? 16 } = icon;
  return { viewBox: `${left} ${top} ${width} ${height}`, body };
}

function fromSvg(svg: string) {
  const [, attributes = '', body = ''] = /<svg([^>]*)>([\s\S]*)<\/svg>/.exec(svg) ?? [];
  const viewBox = /viewBox="([\d\s.-]+)"/.exec(attributes)?.[1] ?? '0 0 24 24';
  const fill = /\sfill="(#[0-9A-Fa-f]{3,6}|currentColor)"/.exec(attributes)?.[1];
  const drawing = body.replace(/<title>[^<]*<\/title>/, '');
  return { viewBox, body: fill === undefined ? drawing : `<g fill="${fill}">${drawing}</g>` };
}

/** The brand's colour as Simple Icons has it. */
function findHex(at: string, slug: string): string {
  const { icons } = readJson(join(at, '_data/simple-icons.json'));
  const plain = (title: string) => title.toLowerCase().replace(/[^a-z0-9]/g, '');
  const found = icons.find(
    (one: { title: string; slug?: string }) => (one.slug ?? plain(one.title)) === slug,
  );
  if (found === undefined || found.license !== undefined)
    throw new Error(`${slug}: unknown, or under a licence`);
  return `#${found.hex.toLowerCase()}`;
}

try {
  const taken: [string, TakenIcon][] = [];
  const faults: string[] = [];
  for (const [slug, choice] of Object.entries(choices)) {
    try {
      taken.push([slug, take(choice)]);
    } catch (error) {
      faults.push(String(error));
    }
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const lines = taken.map(([slug, icon]) => `${JSON.stringify(slug)}:${JSON.stringify(icon)}`);
  writeFileSync(join(folder, 'taken-icons.json'), `{\n${lines.join(',\n')}\n}\n`);
  console.log(`${lines.length} icons`);
} finally {
  rmSync(scratch, { recursive: true });
}
