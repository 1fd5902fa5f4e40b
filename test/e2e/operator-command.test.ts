import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { loadConfig } from '../../src/config.ts';
import { verifyPassword } from '../../src/operators/accounts/password.ts';
import { connectionSettings } from '../../src/platform/postgres/connection.ts';
import { runOperatorCommand } from '../../src/process/operator-command.ts';
import {
  callApi,
  callApiOk,
  type Gateway,
  OPERATOR,
  type Project,
  provision,
  startGateway,
} from '../support/gateway.ts';
import { createDataDir } from '../support/gateway-environment.ts';
import { programPath } from '../support/programs.ts';
import { spawnGateway } from '../support/spawn-gateway.ts';
import { until } from '../support/until.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = programPath('src/operator.ts');
const SOURCE = join(ROOT, 'src/operator.ts');
const NEWCOMER = 'newcomer@example.test';
const PASSWORD = 'a password of the test';

type Outcome = { code: number | null; out: string; said: string };

/** Runs the command in this process, with the variables of a gateway and `input` as its standard input. */
async function operator(gateway: Pick<Gateway, 'env'>, args: string[], input = ''): Promise<Outcome> {
  const out: string[] = [];
  const said: string[] = [];
  const code = await runOperatorCommand(args, () => loadConfig({ ...gateway.env }, '/'), {
    input: Readable.from([input]),
    write: (line) => out.push(line),
    print: (line) => said.push(line),
  }).then(
    () => 0,
    (error: Error) => {
      said.push(error.message);
      return 1;
    },
  );
  return { code, out: out.join('\n'), said: said.join('\n') };
}

/** Runs the command as `npm run operator` does, in a process of its own. */
async function runProcess(gateway: Pick<Gateway, 'env'>, args: string[], input = ''): Promise<Outcome> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', COMMAND, ...args], {
    cwd: '/',
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...gateway.env },
    stdio: 'pipe',
  });
  child.stdin.end(input);
  const ended = new Promise<number | null>((done) => child.once('close', done));
  const [out, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out: out.trim(), said: said.trim() };
}

const asked = (url: string, bearer: string) => callApi(url, 'GET', '/v1/projects', { bearer });

const cookieOf = ({ headers }: { headers: Headers }) =>
  headers
    .getSetCookie()
    .map((field) => field.split(';', 1)[0])
    .join('; ');

