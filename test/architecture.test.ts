import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ERROR_CODES } from '../src/http/error-codes.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');
/** Only these rooms know the configuration and all the others. */
const MAY_IMPORT_CONFIG = new Set(['compose', 'process']);

/** A line of the layout: a room's floor among the rooms, or an inner room's among those of its room. */
type Placed = { readonly folder: string; readonly floor: number | undefined };

/**
 * The folders below src/ as docs/architecture.md lists them. An inner room without a floor is one with the files beside
 * it.
 */
function readLayout(): Placed[] {
  const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
  const block = /```\nsrc\/\n((?: {2}.*\n)+)/.exec(page)?.[1] ?? '';
  let room = '';
  return block.split('\n').flatMap((line) => {
    const [, indent, name, floor] = /^( {2}| {4})([a-z-]+)\/ +(?:(\d+) {2})?\S/.exec(line) ?? [];
    if (indent === undefined || name === undefined) return [];
    if (indent.length === 2) room = name;
    const folder = indent.length === 2 ? name : `${room}/${name}`;
    return [{ folder, floor: floor === undefined ? undefined : Number(floor) }];
  });
}

const layout = readLayout();
const FLOORS = new Map(layout.map(({ folder, floor }) => [folder, floor]));

type SourceFile = { path: string; folder: string | undefined; imports: string[]; text: string };

const everyFile: SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/(?:^|\/)dist\//.test(name))
  .map((name) => {
    const text = readFileSync(join(SOURCE, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import\(?)\s*'([^']+)'/g)].map((match) => match[1] ?? '');
    return { path: name, folder: name.includes('/') ? name.split('/')[0] : undefined, imports, text };
  });

/** The server's; the dashboard and the browser SDK are applications of their own. */
const files = everyFile.filter(({ path }) => !/^web\/(sdk|dashboard)\//.test(path));

/** Paths below src/ of the files that a file imports, types included. */
function listTargets(file: SourceFile): string[] {
  return file.imports
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => relative(SOURCE, resolve(SOURCE, file.path, '..', specifier)));
}

const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0] : undefined);
const innerRoomOf = (path: string) => path.split('/').slice(0, 2).join('/');

function mayImport(file: SourceFile, target: string): boolean {
  const room = roomOf(target);
  if (room === undefined) return MAY_IMPORT_CONFIG.has(file.folder ?? '');
  if (room !== file.folder) return floorOf(room) < floorOf(file.folder ?? '');
  const [from, to] = [FLOORS.get(innerRoomOf(file.path)), FLOORS.get(innerRoomOf(target))];
  // The files beside the inner rooms are above them.
  if (from === undefined || innerRoomOf(file.path) === innerRoomOf(target)) return true;
  return to !== undefined ? to < from : FLOORS.has(innerRoomOf(target));
}

function floorOf(folder: string): number {
  const floor = FLOORS.get(folder);
  if (floor === undefined) throw new Error(`docs/architecture.md gives ${folder}/ no floor`);
  return floor;
}

/** Files that import each other, directly or by way of others: each with the way back to itself. */
function findCircles(): string[] {
  const targets = new Map(everyFile.map((file) => [file.path, listTargets(file)]));
  const done = new Set<string>();
  const way: string[] = [];
  const circles: string[] = [];
  function walk(path: string): void {
    const start = way.indexOf(path);
    if (start !== -1) circles.push([...way.slice(start), path].join(' -> '));
    if (start !== -1 || done.has(path)) return;
    way.push(path);
    for (const target of targets.get(path) ?? []) walk(target);
    way.pop();
    done.add(path);
  }
  for (const { path } of everyFile) walk(path);
  return circles;
}

describe('the architecture page', () => {
  it('names files and folders that there are', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const named = [...page.matchAll(/`([a-z-]+(?:\/[\w.-]+)+)\/?`/g)].map(([, name = '']) => name);
    const roots = [ROOT, SOURCE, ...readdirSync(SOURCE).map((room) => join(SOURCE, room))];
    const isThere = (name: string) =>
      roots.some((root) => existsSync(join(root, name)) || existsSync(join(root, `${name}.ts`)));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !isThere(name))).toEqual([]);
  });

  it('names every door that builds a room', () => {
    const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
    const doors = files
      .filter(({ folder }) => folder === 'compose')
      .flatMap(listTargets)
      .filter((target) => /^[a-z-]+\/create-[a-z-]+\.ts$/.test(target));
    expect(doors.length).toBeGreaterThan(10);
    expect(doors.filter((door) => !page.includes(`\`${door.replace(/\.ts$/, '')}\``))).toEqual([]);
  });
});

describe('the floors of the source tree', () => {
  it('are those of the architecture page, which knows every folder and inner room', () => {
    const inner = files.filter(({ path }) => path.split('/').length > 2).map(({ path }) => innerRoomOf(path));
    const rooms = files.flatMap(({ folder }) => folder ?? []);
    const applications = ['web/dashboard', 'web/sdk'];
    const found = [...new Set([...rooms, ...inner, ...applications])].toSorted();
    expect(layout.map(({ folder }) => folder).toSorted()).toEqual(found);
  });

  it('are only ever imported downwards, never sideways; so are inner rooms', () => {
    const faults = files
      .filter(({ folder }) => folder !== undefined)
      .flatMap((file) =>
        listTargets(file)
          .filter((target) => !mayImport(file, target))
          .map((target) => `${file.path} -> ${target}`),
      );
    expect(faults).toEqual([]);
  });

  it('have no circles of files, by types neither, the dashboard and the browser SDK included', () => {
    expect(findCircles()).toEqual([]);
  });
});

