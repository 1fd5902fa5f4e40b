import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  hashHex,
  PACKAGES,
  type Published,
  ROOT,
  readManifest,
  readTarball,
  releaseFolder,
} from './packages.ts';
import { runProgram } from './run-program.ts';

type Sbom = {
  metadata: { component: object; timestamp: string; tools?: object };
  components: { 'bom-ref': string; name: string; version: string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
};

/**
 * A step of the release: for each package a bill of materials (CycloneDX) of what the lock file installs with it, in
 * <folder>/sbom. `npm sbom` writes the whole; a package has the part that its dependencies lead to.
 */
const folder = releaseFolder();
const target = join(folder, 'sbom');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const whole: Sbom = JSON.parse(
  runProgram('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], ROOT),
);
const committedAt = runProgram('git', ['log', '-1', '--format=%cI'], ROOT).trim();
const linksOf = new Map(whole.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));

for (const published of PACKAGES) {
  const sbom = describe(published);
  const file = `${published.name.replace('@', '').replace('/', '-')}.cdx.json`;
  writeFileSync(join(target, file), `${JSON.stringify(sbom, null, 2)}\n`);
  console.log(`${file}: ${sbom.components.length} components`);
}

function describe(published: Published) {
  const { name, version, description, license, repository, ...wanted } = readManifest(published.folder);
  const tarball = readTarball(folder, published);
  const ref = `${name}@${version}`;
  const direct = Object.keys({ ...wanted.dependencies, ...wanted.optionalDependencies }).map(findDirect);
  const refs = reach(direct);
  const sha512 = hashHex('sha512', tarball);
  return {
    ...{
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
    },
    serialNumber: `urn:uuid:${uuidOf(sha512)}`,
    version: 1,
    metadata: {
      ...{ timestamp: committedAt, tools: whole.metadata.tools },
      component: {
        ...{ 'bom-ref': ref, type: 'library', name, version, description },
        purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
        hashes: [{ alg: 'SHA-512', content: sha512 }],
        licenses: [{ license: { id: license } }],
        externalReferences: [{ type: 'vcs', url: repository.url }],
      },
    },
    components: whole.components.filter((component) => refs.has(component['bom-ref'])),
    dependencies: [{ ref, dependsOn: direct }, ...whole.dependencies.filter((link) => refs.has(link.ref))],
  };
}

/** What the root or a workspace has of this name: the one that is not below another package. */
function findDirect(name: string): string {
  const found = whole.components.find((component) => component['bom-ref'].startsWith(`${name}@`));
  if (found === undefined) throw new Error(`The lock file has no ${name}.`);
  return found['bom-ref'];
}

function reach(direct: readonly string[]): Set<string> {
  const found = new Set<string>();
  const waiting = [...direct];
  for (let ref = waiting.pop(); ref !== undefined; ref = waiting.pop()) {
    if (found.has(ref)) continue;
    found.add(ref);
    waiting.push(...(linksOf.get(ref) ?? []));
  }
  return found;
}

/** The same for the same package, in the form of a UUID of version 8 (RFC 9562). */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
