import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeIntegrity, PACKAGES, ROOT, readTarball, readVersion, releaseFolder } from './packages.ts';

/** A step of the release: <folder>/NOTES.md, what CHANGELOG.md says of the version, and the integrity of each package. */
const folder = releaseFolder();
const version = readVersion();
const changes = readSection(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
if (changes === undefined) throw new Error(`CHANGELOG.md says nothing of ${version}.`);
const rows = PACKAGES.map(
  (published) => `| \`${published.name}\` | \`${computeIntegrity(readTarball(folder, published))}\` |`,
);
writeFileSync(
  join(folder, 'NOTES.md'),
  `# ${version}\n\n${changes}\n\n## Packages\n\n| package | integrity |\n|---|---|\n${rows.join('\n')}\n`,
);
console.log('NOTES.md');

function readSection(changelog: string, version: string): string | undefined {
  const sections = changelog.split(/^(?=## )/m);
  const [, ...lines] = sections.find((section) => section.startsWith(`## ${version} - `))?.split('\n') ?? [];
  return lines.length === 0 ? undefined : lines.join('\n').trim();
}