describe('npm run operator, while the gateway runs', () => {
  let gateway: Gateway;
  let project: Project;
  let database: pg.Client;

  beforeAll(async () => {
    gateway = await startGateway();
    project = await provision(gateway);
    database = new pg.Client(connectionSettings(gateway.databaseUrl ?? ''));
    await database.connect();
  });
  afterAll(async () => {
    await database?.end();
    await gateway?.stop();
  });

  const signIn = (password: string) =>
    callApi(gateway.url, 'POST', '/v1/sessions', { body: { email: OPERATOR.email, password } });

  it('prints a token for an operator who has lost everything, and nothing but the token', async () => {
    const { code, out, said } = await runProcess(gateway, ['token', OPERATOR.email.toUpperCase()]);
    expect([code, said]).toEqual([0, expect.stringContaining('shown this once')]);
    expect(out).toMatch(/^igo_[\w-]{43}$/);
    expect((await asked(gateway.url, out)).body.projects).toHaveLength(1);
    const log = await callApiOk(gateway.url, 'GET', '/v1/activity?action=operator.token_issued', {
      bearer: out,
    });
    expect(log.activity).toMatchObject([
      { actorKind: 'gateway', details: { systemUser: expect.any(String) } },
    ]);
    expect(JSON.stringify(log)).not.toContain(out);
  });

  it('takes the only project where none is named', async () => {
    for (const [command, said] of [
      ['freeze', 'is frozen now'],
      ['unfreeze', 'is not frozen now'],
    ] as const) {
      expect((await operator(gateway, [command])).said).toContain(`Project ${project.id} ${said}`);
    }
  });

  it('makes an operator who owns a project, and makes one an owner of another', async () => {
    const made = await operator(
      gateway,
      ['create', NEWCOMER, '--project', project.id, '--password-stdin'],
      `${PASSWORD}\n`,
    );
    expect(made).toMatchObject({ code: 0, out: '', said: expect.stringContaining(NEWCOMER) });
    const { out: token } = await operator(gateway, ['token', NEWCOMER]);
    expect((await asked(gateway.url, token)).body.projects).toMatchObject([{ id: project.id }]);
    const { id } = await callApiOk(gateway.url, 'POST', '/v1/projects', {
      bearer: project.personalAccessToken,
      body: { name: 'Second' },
    });
    expect((await operator(gateway, ['own', NEWCOMER, '--project', id])).code).toBe(0);
    expect((await asked(gateway.url, token)).body.projects).toHaveLength(2);
    const log = await callApiOk(gateway.url, 'GET', '/v1/activity?limit=20', { bearer: token });
    expect(log.activity.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['member.added', 'operator.created', 'operator.token_issued']),
    );
    const again = await operator(gateway, ['create', NEWCOMER, '--password-stdin'], PASSWORD);
    expect([again.code, again.said]).toEqual([1, expect.stringContaining('is an operator already')]);
  });

  it('sets a password, which it reads from a pipe or without showing it', async () => {
    const stored = async (email: string) => {
      const { rows } = await database.query('SELECT password_hash FROM operators WHERE email = $1', [email]);
      return rows[0].password_hash;
    };
    const piped = await runProcess(gateway, ['reset-password', OPERATOR.email, '--password-stdin'], PASSWORD);
    expect(piped).toMatchObject({ code: 0, out: '' });
    expect(await verifyPassword(PASSWORD, await stored(OPERATOR.email))).toBe(true);

    const typed = 'typed at a terminal';
    const line = `${process.execPath} --disable-warning=ExperimentalWarning ${SOURCE} create typist@example.test`;
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      cwd: '/',
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...gateway.env },
      stdio: 'pipe',
    });
    let screen = '';
    child.stdout.setEncoding('utf8').on('data', (shown: string) => {
      if (!screen.includes('New password') && (screen + shown).includes('New password')) {
        child.stdin.write(`${typed}\r`);
      }
      screen += shown;
    });
    await new Promise((done) => child.once('close', done));
    expect(screen).toContain('created');
    expect(screen).not.toContain(typed);
    expect(await verifyPassword(typed, await stored('typist@example.test'))).toBe(true);
    expect((await signIn(PASSWORD)).status).toBe(201);
  });

  it('prints a link to a new password, which works once and ends every session', async () => {
    const { code, out, said } = await operator(gateway, ['reset-password', OPERATOR.email]);
    expect([code, said]).toEqual([0, expect.stringContaining('works once')]);
    const [page, token] = out.split('#');
    expect(page).toBe(`${gateway.url}/reset-password`);
    const before = await signIn(PASSWORD);
    const complete = (password: string) =>
      callApi(gateway.url, 'POST', '/v1/password-resets/complete', { body: { token, password } });
    expect((await complete(OPERATOR.email)).body).toMatchObject({ errors: [{ path: 'body.password' }] });
    const set = await complete('chosen with the link');
    expect(set.status).toBe(201);
    const me = (answer: typeof set) =>
      callApi(gateway.url, 'GET', '/v1/operators/me', { headers: { cookie: cookieOf(answer) } });
    expect([(await me(before)).status, (await me(set)).status]).toEqual([401, 200]);
    expect((await complete('chosen with the link')).body.code).toBe('link_invalid');
    expect((await signIn('chosen with the link')).status).toBe(201);
  });

  it('shows who there is, and tells the audit log of it', async () => {
    const { code, out } = await operator(gateway, ['list']);
    expect(code).toBe(0);
    for (const shown of [OPERATOR.email, project.id, 'End-to-end']) expect(out).toContain(shown);
    const { rows } = await database.query("SELECT details FROM activity WHERE action = 'operator.listed'");
    expect(rows).toEqual([{ details: { systemUser: expect.any(String) } }]);
  });

  it.each([
    [['create', 'x@example.test', '--password-stdin'], /12 to 1000 characters/],
    [['create', 'no address', '--password-stdin'], /no e-mail address/],
    [['token'], /Name an e-mail address/],
    [['token', 'nobody@example.test'], /No operator has/],
    [['own', OPERATOR.email], /needs --project/],
    [['freeze'], /needs the id of a project/],
    [['freeze', 'x'], /no project id/],
    [
      ['freeze', '01890000-0000-7000-8000-0000000000ff', '--project', '01890000-0000-7000-8000-0000000000ff'],
      /takes one project/,
    ],
    [['own', OPERATOR.email, '--project', 'x'], /no project id/],
    [['own', OPERATOR.email, '--project', '01890000-0000-7000-8000-0000000000ff'], /There is no project/],
    [['remove', OPERATOR.email], /no command remove/],
    [['constructor'], /no command constructor/],
    [['list', 'all'], /takes no argument/],
    [['token', OPERATOR.email, '--forever'], /Unknown option/],
    [[], /Usage: npm run operator/],
  ])('refuses %j and says what is wrong', async (args, expected) => {
    const before = await database.query('SELECT count(*) FROM operators');
    const { code, out, said } = await operator(gateway, args, 'short');
    expect([code, out, said]).toEqual([1, '', expect.stringMatching(expected)]);
    expect(said).not.toContain('    at ');
    expect((await database.query('SELECT count(*) FROM operators')).rows).toEqual(before.rows);
  });

  it('ends with exit code 1 and a sentence, not a stack, where it refuses', async () => {
    const { code, out, said } = await runProcess(gateway, ['create', 'x@example.test']);
    expect([code, out, said]).toEqual([1, '', expect.stringMatching(/^There is no terminal[^\n]*$/)]);
  });

  it('freezes a project and lets it go on, and says what it was', async () => {
    const frozen = async () =>
      (await callApiOk(gateway.url, 'GET', `/v1/projects/${project.id}`, { bearer: project.apiKey })).frozen;
    const run = (...args: string[]) => operator(gateway, args);
    expect((await run('freeze', project.id)).said).toContain('is frozen now');
    expect((await run('freeze', '--project', project.id)).said).toContain('and was before');
    expect(await frozen()).toMatchObject({ reason: expect.stringContaining('command line') });
    expect((await run('unfreeze', project.id)).said).toContain('is not frozen now');
    expect(await frozen()).toBeNull();
  });

  it('brings its use of a project to destinations that take the audit log', async () => {
    const api = (method: string, path: string, body?: object) =>
      callApiOk(gateway.url, method, path, { bearer: project.apiKey, body });
    const destination = { url: 'https://audit.example.test/events', types: ['activity.*'] };
    const { id } = await api('POST', '/v1/event-destinations', destination);
    for (const command of ['freeze', 'unfreeze'])
      expect(await operator(gateway, [command, project.id])).toMatchObject({
        code: 0,
        said: expect.not.stringContaining('no destination'),
      });
    const read = async () => (await api('GET', '/v1/events?types=activity.project.*')).events;
    const isOfCommand = ({ data }: { data: { actorKind: string } }) => data.actorKind === 'gateway';
    await until(async () => (await read()).filter(isOfCommand).length === 2);
    await api('DELETE', `/v1/event-destinations/${id}`);
  });

  it('is told of where the set-up has been done already', async () => {
    const body = { token: gateway.env.SETUP_TOKEN, ...OPERATOR };
    const refused = await callApi(gateway.url, 'POST', '/v1/setup', { body });
    expect(refused.body).toMatchObject({
      code: 'already_set_up',
      remedy: expect.stringContaining('npm run operator'),
    });
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.operator).toBe('exec node scripts/require-node.mjs src/operator.ts');
    expect((await operator(gateway, ['--help'])).out).toContain('reset-password <email>');
  });
});