function filesThat(matches: (file: SourceFile) => boolean, mayDoIt: (path: string) => boolean): string[] {
  return files.filter((file) => matches(file) && !mayDoIt(file.path)).map((file) => file.path);
}

describe('what belongs in one place', () => {
  it('SQL stands in stores and in platform/ only', () => {
    const hasSql =
      /\b(db|trx|knex)\s*(<[^>(]*>)?\(\s*'|\b(db|trx|knex)\.raw\(|`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;
    const mayDoIt = (path: string) => /\.store\.ts$|^platform\//.test(path) || path === 'compose/platform.ts';
    expect(filesThat((file) => hasSql.test(file.text), mayDoIt)).toEqual([]);
  });

  it('Express is used in http/, routers, the app and the authorization’s passport glue only', () => {
    const isExpress = (file: SourceFile) =>
      file.imports.some((name) => /^(express|passport(-oauth2)?)$/.test(name));
    const mayDoIt = (path: string) =>
      /^http\/|\.router\.ts$/.test(path) ||
      [
        'compose/app.ts',
        'process/serve.ts',
        'connect/authorization.ts',
        'connect/authorize.ts',
        'connect/connect-pages.ts',
        'connect/connect-replies.ts',
        'connect/session-steps.ts',
        'oauth/strategy.ts',
      ].includes(path);
    expect(filesThat(isExpress, mayDoIt)).toEqual([]);
  });

  it('only config.ts reads the environment', () => {
    expect(
      filesThat(
        (file) => file.text.includes('process.env'),
        (path) => path === 'config.ts',
      ),
    ).toEqual([]);
  });

  it('only proxy/forward.ts knows http-proxy-middleware', () => {
    const uses = (file: SourceFile) => file.imports.includes('http-proxy-middleware');
    expect(filesThat(uses, (path) => path === 'proxy/forward.ts')).toEqual([]);
  });

  it('only platform/ and the proxy’s exchange make connections, and find addresses by one guarded look-up', () => {
    const makesConnections = (file: SourceFile) =>
      /^import (?!type\b)(?!\{ (?:createServer|isIP)).*'node:(?:net|tls|http|https|http2|dns|dgram)(?:\/promises)?'/m.test(
        file.text,
      ) || /\bundici\b.*(?:Agent|Client|Pool)\b|\bconnect\(\{ *(?:host|port)/.test(file.text);
    // The body that is read late stands in a message whose socket never connects.
    const others = ['proxy/node-exchange.ts', 'http/late-body.ts'];
    const mayDoIt = (path: string) => /^platform\//.test(path) || others.includes(path);
    expect(filesThat(makesConnections, mayDoIt)).toEqual([]);
    const looksUp = (file: SourceFile) =>
      [...file.text.matchAll(/\blookup(?:: | = )([^,;\n]+)/g)].some(
        ([, value = '']) => !/^(?:createLookup\(|options\.lookup$|LookupFunction$)/.test(value),
      );
    expect(filesThat(looksUp, () => false)).toEqual([]);
  });

  it('no code asks which provider it is', () => {
    const providers = readdirSync(join(SOURCE, 'catalog/providers')).map((name) =>
      name.replace(/\.yaml$/, ''),
    );
    // Hex is a product and an encoding.
    const names = providers.filter((id) => id !== 'hex');
    const asks = new RegExp(`===\\s*'(${names.join('|')})'`);
    expect(
      filesThat(
        (file) => asks.test(file.text),
        () => false,
      ),
    ).toEqual([]);
  });

  it('catalog/facts/template-values.ts alone decides which value of a variable wins', () => {
    const merged =
      /\{[^{}[\]]*?\.\.\.((?:[\w.?#]+[.?])?(?:variables|secretVariables|integrationValues|integrationSecrets|known|kept|filled|ofConnection|ofUser|ofIntegration|defaults)|[\w.?#]*credentials\.values)[\s,}]/g;
    // They change what is stored of one integration or client, or set a poll's own parameters beside the values.
    const others = [
      'integrations/change-auth-method.ts',
      'integrations/update-integration.router.ts',
      'integrations/integrations.store.ts',
      'integrations/organization-clients/organization-client-versions.store.ts',
      'integrations/organization-clients/organization-secrets.store.ts',
      'polls/pages/plan-run.ts',
    ];
    const found = files
      .filter(({ path }) => path !== 'catalog/facts/template-values.ts' && !others.includes(path))
      .flatMap(({ path, text }) =>
        [...text.matchAll(merged)]
          // Destructuring takes apart and merges nothing.
          .filter(
            ({ index, 0: { length } }) =>
              !/^[^;{]*\}\s*(?::[^=;]*)?=[^=>]/.test(text.slice(index + length - 1)),
          )
          .map((match) => `${path}: ...${match[1]}`),
      );
    expect(found).toEqual([]);
  });

  it('every error code has a place that gives it', () => {
    const given = files.filter(({ path }) => path !== 'http/error-codes.ts').map(({ text }) => text);
    const idle = ERROR_CODES.filter((code) => !given.some((text) => text.includes(`'${code}'`)));
    expect(idle).toEqual([]);
  });

  it('nothing switches the checker off', () => {
    const silenced = /@ts-ignore|@ts-expect-error|biome-ignore|:\s*any\b(?=\s*[,;)=\]|>])|\bas any\b/;
    expect(
      filesThat(
        (file) => silenced.test(file.text),
        () => false,
      ),
    ).toEqual([]);
  });
});
