import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for CATALOG_DIR with these provider files, by id. */
export async function createCatalogDir(
  files: Readonly<Record<string, string>>,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'gateway-e2e-catalog-'));
  for (const [id, file] of Object.entries(files)) await writeFile(join(path, `${id}.yaml`), file);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
