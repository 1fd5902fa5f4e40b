import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');

/**
 * What a release publishes, in this order: a package follows those that it depends on. `folder` has the package.json; the server's
 * is made by `pack-server.ts`.
 */
export const PACKAGES = [
  { name: '@integration-gateway/embedded-postgres', folder: 'packages/embedded-postgres', hasTypes: true },
  { name: '@integration-gateway/catalog', folder: 'packages/catalog', hasTypes: false },
  { name: '@integration-gateway/node', folder: 'clients/node', hasTypes: true },
  { name: '@integration-gateway/sdk', folder: 'src/web/sdk', hasTypes: true },
  { name: '@integration-gateway/server', folder: 'dist/server', hasTypes: false },
] as const;

export type Published = (typeof PACKAGES)[number];

/** Where a step reads what those before it wrote, and writes its own; each step writes the same when it runs again. */
export function releaseFolder(): string {
  const { values } = parseArgs({ options: { to: { type: 'string' } }, strict: false });
  if (typeof values.to !== 'string') throw new Error('Say where to: --to <folder>');
  return resolve(values.to);
}

export function readManifest(folder: string): {
  name: string;
  version: string;
  description: string;
  license: string;
  repository: { url: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
} {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}

/** Of the release: the root's, with which all others agree. */
export function readVersion(): string {
  return readManifest('.').version;
}

/** As `npm pack` names it. */
export function tarballName(name: string, version = readVersion()): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
}

export function readTarball(folder: string, { name }: Published): Buffer {
  return readFileSync(join(folder, 'packages', tarballName(name)));
}

/** Everything that a release gives away and that has a checksum, by its path in the folder. */
export function listArtifacts(folder: string): string[] {
  return ['packages', 'sbom'].flatMap((part) =>
    readdirSync(join(folder, part))
      .sort()
      .map((file) => `${part}/${file}`),
  );
}

export function hashHex(algorithm: 'sha256' | 'sha512', content: Buffer | string): string {
  return createHash(algorithm).update(content).digest('hex');
}

/** As npm's registry and lock files have it. */
export function computeIntegrity(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`;
}
