import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ERROR_CODES } from '../src/http/error-codes.ts';

const SOURCE = resolve(import.meta.dirname, '../src');
/** Lower floors first; config.ts and main.ts, at the top of src/, belong to no floor. */
const FLOORS = [
  ['lib'],
  ['settings'],
  ['platform'],
  ['http', 'catalog'],
  ['request-signing'],
  ['oauth', 'proxy', 'activity'],
  ['operators', 'projects', 'providers'],
  ['identity', 'integrations', 'connections', 'call-log'],
  ['credentials'],
  ['connect', 'dry-run', 'diagnosis', 'search', 'events'],
  ['webhooks', 'polls'],
  ['web'],
  ['compose'],
  ['process'],
];
/** Only these rooms know the configuration and all the others. */
const MAY_IMPORT_CONFIG = new Set(['compose', 'process']);

type SourceFile = { path: string; folder: string | undefined; imports: string[]; text: string };

const files: SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !/^web\/(sdk|dashboard)\//.test(name))
  .map((name) => {
    const text = readFileSync(join(SOURCE, name), 'utf8');
    const imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
    return { path: name, folder: name.includes('/') ? name.split('/')[0] : undefined, imports, text };
  });

function floorOf(folder: string | undefined): number {
  const floor = FLOORS.findIndex((names) => folder !== undefined && names.includes(folder));
  return floor === -1 ? FLOORS.length : floor;
}

function isAllowed(file: SourceFile, target: string | undefined): boolean {
  if (target === undefined) return MAY_IMPORT_CONFIG.has(file.folder ?? '');
  return floorOf(target) < floorOf(file.folder);
}

function folderOfImport(file: SourceFile, specifier: string): string | undefined {
  const target = relative(SOURCE, resolve(SOURCE, file.path, '..', specifier));
  return target.includes('/') ? target.split('/')[0] : undefined;
}

describe('the floors of the source tree', () => {
  it('know every folder', () => {
    const unknown = files.filter(
      (file) => file.folder !== undefined && floorOf(file.folder) === FLOORS.length,
    );
    expect(unknown.map((file) => file.path)).toEqual([]);
  });

  it('are only ever imported downwards, never sideways', () => {
    const faults = files.flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith('.'))
        .map((specifier) => folderOfImport(file, specifier))
        .filter((target) => file.folder !== undefined && target !== file.folder)
        .filter((target) => !isAllowed(file, target))
        .map((target) => `${file.path}: ${file.folder} -> ${target ?? 'src/'}`),
    );
    expect(faults).toEqual([]);
  });
});

function filesThat(matches: (file: SourceFile) => boolean, mayDoIt: (path: string) => boolean): string[] {
  return files.filter((file) => matches(file) && !mayDoIt(file.path)).map((file) => file.path);
}

describe('what belongs in one place', () => {
  it('SQL stands in stores and in platform/ only', () => {
    const hasSql =
      /\b(db|trx|knex)\s*(<[^>(]*>)?\(\s*'|\b(db|trx|knex)\.raw\(|`\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;
    const mayDoIt = (path: string) => /\.store\.ts$|^platform\//.test(path) || path === 'compose/gateway.ts';
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
        'connect/connect-replies.ts',
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
    const mayDoIt = (path: string) => /^platform\//.test(path) || path === 'proxy/node-exchange.ts';
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
    // They change what is stored of one integration, or set a poll's own parameters beside the values.
    const others = [
      'integrations/change-auth-method.ts',
      'integrations/integrations.router.ts',
      'integrations/integrations.store.ts',
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
