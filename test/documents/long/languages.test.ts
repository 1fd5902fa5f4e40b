import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../../support/gateway.ts';
import { readPage } from '../../support/page-blocks.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PREPARE_MS_MAX = 240_000;

type Toolchain = {
  /** Fails where something is missing that the program needs; fetches into its folder what a registry has. */
  readonly check: readonly string[];
  readonly run: readonly string[];
  /** What it takes, for those who want it to run. */
  readonly needs: string;
};

const JAVA_PACKAGES = ['jjwt-api', 'jjwt-impl', 'jjwt-gson'];

/** By the folder below examples/user-tokens; the first of them whose check succeeds. */
const TOOLCHAINS: Readonly<Record<string, readonly Toolchain[]>> = {
  node: [{ check: ['node', '-e', ''], run: ['node'], needs: 'Node.js' }],
  python: ['python3', '/usr/bin/python3'].map((python) => ({
    check: [python, '-c', 'import jwt, cryptography'],
    run: [python],
    needs: 'python3-jwt and python3-cryptography (Debian), or PyJWT[crypto]',
  })),
  go: [
    {
      check: ['go', 'mod', 'tidy'],
      run: ['go', 'run'],
      needs: 'golang-go, and the module that go.mod names',
    },
  ],
  ruby: [{ check: ['ruby', '-e', 'require "jwt"'], run: ['ruby'], needs: 'ruby and ruby-jwt' }],
  php: [
    {
      check: ['composer', 'install', '--no-interaction', '--quiet', '--no-scripts'],
      run: ['php'],
      needs: 'php-cli, and composer with what composer.json names',
    },
  ],
  java: [
    {
      check: ['jbang', '--version'],
      run: ['jbang', '--deps', JAVA_PACKAGES.map((name) => `io.jsonwebtoken:${name}:0.13.0`).join(',')],
      needs: 'a JDK and jbang',
    },
  ],
  csharp: [
    {
      check: ['dotnet', 'build', '--output', 'built'],
      run: ['dotnet', 'built/UserToken.dll'],
      needs: 'the .NET SDK',
    },
  ],
};

/** The programs that docs/user-tokens.md shows: their path, and their text in the page. */
const programs = [
  ...readPage('user-tokens.md').matchAll(
    /^\[`(examples\/user-tokens\/(\w+)\/[^`]+)`\]\([^)]+\)\n\n```\w+\n([\s\S]*?)^```$/gm,
  ),
].map(([, path = '', language = '', code = '']) => ({ path, language, code }));

const notRun: string[] = [];
let folder: string;
let gateway: Gateway;
let project: Project;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = mkdtempSync(join(ROOT, 'node_modules/.documents-'));
  gateway = await startGateway();
  project = await provision(gateway);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keyFile = join(folder, 'private-key.pem');
  writeFileSync(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/signing-keys`, {
    bearer: project.personalAccessToken,
    body: { alg: 'ES256', kid: '2026-01', publicKey: pem },
  });
  env = { ...process.env, PROJECT_ID: project.id, SIGNING_KEY_ID: '2026-01', SIGNING_KEY_FILE: keyFile };
});

afterAll(async () => {
  await gateway?.stop();
  rmSync(folder, { recursive: true, force: true });
  process.stderr.write(
    `\n${programs.length - notRun.length} of ${programs.length} programs were run. Not run:\n${notRun.map((line) => `  ${line}\n`).join('')}`,
  );
});

describe('a program of the page', () => {
  it('is there in seven languages', () => {
    expect(new Set(programs.map(({ language }) => language))).toEqual(new Set(Object.keys(TOOLCHAINS)));
  });

  it.each(programs.map((program) => [program.path, program] as const))(
    '%s prints a token that the gateway takes, where its toolchain is there',
    async (path, { language, code }) => {
      const own = join(folder, language, basename(path, '.mjs'));
      cpSync(join(ROOT, path, '..'), own, { recursive: true });
      // The page's own text, not the file beside it.
      writeFileSync(join(own, basename(path)), code);
      const toolchain = TOOLCHAINS[language]?.find(({ check }) => call(check, own).status === 0);
      if (toolchain === undefined) {
        notRun.push(`${path}: needs ${TOOLCHAINS[language]?.[0]?.needs}`);
        return;
      }
      const program = language === 'csharp' ? [] : [basename(path)];
      const { stdout, stderr } = call([...toolchain.run, ...program, 'user-1'], own);
      const answer = await callApi(gateway.url, 'GET', '/v1/connections', { bearer: stdout.trim() });
      expect({ status: answer.status, stderr }).toEqual({ status: 200, stderr: expect.any(String) });
    },
  );
});

function call([command = '', ...rest]: readonly string[], cwd: string) {
  return spawnSync(command, rest, { cwd, env, encoding: 'utf8', timeout: PREPARE_MS_MAX });
}
