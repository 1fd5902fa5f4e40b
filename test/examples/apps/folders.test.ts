import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, EXAMPLES_FOLDER, type Example, findFolder } from '../../../examples/run/catalog.ts';
import { readVariables } from '../../../examples/run/stage.ts';

const README_LINES_MAX = 45;
/** The gateway's own, which are published with its first release; until then no lock file can name them. */
const OWN = /^@integration-gateway\//;
/** What SvelteKit, Node and Vite bring themselves. */
const BUILT_IN = /^(?:node:|\$app\/|#lib\/|server-only$)/;
const GENERATED = /(?:^|\/)(?:node_modules|build|dist|\.next|\.svelte-kit)(?:\/|$)/;

function listFiles({ name }: Example): string[] {
  const folder = join(EXAMPLES_FOLDER, name);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !GENERATED.test(path) && statSync(join(folder, path)).isFile())
    .toSorted();
}

const read = (example: Example, path: string) => readFileSync(join(findFolder(example), path), 'utf8');

function readSources(example: Example): string {
  const sources = listFiles(example).filter((path) => /\.(?:[cm]?[jt]sx?|vue|svelte|py|go|sh)$/.test(path));
  return sources.map((path) => read(example, path)).join('\n');
}

const withPackages = EXAMPLES.filter((example) => existsSync(join(findFolder(example), 'package.json')));

describe('the applications below examples/apps', () => {
  it('are all known to the command that runs them, and in the table of their README', () => {
    const folders = readdirSync(EXAMPLES_FOLDER, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(folders.map(({ name }) => name).toSorted()).toEqual(EXAMPLES.map(({ name }) => name).toSorted());
    const page = readFileSync(join(EXAMPLES_FOLDER, 'README.md'), 'utf8');
    for (const { name } of EXAMPLES) expect(page).toContain(`| [${name}](${name}) |`);
  });

  it.each(EXAMPLES)('$name has a short README with its command here, and one of its own', (example) => {
    const page = read(example, 'README.md');
    expect(page).toContain(`npm run example -- ${example.name} `);
    expect(page).toContain(example.start.join(' '));
    expect(page.split('\n').length).toBeLessThanOrEqual(README_LINES_MAX);
    for (const [, named = ''] of page.matchAll(/^\| `([^`]+)`/gm))
      if (!named.includes('*')) expect(existsSync(join(findFolder(example), named))).toBe(true);
  });

  // That they do so is tried by `npm run test:examples`.
  it.each(EXAMPLES.filter((example) => readVariables(example).includes('SESSION_SECRET')))(
    '$name refuses to sign with a key that was forgotten',
    (example) => {
      expect(readSources(example)).toContain(' is not set; see .env.example');
    },
  );

  it.each(EXAMPLES)('$name reads every variable of its .env.example, where each is explained', (example) => {
    const names = readVariables(example);
    expect(names.length).toBeGreaterThan(3);
    const sources = readSources(example);
    // Next.js and the Node adapter of SvelteKit listen where PORT says.
    const isListening = (name: string) => name === 'PORT' && ['nextjs', 'sveltekit'].includes(example.name);
    const unread = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources) && !isListening(name));
    expect(unread).toEqual([]);
    const text = read(example, '.env.example');
    expect(text.startsWith('# ')).toBe(true);
    // No secret of anybody's; what has a value is an address, a port or a name.
    expect(text).not.toMatch(/^(?:GATEWAY_API_KEY|EVENT_SECRET|SESSION_SECRET|MODEL_API_KEY)=./m);
  });

  it.each(EXAMPLES)('$name reads no variable that its .env.example lacks', (example) => {
    const sources = readSources(example);
    const named = sources.matchAll(
      /(?:process\.env\.|os\.environ\["|os\.Getenv\("|readSetting\(')([A-Z_]+)/g,
    );
    const destructured = [...sources.matchAll(/const \{([^}]+)\} =\s*process\.env/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim()),
    );
    const asked = [...[...named].map(([, name = '']) => name), ...destructured].filter((name) => name !== '');
    const known = readVariables(example);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(withPackages)(
    '$name lists every package that it imports, and imports every one that it lists',
    (example) => {
      const { dependencies, devDependencies = {} } = JSON.parse(read(example, 'package.json'));
      const sources = readSources(example);
      const imports = [...sources.matchAll(/(?:from |import )'([^'.][^']*)'/g)].map(([, name = '']) => name);
      const packages = new Set(
        imports
          .filter((name) => !BUILT_IN.test(name))
          .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
      );
      const listed = Object.keys({ ...dependencies, ...devDependencies });
      expect([...packages].filter((name) => !listed.includes(name))).toEqual([]);
      // These are read by tools, or are peers of what is imported.
      const isTool = (name: string) => /^(?:@types\/|typescript$|vite$|svelte$|react-dom$)/.test(name);
      expect(Object.keys(dependencies).filter((name) => !packages.has(name) && !isTool(name))).toEqual([]);
    },
  );

  it.each(withPackages)(
    '$name has a lock file without addresses, for all packages but the gateway’s own',
    (example) => {
      const manifest = JSON.parse(read(example, 'package.json'));
      const text = read(example, 'package-lock.json');
      expect(text).not.toContain('"resolved"');
      const { packages } = JSON.parse(text);
      expect(packages[''].dependencies).toEqual(manifest.dependencies);
      expect(packages[''].devDependencies).toEqual(manifest.devDependencies);
      for (const [name, version] of Object.entries({
        ...manifest.dependencies,
        ...manifest.devDependencies,
      })) {
        if (OWN.test(name)) expect(version).toBe('^1.0.0-rc.1');
        else expect(packages[`node_modules/${name}`].version).toBe(version);
      }
      const locked: [string, { integrity?: string }][] = Object.entries(packages);
      const unproven = locked.filter(([path, { integrity }]) => path !== '' && integrity === undefined);
      expect(unproven).toEqual([]);
    },
  );

  it('have the same page where a server of any language serves it', () => {
    for (const file of ['index.html', 'app.js', 'style.css']) {
      const texts = ['express', 'fastify', 'fastapi', 'go'].map((name) =>
        readFileSync(join(EXAMPLES_FOLDER, name, 'public', file), 'utf8'),
      );
      expect(new Set(texts).size).toBe(1);
    }
  });

  it('name no address of this machine and no registry in what is copied', () => {
    for (const example of EXAMPLES)
      for (const path of listFiles(example))
        expect(read(example, path)).not.toMatch(/\/root\/|\/home\/|registry\./);
  });
});
