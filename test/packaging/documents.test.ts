import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Pages for people: the README files and everything in docs. */
const PAGES = [
  'README.md',
  'CHANGELOG.md',
  'src/web/sdk/README.md',
  'clients/node/README.md',
  ...['docs', 'docs/decisions'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];

describe('links between pages', () => {
  it.each(PAGES)('of %s lead somewhere', (page) => {
    const text = read(page).replaceAll(/^ *```[\s\S]*?^ *```/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => !/^https?:/.test(link) && !leadsSomewhere(page, link));
    expect(broken).toEqual([]);
  });

  function leadsSomewhere(page: string, link: string): boolean {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(dirname(page), path);
    if (!existsSync(join(ROOT, target))) return false;
    return anchor === undefined || anchorsOf(read(target)).includes(anchor);
  }

  /** As GitHub makes them of headings. */
  function anchorsOf(text: string): string[] {
    const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase());
    return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-'));
  }
});

/** What is around a page's programs: names that a reader has, with their types. */
const SURROUNDINGS = {
  'README.md': `
declare const app: import('express').Express;
declare const requireSignIn: import('express').RequestHandler;
declare const connectButton: HTMLButtonElement;
declare const gateway: string, project: string, userToken: string;`,
  'docs/sdk.md': `
declare const app: import('express').Express;
declare const requireSignIn: import('express').RequestHandler;
declare const button: HTMLButtonElement;
declare const gateway: import('@integration-gateway/sdk').Gateway;
declare const ConnectError: typeof import('@integration-gateway/sdk').ConnectError;
declare function say(text: string): void;
declare function refresh(): void;`,
  'docs/node-client.md': `
declare const gateway: ReturnType<typeof import('@integration-gateway/node').createGatewayClient>;
declare const clientId: string, clientSecret: string, projectId: string, privateKey: string, keyId: string;
declare const scopes: string[];
declare const body: { serviceProvider: string };`,
};

const SETTINGS = {
  compilerOptions: {
    module: 'esnext',
    moduleResolution: 'bundler',
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: ['node'],
    jsx: 'react-jsx',
    allowJs: true,
    checkJs: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    noImplicitAny: false,
    useUnknownInCatchVariables: false,
    // Each program is a module, whether it imports anything or not.
    moduleDetection: 'force',
    paths: {
      '@integration-gateway/sdk': [join(ROOT, 'src/web/sdk/dist/types/connect.d.ts')],
      '@integration-gateway/sdk/react': [join(ROOT, 'src/web/sdk/dist/types/react.d.ts')],
      '@integration-gateway/node': [join(ROOT, 'clients/node/src/index.ts')],
    },
  },
};

describe('programs', () => {
  let folder: string;
  beforeEach(async () => {
    // Inside the repository, where its packages are found.
    folder = await mkdtemp(join(ROOT, 'node_modules/.documents-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(Object.entries(SURROUNDINGS))(
    'in %s are accepted by the type checker',
    async (page, surroundings) => {
      const programs = programsOf(read(page));
      expect(programs.length).toBeGreaterThan(2);
      const everywhere = `declare namespace Express { interface Request { user: { id: string } } }
declare namespace NodeJS { interface ProcessEnv { GATEWAY_API_KEY: string } }`;
      await writeFile(join(folder, 'surroundings.d.ts'), everywhere + surroundings);
      for (const [index, { language, code }] of programs.entries()) {
        await writeFile(join(folder, `program-${index + 1}.${language}`), code);
      }
      const settings = { ...SETTINGS, include: ['./*'] };
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
      const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [compiler, '-p', folder], { cwd: folder }).catch(
        (error) => error,
      );
      expect(stdout).toBe('');
    },
  );

  function programsOf(text: string) {
    return [...text.matchAll(/^( *)```(jsx?)\n([\s\S]*?)^\1```/gm)].map(
      ([, indent, language, code = '']) => ({
        language,
        code: code
          .replaceAll(new RegExp(`^${indent}`, 'gm'), '')
          .replace('https://gateway.example.com/sdk/connect.js', '@integration-gateway/sdk'),
      }),
    );
  }
});
