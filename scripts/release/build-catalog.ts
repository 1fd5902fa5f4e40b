import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { LOGOS_FILE } from '../../src/catalog/loading/logos.ts';
import { providerFileSchema } from '../../src/catalog/schema/provider.schema.ts';
import { CATALOG_FORMAT } from '../../src/catalog/taking/catalog-package.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PROVIDERS = join(ROOT, 'src/catalog/providers');
const PACKAGE = join(ROOT, 'packages/catalog');
const DIST = join(PACKAGE, 'dist');

/** `npm pack` of packages/catalog runs it: the provider files, what they may say as a JSON Schema, logos, and hashes of all. */
rmSync(DIST, { recursive: true, force: true });
mkdirSync(join(DIST, 'providers'), { recursive: true });
const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const names = readdirSync(PROVIDERS).sort();
for (const name of names) copyFileSync(join(PROVIDERS, name), join(DIST, 'providers', name));
copyFileSync(LOGOS_FILE, join(DIST, 'logos.json'));
const schema = z.toJSONSchema(providerFileSchema, { io: 'input', unrepresentable: 'any' });
write('schema.json', { ...schema, title: 'A provider file of Integration Gateway' });
const hashes = names.map((name) => [name, hash(readFileSync(join(PROVIDERS, name)))]);
write('catalog.json', { format: CATALOG_FORMAT, version, providers: Object.fromEntries(hashes) });

function write(name: string, content: object): void {
  writeFileSync(join(DIST, name), `${JSON.stringify(content, null, 2)}\n`);
}

function hash(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
