import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findTypeErrors, listPrograms, type Program } from '../support/page-programs.ts';

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

describe('operations', () => {
  const { paths } = JSON.parse(read('docs/openapi.json'));
  const known = Object.entries<Record<string, { deprecated?: boolean }>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { deprecated }]) =>
      deprecated ? [] : [new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`, 'i')],
    ),
  );
  const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
  // The changelog and decisions tell of earlier states, these lists of the providers' own paths.
  const pages = [...PAGES, ...guides].filter(
    (page) => !/CHANGELOG|decisions|providers\.md|clients\.md/.test(page),
  );

  it.each(pages)('that %s names are there, and are not deprecated', (page) => {
    const named = [...read(page).matchAll(/\b((?:GET|POST|PATCH|DELETE) )\/v1(\/[\w{}<>/…-]+)/g)];
    const missing = named
      .map(([, method = '', path = '']) => method + path)
      .filter((operation) => !known.some((one) => one.test(operation)));
    expect(missing).toEqual([]);
  });
});

/** What is around a page's programs: names that a reader has, with their types. */
const SURROUNDINGS = {
  'README.md': `
declare const app: import('express').Express;
declare const requireSignIn: import('express').RequestHandler;
declare const connectButton: HTMLButtonElement;
declare const project: string, userToken: string;
declare const gateway: ReturnType<typeof import('@integration-gateway/node').createGatewayClient>;`,
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
declare const body: { serviceProvider: string };
declare const lastId: string, apiKey: string, newSecret: string, oldSecret: string;
declare function store(event: import('@integration-gateway/node').Event): Promise<void>;`,
  'docs/agents.md': `
declare const app: import('express').Express;
declare const requireSignIn: import('express').RequestHandler;
declare const gateway: ReturnType<typeof import('@integration-gateway/node').createGatewayClient>;
declare function escapeHtml(text: unknown): string;`,
  'docs/receiving-events.md': `
declare function readPosition(): Promise<string | undefined>;
declare function applyToDatabase(event: import('@integration-gateway/node').Event): Promise<void>;`,
};

/** Programs with a provider's client are checked where these are installed, in test-clients/. */
const CLIENTS = Object.keys(JSON.parse(read('test-clients/package.json')).devDependencies);
const usesClient = ({ code }: Program) => CLIENTS.some((name) => code.includes(`from '${name}`));

const EVERYWHERE = `declare namespace Express { interface Request { user: { id: string; name: string } } }
declare namespace NodeJS { interface ProcessEnv { GATEWAY_API_KEY: string; EVENT_SECRETS: string } }`;

describe('programs', () => {
  it.each(Object.entries(SURROUNDINGS))('in %s are accepted by the type checker', async (page, names) => {
    const programs = listPrograms(read(page)).filter((program) => !usesClient(program));
    expect(programs).not.toEqual([]);
    expect(await findTypeErrors(programs, { surroundings: EVERYWHERE + names, packages: '.' })).toBe('');
  });
});
