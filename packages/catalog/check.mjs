import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

// `npm test` in the package: that its files are those that it was packed with.
const read = (path) => readFileSync(new URL(`./dist/${path}`, import.meta.url));
const catalog = JSON.parse(read('catalog.json'));
const names = readdirSync(new URL('./dist/providers/', import.meta.url));

test('the catalog is of the version of its package', () => {
  const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8'));
  assert.equal(catalog.version, version);
});

test('it lists each provider file, and no other', () => {
  assert.deepEqual(names.toSorted(), Object.keys(catalog.providers).toSorted());
});

test('each file is what the catalog says, and of the id in its name', () => {
  for (const name of names) {
    const bytes = read(`providers/${name}`);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), catalog.providers[name], name);
    assert.match(
      bytes.toString('utf8'),
      new RegExp(`^id: ['"]?${name.replace(/\.yaml$/, '')}['"]?$`, 'm'),
      name,
    );
  }
});

test('each field of a file is one of the schema', () => {
  const { properties } = JSON.parse(read('schema.json'));
  for (const name of names)
    for (const [, field] of read(`providers/${name}`)
      .toString('utf8')
      .matchAll(/^([A-Za-z]\w*):/gm))
      assert.ok(field in properties, `${name}: ${field}`);
});

test('logos belong to providers that there are', () => {
  const { providers, icons } = JSON.parse(read('logos.json'));
  for (const [id, icon] of Object.entries(providers)) {
    assert.ok(names.includes(`${id}.yaml`), id);
    assert.ok(Object.hasOwn(icons, icon), icon);
  }
});
