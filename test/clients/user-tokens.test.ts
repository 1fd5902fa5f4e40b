import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import {
  callApi,
  callApiOk,
  type Gateway,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';

const run = promisify(execFile);
const EXAMPLES = resolve(import.meta.dirname, '../../examples/user-tokens');
const PAGE = resolve(import.meta.dirname, '../../docs/user-tokens.md');
const PROGRAMS = new Set(['.mjs', '.py', '.go', '.rb', '.php', '.java', '.cs']);

describe('docs/user-tokens.md', () => {
  it('shows every example word for word', async () => {
    const page = await readFile(PAGE, 'utf8');
    const shown = [...page.matchAll(/^\[`(.+)`\]\(\.\.\/\1\)\n\n```\w+\n([\s\S]*?)^```$/gm)];
    const examples = await readExamples();
    expect(Object.fromEntries(shown.map(([, path, text]) => [path, text]))).toEqual(examples);
    expect(Object.keys(examples).length).toBeGreaterThan(7);
  });
});

describe('the examples for Node.js', () => {
  let folder: string;
  let gateway: Gateway;
  let project: Project;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-user-tokens-'));
    gateway = await startGateway();
    project = await provision(gateway);
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyFile = join(folder, 'private-key.pem');
    await writeFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    await callApiOk(gateway.url, 'POST', `/v1/projects/${project.id}/signing-keys`, {
      bearer: project.personalAccessToken,
      body: { alg: 'ES256', kid: '2026-01', publicKey: pem },
    });
    env = { ...process.env, PROJECT_ID: project.id, SIGNING_KEY_ID: '2026-01', SIGNING_KEY_FILE: keyFile };
  });

  afterAll(async () => {
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(['jsonwebtoken', 'jose'])('sign with %s what the gateway takes', async (library) => {
    const program = join(EXAMPLES, `node/${library}.mjs`);
    const { stdout } = await run(process.execPath, [program, 'user-1'], { env });
    const answer = await callApi(gateway.url, 'GET', '/v1/connections', { bearer: stdout.trim() });
    expect(answer).toMatchObject({ status: 200, body: { connections: [], nextCursor: null } });
    const users = await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}/users?userId=user-1`, {
      bearer: project.apiKey,
    });
    expect(users.users).toHaveLength(1);
  });
});

/** The text of every program below examples/user-tokens, by path. */
async function readExamples(): Promise<Record<string, string>> {
  const languages = await readdir(EXAMPLES);
  const paths = await Promise.all(
    languages.map(async (language) =>
      (await readdir(join(EXAMPLES, language))).map((name) => join(language, name)),
    ),
  );
  const programs = paths.flat().filter((path) => PROGRAMS.has(extname(path)));
  const entries = programs.map(async (path) => [
    `examples/user-tokens/${path}`,
    await readFile(join(EXAMPLES, path), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
