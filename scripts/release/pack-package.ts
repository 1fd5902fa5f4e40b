import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Packs the package of a directory as a release would, into `folder`. The path of the tarball. */
export function packPackage(directory: string, folder: string): string {
  const parts = ['pack', '--json', '--pack-destination', folder];
  const { status, stdout, stderr } = spawnSync('npm', parts, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack in ${directory} failed: ${stdout}${stderr}`);
  // What scripts of the package print comes before the JSON.
  const packed: unknown = JSON.parse(stdout.slice(stdout.search(/^[[{]/m)));
  const [first] = Object.values(Object(packed));
  return join(folder, String(Object(first).filename));
}