describe('npm run operator, with the embedded store', () => {
  it('works while the gateway runs, and while it does not', async () => {
    const data = await createDataDir();
    const dataDir = join(data.path, 'data');
    let gateway = await spawnGateway({ dataDir });
    try {
      await provision(gateway);
      const running = await operator({ env: gateway.env }, ['token', OPERATOR.email]);
      expect(running).toMatchObject({ code: 0, out: expect.stringMatching(/^igo_/) });
      expect((await asked(gateway.url, running.out)).status).toBe(200);
      await gateway.stop();
      const stopped = await operator({ env: gateway.env }, ['token', OPERATOR.email]);
      expect(stopped).toMatchObject({ code: 0, out: expect.stringMatching(/^igo_/) });
      gateway = await spawnGateway({ dataDir });
      expect((await asked(gateway.url, stopped.out)).status).toBe(200);
    } finally {
      await gateway.stop();
      await data.remove();
    }
  });

  it('makes the first operator before any set-up, in a store that is new', async () => {
    const data = await createDataDir();
    const dataDir = join(data.path, 'data');
    const env = { DATA_DIR: dataDir };
    const made = await runProcess({ env }, ['create', NEWCOMER, '--password-stdin'], PASSWORD);
    expect(made.code).toBe(0);
    const gateway = await spawnGateway({ dataDir });
    const body = { token: gateway.env.SETUP_TOKEN, ...OPERATOR };
    const refused = await callApi(gateway.url, 'POST', '/v1/setup', { body });
    await gateway.stop();
    await data.remove();
    expect(refused.body.code).toBe('already_set_up');
  });
});
