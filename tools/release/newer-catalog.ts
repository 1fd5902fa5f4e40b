import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { computeIntegrity } from '../../scripts/release/packages.ts';
import { runProgram } from '../../scripts/release/run-program.ts';

/** What a later release of the catalog would be: one with a provider more. */
const ACME = `id: acme-of-the-release
name: Acme
category: crm
auth: basic
apiBaseUrl: https://api.acme.example
docsUrl: https://acme.example/docs
probe: { url: "https://api.acme.example/me" }
`;
export const NEW_PROVIDER = 'acme-of-the-release';

/** The packed package and its integrity. */
export function packNewerCatalog(installed: string, folder: string): { file: string; integrity: string } {
  const unpacked = join(folder, 'newer-catalog');
  mkdirSync(unpacked);
  cpSync(installed, unpacked, { recursive: true });
  const change = (path: string, make: (content: Record<string, unknown>) => object) => {
    const file = join(unpacked, path);
    writeFileSync(file, JSON.stringify(make(JSON.parse(readFileSync(file, 'utf8')))));
  };
  const version = '99.0.0';
  // It is packed as it is here.
  change('package.json', ({ scripts: _scripts, ...rest }) => ({ ...rest, version }));
  writeFileSync(join(unpacked, `dist/providers/${NEW_PROVIDER}.yaml`), ACME);
  const sha256 = createHash('sha256').update(ACME).digest('hex');
  change('dist/catalog.json', ({ providers, ...rest }) => ({
    ...rest,
    version,
    providers: { ...Object(providers), [`${NEW_PROVIDER}.yaml`]: sha256 },
  }));
  runProgram('npm', ['pack', '--silent', '--pack-destination', folder], unpacked);
  const file = join(folder, `integration-gateway-catalog-${version}.tgz`);
  return { file, integrity: computeIntegrity(readFileSync(file)) };
}
