import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const ROOT = resolve(import.meta.dirname, '..');
export const PLAIN = join(ROOT, 'deploy/kubernetes');

/** An object of the cluster. Its fields are whatever the schema of its kind says. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes say what is in it, and the tests hold it to them
export type Manifest = { apiVersion: string; kind: string; metadata: { name: string } } & Record<string, any>;

export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS())
    .filter((manifest) => manifest !== null);
}

/** Those that `kubectl apply -k` takes, as they stand in their files. */
export function readPlainManifests(): Manifest[] {
  return readdirSync(PLAIN)
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .flatMap((name) => parseManifests(readFileSync(join(PLAIN, name), 'utf8')));
}

/** What the schema of the object's kind says against it. Fields that it does not know are none of its concern. */
export async function listSchemaFaults(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const { [kind]: Model } = await import(`kubernetes-models/${apiVersion}/${kind}`);
  try {
    new Model(manifest).validate();
    return [];
  } catch (error) {
    return [`${kind} ${manifest.metadata.name}: ${error instanceof Error ? error.message : error}`];
  }
}

/** Fields that the types of Kubernetes do not have: the compiler names them, which the schemas do not. */
export function listUnknownFields(manifests: readonly Manifest[]): string[] {
  const folder = mkdtempSync(join(ROOT, 'test-deploy/node_modules/.manifests-'));
  try {
    const lines = manifests.map(({ apiVersion, kind, ...rest }, index) => {
      const type = `import('kubernetes-models/${apiVersion}/${kind}').I${kind}`;
      return `export const object${index}: Partial<${type}> = ${JSON.stringify(rest)};`;
    });
    writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
    const given = [compiler, '--ignoreConfig', ...options, join(folder, 'manifests.ts')];
    const { stdout } = spawnSync(process.execPath, given, { encoding: 'utf8', cwd: folder });
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
