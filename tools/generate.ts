import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import * as simpleIcons from 'simple-icons';
import { parse } from 'yaml';
import { buildSdk, SDK_DIST } from '../scripts/build-sdk.ts';
import { apiKeysPage } from '../scripts/generate-api-keys-page.ts';
import { diagnosisPage } from '../scripts/generate-diagnosis-page.ts';
import { errorCodesPage } from '../scripts/generate-error-codes-page.ts';
import { eventsPage } from '../scripts/generate-events-page.ts';
import { type LogoSources, logosFile } from '../scripts/generate-logos.ts';
import { providersFilterPage } from '../scripts/generate-providers-filter.ts';
import { providersPage } from '../scripts/generate-providers-page.ts';
import { BUILT_IN_BUNDLE } from '../src/catalog/loading/builtin-providers.ts';
import { type Catalog, loadCatalog } from '../src/catalog/loading/catalog.ts';
import { LOGOS_FILE } from '../src/catalog/loading/logos.ts';
import { writeBundle } from '../src/catalog/loading/write-bundle.ts';
import { composeGateway } from '../src/compose/gateway.ts';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createDatabase } from '../src/platform/postgres/database.ts';
import { openVault } from '../src/process/store.ts';
import { generateApiTypes } from './generate-api-types.ts';

/**
 * `npm run generate`: writes what is made from the source (docs/openapi.json, the Node client's types,
 * docs/providers.md and .html, docs/api-keys.md, docs/diagnosis.md, docs/error-codes.md, docs/events.md, the bundle of provider files, the logos, the built browser SDK, migrations/schema.sql).
 * With --check nothing is written; exit code 1 tells that something is out of date.
 */
const isCheck = process.argv.includes('--check');
const root = resolve(import.meta.dirname, '..');
const providersDirectory = resolve(root, 'src/catalog/providers');
const catalog = loadCatalog({ builtInDirectory: providersDirectory, allowPrivateNetworks: false });
const { document, endpoints } = await describeApi(catalog);
const openApi = `${JSON.stringify(document, null, 2)}\n`;
const logos = logosFile(catalog.list(), logoSources());
const files = new Map([
  [resolve(root, 'docs/openapi.json'), openApi],
  [resolve(root, 'clients/node/src/api.ts'), await generateApiTypes(openApi)],
  [resolve(root, 'docs/providers.md'), providersPage(catalog.list(), JSON.parse(logos))],
  [resolve(root, 'docs/providers.html'), providersFilterPage(catalog.list())],
  [resolve(root, 'docs/api-keys.md'), apiKeysPage(endpoints)],
  [resolve(root, 'docs/diagnosis.md'), diagnosisPage()],
  [resolve(root, 'docs/error-codes.md'), errorCodesPage()],
  [resolve(root, 'docs/events.md'), eventsPage(catalog.list())],
  [BUILT_IN_BUNDLE, writeBundle(contentsIn(providersDirectory))],
  [LOGOS_FILE, logos],
  ...[...(await buildSdk())].map(([name, text]): [string, string] => [resolve(SDK_DIST, name), text]),
]);
const outOfDate = [...files.keys()].filter((file) => readIfThere(file) !== files.get(file));
for (const file of outOfDate) {
  if (isCheck) console.error(`${relative(root, file)} is out of date: run npm run generate`);
  else write(file, files.get(file) ?? '');
}

const snapshot = resolve(root, 'scripts/schema-snapshot.ts');
const { status } = spawnSync(process.execPath, [snapshot, ...(isCheck ? ['--check'] : [])], {
  stdio: 'inherit',
});
process.exit(status !== 0 || (isCheck && outOfDate.length > 0) ? 1 : 0);

/** The operations of a gateway with default settings, and their document; composing one connects to nothing. */
async function describeApi(catalog: Catalog) {
  const config = loadConfig({}, '/nonexistent');
  const log = createLogger({ level: 'silent' });
  const databaseUrl = 'postgresql://localhost/unused';
  const database = createDatabase({ url: databaseUrl, applicationName: 'generate', poolMax: 2 });
  const gateway = composeGateway({
    config,
    database,
    directUrl: databaseUrl,
    vault: openVault(`unused:${randomBytes(32).toString('base64')}`),
    catalog,
    log,
    isDraining: () => false,
  });
  await gateway.stop();
  await database.close();
  return { document: await gateway.readDocument(), endpoints: gateway.endpoints };
}

/** Simple Icons as it is installed, and what was taken from other packages (`npm run take:logos`). */
function logoSources(): LogoSources {
  const read = (name: string) => JSON.parse(readFileSync(resolve(root, 'scripts/logos', name), 'utf8'));
  const { devDependencies } = JSON.parse(readFileSync(resolve(import.meta.dirname, 'package.json'), 'utf8'));
  return {
    current: `simple-icons@${devDependencies['simple-icons']}`,
    brandIcons: Object.values(simpleIcons).filter((icon) => 'hex' in icon),
    taken: read('taken-icons.json'),
    packages: read('packages.json'),
    checked: read('checked-icons.json'),
  };
}

/** What the provider files say, as YAML has it. */
function contentsIn(directory: string): unknown[] {
  return readdirSync(directory).map((name) => parse(readFileSync(join(directory, name), 'utf8')));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
