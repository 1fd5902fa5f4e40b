import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/release/packages.ts';
import { runProgram } from '../../scripts/release/run-program.ts';

/** Of the Node client: generated of the OpenAPI document, whose contract is compared by itself. */
const OF_THE_API = 'api.d.ts';

/** What the packages for applications declare, without words about it: a heading for each file, a line for each declared line. */
export function readSurfaces(): string {
  const folder = mkdtempSync(join(tmpdir(), 'surface-'));
  try {
    const parts = ['-p', 'clients/node', '--emitDeclarationOnly', '--outDir', folder];
    runProgram(join(ROOT, 'node_modules/.bin/tsc'), parts, ROOT);
    return [
      ...describeFolder('@integration-gateway/node', folder, (file) => file !== OF_THE_API),
      ...describeFolder('@integration-gateway/sdk', join(ROOT, 'src/web/sdk/dist/types')),
    ].join('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describeFolder(name: string, folder: string, isOwn = (_file: string) => true): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.d.ts') && isOwn(file));
  return files.sort().map((file) => {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|^\/\/.*$/gm, '');
    const lines = text.split('\n').filter((line) => line.trim() !== '');
    return `# ${name} ${file}\n${lines.join('\n')}\n\n`;
  });
}

/** Lines of the released surface that the current one lacks. One more is no change that a caller notices. */
export function listSurfaceChanges(released: string, current: string): string[] {
  const now = splitSurface(current);
  return [...splitSurface(released)].flatMap(([file, lines]) => {
    const left = [...(now.get(file) ?? [])];
    return lines.flatMap((line) => {
      const at = left.indexOf(line);
      if (at === -1) return [`${file}: ${line.trim()}`];
      left.splice(at, 1);
      return [];
    });
  });
}

function splitSurface(text: string): Map<string, string[]> {
  const sections = text.split(/^# /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [file = '', ...lines] = section.trimEnd().split('\n');
      return [file, lines];
    }),
  );
}
